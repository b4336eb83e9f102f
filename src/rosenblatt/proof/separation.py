"""Determine, with a proof, whether a hyperplane separates two classes (`separate`).

Rows in memory are searched all at once (`proof_search`). Other rows are searched with a growing working set
(`working_sets`). `Findings` collects the facts proved about all rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from rosenblatt.errors import BadInput, ProofRejected, bad_value
from rosenblatt.proof.clock import Clock, run_to_limit
from rosenblatt.proof.findings import Findings, check_offset, label_rows
from rosenblatt.proof.labelled_rows import LabelledRows, RowsInMemory
from rosenblatt.proof.parts import Part
from rosenblatt.proof.proof import Proof
from rosenblatt.proof.proof_search import search_rows
from rosenblatt.proof.verdict import Verdict
from rosenblatt.proof.verify import as_proof, verify
from rosenblatt.proof.working_sets import search_working_sets
from rosenblatt.training.progress import Progress


def separate(
    X: Any,
    y: ArrayLike | None = None,
    offset: bool = True,
    time_limit: float | None = None,
    tolerance: float = 1e-2,
    progress: bool | None = None,
    continue_from: Verdict | Proof | str | Path | None = None,
) -> Verdict:
    """Determine, with a proof, whether a hyperplane separates two classes and by what margin.

    Parameters
    ----------
    X : array-like, sparse matrix, table or source
        The rows. Without `y`, a source from `read`, whose rows need not fit into memory (see
        `working_sets`).
    y : array-like of shape (n_rows,), default=None
        Their labels, of two classes (or one).
    offset : bool, default=True
        Whether hyperplanes w·x + b = 0 have an offset b; without one, they contain the origin.
    time_limit : float or None, default=None
        The time limit in seconds, after which the facts proved so far are returned. Ctrl-C has the same
        effect.
    tolerance : float, default=1e-2
        The search ends when the relative width of the interval for the margin is at most this number; 0
        requests the exact margin.
    progress : bool or None, default=None
        None shows progress on a terminal after two seconds; True always; False never.
    continue_from : Verdict, Proof, str, Path or None, default=None
        An earlier verdict about the same rows, for example one that its time limit ended, or its proof or
        the file of its proof. The proof is verified, and the search continues from it.

    Returns
    -------
    Verdict
        The facts with their proof; prints as a report.

    Raises
    ------
    BadInput
        If there are more than two classes, the data cannot be used, or `continue_from` is about other data.

    Examples
    --------
    >>> verdict = separate([[0.0, 0.0], [4.0, 3.0]], ["a", "b"])
    >>> verdict.separable, verdict.margin
    (True, (2.5, 2.5))
    >>> xor = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> print(separate(xor, [0, 1, 1, 0]))
    The classes 0 and 1 cannot be separated by a hyperplane (4 rows of 2 features): they overlap.
    4 rows prove that the convex hulls of the classes intersect, so no hyperplane separates them: 0,
    1, 2, 3. Rows are counted from 0.
    The farthest point is 1.41421 from the origin.
    The perceptron never stops making mistakes on these rows, however a score of 0 is counted.
    A logistic regression on these data has a finite estimate.
    """
    check_tolerance(tolerance)
    check_offset(offset)
    with Progress(progress, None, "steps") as bar:
        clock = Clock(time_limit, bar)
        rows = label_rows(X, y)
        parts = () if continue_from is None else _earlier_parts(continue_from, X, y, bool(offset))
        return decide(rows, bool(offset), float(tolerance), clock, parts)


def _earlier_parts(earlier: Any, X: Any, y: ArrayLike | None, offset: bool) -> tuple[Part, ...]:
    """Return the parts of an earlier verdict after they are verified against these rows."""
    if not isinstance(earlier, (Verdict, Proof, str, Path)):
        raise bad_value("continue_from", earlier, "a verdict that `separate` returned, or its proof")
    try:
        proof = as_proof(earlier)
    except ProofRejected as error:
        raise BadInput(f"continue_from: {error}") from error
    if proof.offset != offset:
        raise BadInput(f"continue_from: its offset is {proof.offset}, not offset={offset}; give the same")
    if proof.question or proof.multinomial:
        raise BadInput("continue_from: a proof about several classes; give those of two classes as y")
    try:
        verify(proof, X, y)
    except ProofRejected as error:
        raise BadInput(f"continue_from: {error}; give the rows of the earlier verdict") from error
    return proof.parts


def check_tolerance(tolerance: Any) -> None:
    """Raise an error unless the tolerance is a relative width of at least 0 and below 1."""
    if not isinstance(tolerance, (int, float)) or not 0.0 <= tolerance < 1.0:
        raise bad_value("tolerance", tolerance, "a relative width of at least 0 and below 1")


def decide(
    rows: LabelledRows, offset: bool, tolerance: float, clock: Clock, parts: tuple[Part, ...] = ()
) -> Verdict:
    """Search until everything is proved, the time limit is reached, or Ctrl-C is pressed.

    The search continues from `parts`, which must be verified.
    """
    findings = Findings(rows, offset)
    findings.adopt(parts)
    search = search_rows if isinstance(rows, RowsInMemory) else search_working_sets
    ended = run_to_limit(lambda: search(findings, tolerance, clock))
    return findings.verdict(clock.seconds_elapsed, "proved" if ended == "searched" else ended)
