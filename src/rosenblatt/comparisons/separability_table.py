"""`separability_table`: every class against the rest, and every pair of classes."""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.data.labels import check_labels, classes_of
from rosenblatt.data.targets import is_label_table, read_labels
from rosenblatt.errors import BadInput, ProofRejected, bad_value, counted
from rosenblatt.loops.column_targets import sign_of_column
from rosenblatt.loops.threads import n_threads, one_blas_thread
from rosenblatt.numeric.blocks import native
from rosenblatt.numeric.row_batches import Rows, as_rows, check_finite, class_name, n_rows
from rosenblatt.proof.clock import Clock
from rosenblatt.proof.findings import check_offset, class_names, label_in_memory
from rosenblatt.proof.parts import Combination, Gordan
from rosenblatt.proof.proof import Proof
from rosenblatt.proof.proved_facts import Facts
from rosenblatt.proof.separation import check_tolerance, decide
from rosenblatt.proof.verify import rows_of_question, verify
from rosenblatt.text_table import aligned_lines
from rosenblatt.training.progress import Progress

REST = "the rest"
MARKS = {"quasi-separable": "quasi", "overlapping": "overlap", "not separable": "no", "undecided": "?"}


class Row(NamedTuple):
    """Hold one question of the table with its answer.

    Parameters
    ----------
    first : class
        The class.
    second : class or "the rest"
        The class it is compared with.
    kind : str
        As in `Verdict`.
    margin : tuple of float
        The proved lower and upper end of the largest margin.
    n_rows : int
        The number of rows of the question.
    support : int
        The number of rows that determine the answer.
    separated : int
        The number of rows off the hyperplane of a quasi-separation.
    seconds : float
        The time of the search (0 if the proof was found on disk).
    proof_bytes : int
        The size of the proof's file.
    check_seconds : float
        The time that `verify` took.
    proof : Proof
        The proof.

    Examples
    --------
    >>> separability_table([[0.0], [1.0], [3.0]], ["a", "b", "c"])["a", "b"].kind
    'separable'
    """

    first: Any
    second: Any
    kind: str
    margin: tuple[float, float]
    n_rows: int
    support: int
    separated: int
    seconds: float
    proof_bytes: int
    check_seconds: float
    proof: Proof


@dataclass(frozen=True)
class SeparabilityTable:
    """Hold the proofs for all pairs of classes and for each class against the rest.

    For a table of labels, the classes are the labels, and the rest are the rows without the label.
    ``table[a, b]`` is the row of a pair, in either order, and ``table[a, "the rest"]`` is the row of class
    a against the rest.

    Parameters
    ----------
    classes : tuple
        The classes.
    rows : tuple of Row
        The answers.
    complete : bool
        Whether every question was examined; a table interrupted by Ctrl-C contains the answers so far.

    Examples
    --------
    >>> separability_table([[0.0], [1.0], [3.0]], ["a", "b", "c"]).counts()
    {'overlapping': 1, 'separable': 5}
    """

    classes: tuple[Any, ...]
    rows: tuple[Row, ...]
    complete: bool

    def __getitem__(self, question: tuple[Any, Any]) -> Row:
        """Return the row of a pair, in either order, or of (class, "the rest")."""
        is_rest_of_two = len(self.classes) == 2 and REST in question  # each is the other's rest
        for row in self.rows:
            is_pair_of_two = is_rest_of_two and row.second != REST
            if is_pair_of_two or {row.first, row.second} == set(question):
                return row
        raise KeyError(question)

    @property
    def offset(self) -> bool:
        """Whether the hyperplanes have an offset; without one, they contain the origin."""
        return all(row.proof.offset for row in self.rows)

    def counts(self) -> dict[str, int]:
        """Return the number of answers of each kind.

        Returns
        -------
        dict of str to int
            The counts.
        """
        kinds = [row.kind for row in self.rows]
        return {kind: kinds.count(kind) for kind in sorted(set(kinds))}

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return a list with one dict for each row, without its proof, from which a dataframe can be made.

        Returns
        -------
        list of dict
            The rows.
        """
        return [{k: v for k, v in row._asdict().items() if k != "proof"} for row in self.rows]

    def __repr__(self) -> str:
        return f"<SeparabilityTable of {len(self.classes)} classes: {self.counts()}>"

    def __str__(self) -> str:
        return "\n".join(_grid(self))

    def plot(self, ax: Any = None) -> Any:
        """Plot a heat map of the margins (requires matplotlib, the extra `plots`).

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            The axes; None creates a figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        from rosenblatt.plots.heat_map import separability

        return separability(self, ax)


