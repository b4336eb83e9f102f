"""Find a few rows whose removal makes two classes separable, with proofs (`rows_to_remove`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import counted
from rosenblatt.proof.clock import Clock, run_to_limit
from rosenblatt.proof.findings import as_floats, check_offset, label_in_memory
from rosenblatt.proof.parts import Gordan, RestSeparator, Separator, contradiction
from rosenblatt.proof.proof import Proof
from rosenblatt.proof.proved_facts import removal_sentence
from rosenblatt.proof.removal_search import RemovalSearch
from rosenblatt.proof.verdict import RowNames, ended_sentence, full_stop, through_origin
from rosenblatt.training.progress import Progress

MOST_NAMED = 200  # rows that a report names


@dataclass(frozen=True)
class Removal:
    """Name rows whose removal makes the classes separable, and state how many must be removed.

    Parameters
    ----------
    rows : ndarray of int64
        The rows to remove, in order.
    least : int
        A proved lower bound: no smaller number of rows suffices.
    hyperplane : tuple of (ndarray, float)
        (w, b) with all other rows strictly on their side.
    conflicts : tuple of ndarray
        Sets of rows without a common row, each proved inseparable; one row of each must be removed.
    contradictions : tuple of (int, int)
        The conflicts that are two equal rows with different labels.
    proof : Proof
        The proof of both bounds.
    seconds : float
        The duration of the search in seconds.
    ended : str
        Why the search ended: "proved" (fewer rows do not suffice), "searched" (it found neither fewer rows
        nor a larger lower bound), "time" or "interrupted".

    Examples
    --------
    >>> found = rows_to_remove([[1.0], [2.0], [3.0], [8.0], [9.0], [1.5]], [0, 0, 0, 1, 1, 1])
    >>> found.rows, found.least, found.exact
    (array([5]), 1, True)
    """

    rows: NDArray[np.int64]
    least: int
    hyperplane: tuple[NDArray[np.float64], float]
    conflicts: tuple[NDArray[np.int64], ...]
    contradictions: tuple[tuple[int, int], ...]
    proof: Proof
    seconds: float
    ended: str

    @property
    def exact(self) -> bool:
        """Whether no smaller number of rows suffices (proved)."""
        return self.least == len(self.rows)

    def __repr__(self) -> str:
        return f"<Removal of {counted(len(self.rows), 'row')}, at least {self.least}>"

    def __str__(self) -> str:
        return self.in_words()

    def in_words(self, rows: RowNames = RowNames()) -> str:  # noqa: B008
        """Return the report as text.

        Parameters
        ----------
        rows : RowNames
            How rows are named; by default by their numbers from 0.

        Returns
        -------
        str
            The sentences, one per line.
        """
        place = through_origin(self.proof.offset)
        if not len(self.rows):
            return f"A hyperplane{place} separates the classes (proved); no row must be removed."
        n, named = len(self.rows), rows.row_list(self.rows, MOST_NAMED)
        suffice = "This row suffices" if n == 1 else "These rows suffice"
        lines = [
            f"{removal_sentence(self.least, n, place)} (proved).",
            f"{full_stop(f'{suffice}: {named}')} {rows.said}",
        ]
        if self.least > 1:
            lines.append(
                f"At least {self.least:,}: the proof has {self.least:,} sets of rows, with no row in "
                f"two sets, and no hyperplane{place} separates the rows of any set."
            )
        if self.contradictions:
            lines.append(f"For example: {rows.equal(self.contradictions[0])}")
        if self.ended in ("time", "interrupted"):
            lines.append(ended_sentence(self.ended))
        return "\n".join(lines)


def rows_to_remove(
    X: Any,
    y: ArrayLike,
    offset: bool = True,
    time_limit: float | None = None,
    progress: bool | None = None,
) -> Removal:
    """Find a few rows whose removal makes two classes separable; prove how many must be removed.

    The rows that no good hyperplane fits are often mislabelled. Finding the smallest number of rows is
    NP-hard, so the result is a proved interval for this number. Its ends are often equal if the number is
    small.

    Parameters
    ----------
    X : array-like, sparse matrix or table
        The rows.
    y : array-like of shape (n_rows,)
        Their labels, of two classes (or one).
    offset : bool, default=True
        Whether hyperplanes w·x + b = 0 have an offset b; without one, they contain the origin.
    time_limit : float or None, default=None
        The time limit in seconds, after which the best rows and the bound found so far are returned. Ctrl-C
        has the same effect.
    progress : bool or None, default=None
        None shows progress on a terminal after two seconds; True always; False never.

    Returns
    -------
    Removal
        The rows and the lower bound with their proof; prints as a report.

    Raises
    ------
    BadInput
        If there are more than two classes, or the data cannot be used.

    Examples
    --------
    >>> X = [[0, 0], [0, 1], [1, 0], [4, 4], [4, 5], [5, 4], [0.3, 0.3]]
    >>> print(rows_to_remove(X, [0, 0, 0, 1, 1, 1, 1]))
    A hyperplane separates the data without 1 of the rows; no smaller number suffices (proved).
    This row suffices: 6. Rows are counted from 0.
    """
    check_offset(offset)
    rows = label_in_memory(X, y)
    search = RemovalSearch(rows, bool(offset))
    with Progress(progress, None, "steps") as bar:
        clock = Clock(time_limit, bar)
        ended = run_to_limit(lambda: search.run(clock))
    parts = search.parts()
    proof = Proof(
        bool(offset), rows.n_rows, rows.n_features, rows.classes, search.findings.overview.digest, parts
    )
    last = parts[-1]
    assert isinstance(last, (Separator, RestSeparator))
    removed = last.rows if isinstance(last, RestSeparator) else ()
    conflicts = [part for part in parts if isinstance(part, Gordan)]
    equal = [contradiction(part, rows.batch.labels[list(part.rows)]) for part in conflicts]
    return Removal(
        rows=np.array(removed, np.int64),
        least=len(conflicts),
        hyperplane=as_floats(last.w, last.b),
        conflicts=tuple(np.array(sorted(part.rows), np.int64) for part in conflicts),
        contradictions=tuple(pair for pair in equal if pair is not None),
        proof=proof,
        seconds=clock.seconds_elapsed,
        ended="proved" if len(conflicts) == len(removed) else ended,
    )
