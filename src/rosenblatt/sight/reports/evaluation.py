"""Answers against labels, as text."""

from __future__ import annotations

from shutil import get_terminal_size

from rosenblatt.arithmetic.examples import plain
from rosenblatt.errors import counted
from rosenblatt.learning.streams.evaluations import Evaluation
from rosenblatt.sight.reports.markup import shortened
from rosenblatt.sight.reports.measures import brier, ranking

MOST_LINES = 20  # classes of a table, the ones with the most rows
MOST_CONFUSIONS = 10  # of a list that stands for a table too wide for the screen
MOST_LETTERS = 24  # of the name of a class
NO_SCREEN = (100, 24)  # the size of one that nobody looks at


def evaluation_text(found: Evaluation, source: str, n_bad: int = 0, width: int | None = None) -> str:
    """The error beside that of the commonest class, what each class got, and which are taken for which: a
    table where it fits into `width` letters (those of the screen), else a list."""
    wrong = round(found.error * found.examples)
    lines = [f"Error {found.error:.4f}: {wrong:,} of {found.examples:,} rows of {source} are wrong."]
    if found.unknown:
        lines.append(f"{found.unknown:,} of them have labels that are no classes of the model.")
    if n_bad:
        lines.append(f"{counted(n_bad, 'bad line')} {'was' if n_bad == 1 else 'were'} passed over.")
    lines.append(_beside_the_commonest(found))
    if found.threshold is not None:
        lines.append(f"{plain(found.classes[1])!r} is answered above a value of {found.threshold:.6g}.")
    ranked = ranking(found)
    if ranked is not None:
        lines.append(
            f"AUC {ranked.roc.area:.4f}, average precision {ranked.precision.area:.4f} for "
            f"{plain(found.classes[1])!r} ({ranked.base:.4f} of the rows)."
        )
    told = brier(found)
    if told is not None:
        lines.append(f"Brier score of the probabilities {told:.4f}.")
    return "\n".join(
        [*lines, *_each_class(found), *_confusions(found, width or get_terminal_size(NO_SCREEN).columns)]
    )


def _beside_the_commonest(found: Evaluation) -> str:
    name, error = repr(plain(found.classes[found.commonest])), found.commonest_error
    if found.error < error or found.threshold is not None:
        return f"Always to answer {name}, the commonest class, has an error of {error:.4f}."
    return (
        f"Warning: this is no better than always to answer {name}, the commonest class, which has an error "
        f"of {error:.4f}. Look at what the columns were taken for, and at --target; other features, or "
        "other rules (--rule), may tell more."
    )


def _names(found: Evaluation) -> list[str]:
    return [shortened(plain(label), MOST_LETTERS) for label in found.classes]


def _each_class(found: Evaluation) -> list[str]:
    """A line for each class."""
    names, measured = _names(found), found.per_class()
    width = max(8, *map(len, names))
    shown = sorted(range(len(names)), key=lambda k: -measured[k]["rows"])[:MOST_LINES]
    lines = [f"{'class':>{width}} {'rows':>10} {'precision':>10} {'recall':>8} {'F1':>8}"]
    for k in sorted(shown):
        each = measured[k]
        lines.append(
            f"{names[k]:>{width}} {each['rows']:10,} {_part(each['precision']):>10} "
            f"{_part(each['recall']):>8} {_part(each['f1']):>8}"
        )
    if len(names) > MOST_LINES:
        lines.append(f"… and {len(names) - MOST_LINES} more classes; --json has them all, and the matrix.")
    return lines


def _confusions(found: Evaluation, width: int) -> list[str]:
    names = _names(found)
    first = max(8, *map(len, names))
    columns = 1 + max(*map(len, names), len(f"{found.confusion.max():,}"))
    if first + len(names) * columns <= width:
        return [
            "Rows of each class (down) by the answer (across):",
            " " * first + "".join(f"{name:>{columns}}" for name in names),
            *(
                f"{name:>{first}}" + "".join(f"{count:{columns},}" for count in row)
                for name, row in zip(names, found.confusion.tolist(), strict=True)
            ),
        ]
    largest = found.largest_confusions(MOST_CONFUSIONS)
    if not largest:
        return []
    rows = found.confusion.sum(axis=1)
    return [
        "The largest confusions:",
        *(
            f"{count:8,} rows of {names[i]!r} taken for {names[j]!r} ({count / rows[i]:.1%} of its rows)"
            for count, i, j in largest
        ),
    ]


def _part(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