def separability_table(
    X: Any,
    y: ArrayLike,
    offset: bool = True,
    time_limit: float | None = None,
    tolerance: float = 1e-2,
    pairs: bool = True,
    rest: bool = True,
    folder: str | Path | None = None,
    progress: bool | None = None,
    n_jobs: int | None = None,
) -> SeparabilityTable:
    """Determine, with proofs, the separability of each pair of classes, and of each class from the rest.

    Parameters
    ----------
    X : array-like, sparse matrix or table of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,) or (n_rows, n_labels)
        Their classes, two or more; or a table of labels with 1 where a row has the label and 0 elsewhere.
        Each label is compared with the rows without it, and the proof is about its column of `y`.
    offset : bool, default=True
        Whether hyperplanes have an offset; without one, they contain the origin.
    time_limit : float or None, default=None
        The time limit for each question in seconds.
    tolerance : float, default=1e-2
        A search ends when the relative width of the interval for the margin is at most this number.
    pairs : bool, default=True
        Whether to compare pairs of classes. Labels are not compared in pairs, as rows may have both.
    rest : bool, default=True
        Whether to compare each class with the rest; for a table of labels, always.
    folder : str or Path, default=None
        A folder for the proofs, one file for each question. Saved proofs that hold for these data are used
        again, so the same call resumes an interrupted table. Every proof is verified.
    progress : bool or None, default=None
        None shows progress on a terminal after two seconds; True always; False never.
    n_jobs : int or None, default=None
        The number of questions that are processed in parallel threads; the proofs do not depend on it. None
        processes one question at a time with all cores, so that time limits and run times are not affected
        by other questions.

    Returns
    -------
    SeparabilityTable
        The answers.

    Raises
    ------
    BadInput
        If there is one class only, or a parameter or the data cannot be used.

    Examples
    --------
    >>> table = separability_table([[0.0], [1.0], [2.0], [5.0]], ["a", "b", "b", "c"])
    >>> print(table)
    margin    a    b    c  the rest
    a            0.5  2.5       0.5
    b       0.5       1.5   overlap
    c       2.5  1.5            1.5
    6 tests: 1 overlapping, 5 separable
    """
    rows = as_rows(X)
    target = read_labels(y, n_rows(rows)) if is_label_table(y) else None
    labels = np.empty(0) if target else check_labels(y, n_rows(rows))
    check_finite(rows, None)
    check_tolerance(tolerance)
    check_offset(offset)
    names = tuple(target.names or target.classes.tolist()) if target else class_names(classes_of(labels))
    if len(names) < 2 and target is None:
        raise BadInput(f"y: only one class, {names[0]!r}; a table needs two or more")
    if REST in names:
        raise BadInput(
            f"y: {REST!r} is what the table calls all other classes; give that class another name"
        )
    if not pairs and not rest and target is None:
        raise BadInput("pairs, rest: both are False, so there is no question; set one of them to True")
    if folder is not None and not isinstance(folder, (str, Path)):
        raise bad_value("folder", folder, "the path of a folder for the proofs, or None")
    if folder is not None and Path(folder).exists() and not Path(folder).is_dir():
        raise BadInput(f"folder: {folder} is a file; give a folder for the proofs")
    questions = [(label,) for label in names] if target else list(_questions(names, pairs, rest))
    stop = Event()

    def examine(question: Question) -> tuple[Row, str]:
        y_asked, in_proof = labels, question
        if target is not None:  # the question is about one column of y
            assert not isinstance(target.labels, np.ndarray)
            column = sign_of_column(target.labels, names.index(question[0]), n_rows(rows))
            y_asked, in_proof = (column > 0).astype(np.int64), ()
        pair = _class_pair(question)
        asker = _Asker(rows, y_asked, in_proof, pair, bool(offset), time_limit, float(tolerance), stop)
        return asker.answer(None if folder is None else Path(folder) / _file_name(question))

    threads = min(n_threads(n_jobs), len(questions))
    # BLAS threads would only compete with these threads and with `verify`
    with one_blas_thread(), Progress(progress, len(questions), "verdicts") as bar:
        answers, interrupted = _answers(examine, questions, threads, stop, bar)
    return SeparabilityTable(names, tuple(answers), len(answers) == len(questions) and not interrupted)


Question = tuple[Any, ...]


def _questions(classes: tuple[Any, ...], pairs: bool, rest: bool) -> Iterator[Question]:
    """Yield (a,) for each class against the rest, and (a, b) for each pair.

    With two classes the pair is the only question.
    """
    if rest and len(classes) > 2:
        yield from ((label,) for label in classes)
    if pairs or len(classes) == 2:
        yield from itertools.combinations(classes, 2)


