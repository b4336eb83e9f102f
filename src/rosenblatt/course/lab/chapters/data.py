"""Your data: points from the user's own csv file, which every other chapter can open."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.lab.chapters.chapter import Answer, Chapter
from rosenblatt.course.lab.chapters.chapter_transfer import Own, states_for_chapters
from rosenblatt.course.lab.own_files import EXAMPLE, OwnFile, on_disk, stored_file
from rosenblatt.course.lab.page_states import FARTHEST, State
from rosenblatt.course.lab.python import arguments, call_text, literal, script
from rosenblatt.course.lab.safety import LARGEST_FILE
from rosenblatt.course.lab.uploaded_tables import (
    FEWEST_OF_A_CLASS,
    MOST_COLUMNS,
    MOST_DRAWN,
    PASSES,
    PATIENCE,
    Fields,
    Side,
    best_side,
    classes_of,
    fields_of,
    fit_averaged,
    name_controls,
    project,
    reading_of,
    refuse_few_numbers,
    rows_of,
    sample,
)
from rosenblatt.errors import BadInput, counted
from rosenblatt.proof.separation import separate
from rosenblatt.proof.verdict import Verdict, big, interval

MOST_CLASSES = 20
DIGITS = 4  # digits of a coordinate in a link

AXES = ("columns", "projection")
DELIMITERS = {"found": None, "comma": ",", "semicolon": ";", "tab": "tab", "bar": "|", "blanks": "blanks"}
HEADERS = {"found": None, "names": True, "rows": False}
LETTERS = {"utf-8": None, "latin-1": "latin-1", "cp1252": "cp1252", "utf-16": "utf-16"}

START: dict[str, Any] = {
    "file": "",
    "label": "",
    "positive": "",
    "axes": "columns",
    "across": "",
    "up": "",
    "scale": True,
    "delimiter": "found",
    "header": "found",
    "letters": "utf-8",
}


class Chosen(NamedTuple):
    """Hold the choices for a picture: the columns used, the columns of the axes, scaling, projection."""

    fields: Fields
    used: list[str]
    places: list[int]
    scale: bool
    is_projected: bool


def answer(state: State) -> Answer:
    """Return the points in the chosen columns, and whether a line separates them."""
    file = stored_file(state.text("file"))
    reading = {
        "format": "tsv" if file.name.lower().endswith(".tsv") else "csv",
        "target": state.text("label") or None,
        "delimiter": DELIMITERS[state.choice("delimiter", list(DELIMITERS))],
        "header": HEADERS[state.choice("header", list(HEADERS))],
        "charset": LETTERS[state.choice("letters", list(LETTERS))],
    }
    try:
        with on_disk(file) as path:
            return _of_file(state, file, path, reading)
    except BadInput as error:
        raise BadInput(name_controls(str(error))) from error


def _of_file(state: State, file: OwnFile, path: str, reading: dict[str, Any]) -> Answer:
    fields = fields_of(path, reading)
    try:
        chosen = _choose_columns(state, fields, file.name)
        table = rows_of(path, reading, fields, chosen.used, chosen.scale)
        classes = classes_of(table.y, fields.label, MOST_CLASSES)
        positive = _positive(state, classes)
        return _of_points(file, reading, chosen, table, classes, positive)
    except BadInput as error:  # the page can still offer the columns of the file
        return _nothing_to_draw(file, fields, name_controls(str(error)).replace(path, file.name))


def _choose_columns(state: State, fields: Fields, name: str) -> Chosen:
    if trouble := refuse_few_numbers(fields, name):
        raise BadInput(trouble)
    scale, is_projected = state.flag("scale"), state.choice("axes", AXES) == "projection"
    if is_projected:
        if len(fields.numbers) > MOST_COLUMNS:
            raise BadInput(
                f"Axes: {len(fields.numbers):,} columns of numbers, and a projection takes at most "
                f"{MOST_COLUMNS}; choose two columns"
            )
        return Chosen(fields, fields.numbers, list(range(len(fields.numbers))), scale, True)
    across = state.text("across") or next(name for name in fields.at_first if name != state.text("up"))
    up = state.text("up") or next(name for name in fields.at_first if name != across)
    for which, column in (("Horizontal axis", across), ("Vertical axis", up)):
        if column not in fields.numbers:
            raise BadInput(f"{which}: {column[:40]!r} is no column of numbers; choose another")
    if across == up:
        raise BadInput(f"Vertical axis: {up!r} is already the horizontal axis; choose another column")
    used = [name for name in fields.numbers if name in (across, up)]
    return Chosen(fields, used, [used.index(across), used.index(up)], scale, False)


def _positive(state: State, classes: list[Any]) -> Any:
    """Return the chosen positive class; the default is the second of two classes, or the first of more."""
    named = {str(each): each for each in classes}
    positive_name = state.text("positive")
    if positive_name and positive_name not in named:
        raise BadInput(
            f"Class +: there is no class {positive_name[:40]!r}; choose one of {', '.join(named)[:200]}"
        )
    return named.get(positive_name, classes[1 if len(classes) == 2 else 0])


def _of_points(
    file: OwnFile, reading: dict[str, Any], chosen: Chosen, table: Any, classes: list[Any], positive: Any
) -> Answer:
    y = np.where(table.y == positive, 1, -1)
    rows = sample(y, MOST_DRAWN, FEWEST_OF_A_CLASS)
    side = best_side(table.X, y) if chosen.is_projected else None
    points = table.X[rows][:, chosen.places] if side is None else project(table.X, side.w, rows)
    digits = _digits(points)
    points, labels = points.round(digits), y[rows]
    verdict = separate(points, labels, time_limit=PATIENCE, progress=False)
    line = _line(verdict, points, labels)
    wrong = np.flatnonzero(labels * (points @ line[:2] + line[2]) <= 0)
    numbers = {
        "rows": len(y),
        "points": points.tolist(),
        "labels": labels.tolist(),
        "separable": verdict.separable,
        "line": list(line),
        "wrong": wrong.tolist(),
    }
    own = Own(
        points, labels, np.searchsorted(classes, table.y[rows]), [str(each) for each in classes], line,
        bool(verdict.separable),
    )  # fmt: skip
    picture = {
        **_choices(file, chosen.fields),
        "classes": [[str(each), int(np.sum(table.y == each))] for each in classes],
        "positive": str(positive),
        "names": _names(chosen, side),
        "drawn": {"across": chosen.used[chosen.places[0]], "up": chosen.used[chosen.places[1]]},
        "opens": {key: given._asdict() for key, given in states_for_chapters(own).items()},
    }
    sentences = _sentences(file, chosen, picture, len(y), len(rows), side)
    sentences += [
        _proof(verdict, len(wrong), len(rows)),
        *(f"Please check: {doubt}." for doubt in chosen.fields.doubts),
    ]
    python = _python(file, reading, chosen, positive, digits, side)
    return Answer(numbers, python, tuple(sentences), picture)


def _digits(points: NDArray[np.float64]) -> int:
    """Return the number of decimals to which coordinates are rounded."""
    largest = float(np.abs(points).max())
    if largest > FARTHEST:
        raise BadInput(
            f"Axes: numbers up to {largest:.3g} are beyond the pictures of this lab, which end at "
            f"{FARTHEST:g}; let the columns have mean 0 and deviation 1"
        )
    return DIGITS if largest <= 10.0 else DIGITS - math.ceil(math.log10(largest)) + 1


def _line(
    verdict: Verdict, points: NDArray[np.float64], labels: NDArray[np.int64]
) -> tuple[float, float, float]:
    if verdict.hyperplane is not None:
        w, b = verdict.hyperplane
        return float(w[0]), float(w[1]), float(b)
    model = fit_averaged(points, labels)
    return float(model.coef_[0, 0]), float(model.coef_[0, 1]), float(model.intercept_[0])


def _choices(file: OwnFile, fields: Fields) -> dict[str, Any]:
    """Return the choices that the page offers."""
    return {
        "name": file.name,
        "columns": fields.shown,
        "label": fields.label,
        "numbers": fields.numbers,
        "n_rows": fields.n_rows,
    }


def _nothing_to_draw(file: OwnFile, fields: Fields, trouble: str) -> Answer:
    sentences = (_whole(file, fields), *(f"Please check: {doubt}." for doubt in fields.doubts))
    return Answer(
        {"rows": fields.n_rows}, "", sentences, {**_choices(file, fields), "trouble": f"{trouble}."}
    )


# ---------------------------------------------------------------- sentences


def _whole(file: OwnFile, fields: Fields) -> str:
    return f"{file.name}: {counted(fields.n_rows, 'row')}, {counted(len(fields.shown), 'column')}."


def _names(chosen: Chosen, side: Side | None) -> list[str]:
    if side is None:
        return [chosen.used[place] for place in chosen.places]
    return ["w·x", "the widest spread across w"]


def _sentences(
    file: OwnFile, chosen: Chosen, picture: dict[str, Any], n_rows: int, n_drawn: int, side: Side | None
) -> list[str]:
    counts = dict(picture["classes"])
    positive = picture["positive"]
    others = [name for name in counts if name != positive]
    rest = others[0] if len(others) == 1 else f"the other {len(others)} classes"
    n_positive, n_negative = (counted(n, "row") for n in (counts[positive], n_rows - counts[positive]))
    sentences = [
        _whole(file, chosen.fields),
        f"+ is {positive} ({n_positive}), − is {rest} ({n_negative}).",
    ]
    dropped = chosen.fields.n_rows - n_rows
    if dropped:
        sentences.append(f"{counted(dropped, 'row')} with a missing value left out.")
    if n_drawn < n_rows:
        sentences.append(f"{n_drawn:,} of {n_rows:,} rows are drawn: a random sample, stratified by class.")
    if side is not None:
        sentences.append(_axes(chosen, side, n_rows))
    if chosen.scale:
        sentences.append("Columns are standardised to mean 0 and deviation 1.")
    return sentences


def _axes(chosen: Chosen, side: Side, n_rows: int) -> str:
    columns = counted(len(chosen.used), "column")
    second = "the vertical axis is the direction at right angles to w with the largest spread"
    if side.verdict.separable:
        return (
            f"The horizontal axis is w·x, with w of the largest margin over {columns} of numbers: it "
            f"separates all {n_rows:,} rows, with a margin of {interval(*side.verdict.margin)}; {second}."
        )
    known = "no hyperplane separates all rows (proved)"
    if side.verdict.separable is None:
        known = "whether a hyperplane separates them was not decided in time"
    return (
        f"The horizontal axis is w·x, with w of the averaged perceptron over {columns} of numbers: "
        f"{known}; {second}."
    )


def _proof(verdict: Verdict, n_wrong: int, n_drawn: int) -> str:
    if verdict.separable:
        most = verdict.mistake_bound
        bound = (
            "" if most is None else f"; in no order does a perceptron make more than {big(most)} mistakes"
        )
        return f"A line separates the points drawn: the margin is {interval(*verdict.margin)}{bound}."
    known = "No line separates the points drawn (proved)" if verdict.separable is False else "Undecided"
    return f"{known}: the line of the averaged perceptron misclassifies {n_wrong:,} of {n_drawn:,}."


# ---------------------------------------------------------------- Python text


def _python(
    file: OwnFile, reading: dict[str, Any], chosen: Chosen, positive: Any, digits: int, side: Side | None
) -> str:
    options = reading_of(reading, chosen.fields, chosen.used, chosen.scale)
    encoding = f"encoding=Encoding({literal(options.pop('encoding').numbers)})"
    words = {name: value for name, value in options.items() if value not in ([], None)}
    where = [f"path = {literal(file.name)}  # where it is on your disk"]
    if not file.token:
        where = [
            "from importlib.resources import files",
            "",
            f'path = str(files("rosenblatt.course.lab") / "examples" / "{EXAMPLE}")',
        ]
    perceptron = f'Perceptron(keep="averaged", {arguments(epochs=PASSES, random_state=0)})'
    share = MOST_DRAWN - 2 * FEWEST_OF_A_CLASS
    seen = [f"seen = X[rows][:, {chosen.places}]"]
    if side is not None:
        seen = [
            "# along the w that separates best, and across it where the points spread most",
            "separated = separate(X, y).hyperplane",
            f"w = separated[0] if separated else {perceptron}.fit(X, y).coef_[0]",
            "plane = plane_of(X[rows], w)",
            'seen = (X[rows] - np.array(plane["origin"])) @ np.array(plane["axes"]).T',
        ]
    return script(
        "import numpy as np",
        "from rosenblatt import Perceptron, separate",
        "from rosenblatt.data.sources import Encoding, read_table",
        *(["from rosenblatt.traces.plane import plane_of"] if side is not None else []),
        *where,
        call_text("table = read_table", "path", encoding, **words),
        f"X, y = table.X, np.where(table.y == {literal(positive)}, 1, -1)",
        "rows, rng = np.arange(len(y)), np.random.default_rng(0)",
        f"if len(y) > {MOST_DRAWN}:  # some of each class, and the rest by their shares",
        "    each = [np.flatnonzero(y == sign) for sign in (-1, 1)]",
        f"    most = [{FEWEST_OF_A_CLASS} + {share} * len(part) // len(y) for part in each]",
        "    parts = [rng.permutation(part)[:n] for part, n in zip(each, most)]",
        "    rows = np.sort(np.concatenate(parts))",
        *seen,
        f"seen, labels = seen.round({digits}), y[rows]",
        "verdict = separate(seen, labels)",
        "if verdict.separable:",
        "    w, b = verdict.hyperplane",
        "else:",
        f"    model = {perceptron}.fit(seen, labels)",
        "    w, b = model.coef_[0], model.intercept_[0]",
        "rows, points, separable = len(y), seen.tolist(), verdict.separable",
        "line = [*w.tolist(), float(b)]",
        "wrong = np.flatnonzero(labels * (seen @ w + b) <= 0)",
        "print(verdict)",
    )


DATA = Chapter(
    "data",
    "Your data",
    "Load a csv file; it stays on this machine.",
    START,
    answer,
    {"largest": LARGEST_FILE},
)