def _answers(
    examine: Callable[[Question], tuple[Row, str]],
    questions: list[Question],
    threads: int,
    stop: Event,
    bar: Progress,
) -> tuple[list[Row], bool]:
    """Return the answers in the order of the questions, and whether no Ctrl-C interrupted the search."""
    pool = ThreadPoolExecutor(threads) if threads > 1 else None
    pending: list[Future[tuple[Row, str]]] = (
        [pool.submit(examine, each) for each in questions] if pool else []
    )
    wait_for = [each.result for each in pending] or [partial(examine, each) for each in questions]
    answers: list[Row] = []
    interrupted = False
    try:
        for question, answer in zip(questions, wait_for, strict=True):
            done = sum(each.done() for each in pending) if pool else len(answers)
            bar.at(done, " against ".join(class_name(label) for label in _class_pair(question)))
            row, ended = answer()
            answers.append(row)
            if interrupted := ended == "interrupted":
                break
    except KeyboardInterrupt:
        interrupted = True
    finally:
        if pool:  # drops pending questions; running ones end at their next step with a partial answer
            stop.set()
            pool.shutdown(cancel_futures=True)
    later = (each for each in pending[len(answers) :] if not each.cancelled() and each.exception() is None)
    return [*answers, *(each.result()[0] for each in later)], interrupted


def _class_pair(question: Question) -> tuple[Any, Any]:
    return question[0], question[1] if len(question) == 2 else REST


def _file_name(question: Question) -> str:
    """Return a file name that is valid everywhere; a digest distinguishes similar labels."""
    text = "-against-".join(str(label) for label in _class_pair(question)).replace(" ", "-")
    slug = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-_.") else "_" for sign in text)[
        :80
    ]
    return f"{slug}-{hashlib.sha256(repr(question).encode()).hexdigest()[:8]}.json"


class _Asker(NamedTuple):
    """Answer one question of the table."""

    rows: Rows
    labels: NDArray[Any]
    question: Question  # as in the proof
    pair: tuple[Any, Any]
    offset: bool
    time_limit: float | None
    tolerance: float
    stop: Event

    def answer(self, place: Path | None) -> tuple[Row, str]:
        """Return the verified answer and how the search ended; save the proof at `place`."""
        seconds, ended = 0.0, "proved"
        found = self._load_valid(place)
        if found is None:
            began = time.perf_counter()
            points, target = rows_of_question(self.question, self.rows, self.labels)
            rows = label_in_memory(native(points), target)
            clock = Clock(self.time_limit, Progress(False, None), self.stop)
            verdict = decide(rows, self.offset, self.tolerance, clock)
            proof, ended = replace(verdict.proof, question=self.question), verdict.ended
            seconds = time.perf_counter() - began
            if place is not None and verdict.separable is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                proof.save(place)
            found = self._verify(proof)
        proof, facts, check_seconds = found
        deciding = next((part for part in proof.parts if isinstance(part, (Gordan, Combination))), None)
        row = Row(
            *self.pair, facts.kind, facts.margin, facts.n_rows,
            len(deciding.rows) if deciding else 0, len(facts.separated), seconds,
            len(proof.to_json()) + 1, check_seconds, proof,
        )  # fmt: skip
        return row, ended

    def _verify(self, proof: Proof) -> tuple[Proof, Facts, float]:
        began = time.perf_counter()
        facts = verify(proof, native(self.rows), self.labels)
        return proof, facts, time.perf_counter() - began

    def _load_valid(self, place: Path | None) -> tuple[Proof, Facts, float] | None:
        """Return a saved proof if it holds for these data and is precise enough, otherwise None."""
        if place is None or not place.exists():
            return None
        try:
            found = self._verify(Proof.load(place))
        except ProofRejected:
            return None
        proof, facts, _ = found
        low, high = facts.margin
        is_narrow = high == low or high - low <= self.tolerance * high
        is_final = facts.kind in ("separable", "quasi-separable", "overlapping")
        is_same = proof.offset == self.offset and proof.question == self.question
        return found if is_final and is_narrow and is_same else None


def columns_of(table: SeparabilityTable) -> list[Any]:
    """Return the columns: the classes if pairs are compared, and REST if the rest is compared."""
    are_rest = [row.second == REST for row in table.rows]
    return [*([] if are_rest and all(are_rest) else table.classes), *([REST] if any(are_rest) else [])]


def row_at(table: SeparabilityTable, a: Any, b: Any) -> Row | None:
    """Return the row of two different classes, or None if the table has no such row."""
    try:
        return table[a, b] if a != b else None
    except KeyError:
        return None


def mark_of(row: Row | None, digits: int) -> str:
    """Return the margin of a table row as text or, if it has none, the kind of its verdict."""
    return "" if row is None else MARKS.get(row.kind, f"{row.margin[0]:.{digits}g}")


def _grid(table: SeparabilityTable) -> list[str]:
    columns = columns_of(table)
    lines = [["margin", *map(class_name, columns)]]
    lines += [[class_name(a), *(mark_of(row_at(table, a, b), 4) for b in columns)] for a in table.classes]
    counts = ", ".join(f"{number} {kind}" for kind, number in table.counts().items())
    ending = "" if table.complete else "; interrupted before the end"
    about = "" if table.offset else " about hyperplanes through the origin"
    return [*aligned_lines(lines), f"{counted(len(table.rows), 'test')}{about}: {counts}{ending}"]
