"""Determine, with a proof, whether a logistic regression has a finite estimate (`overlap`).

The maximum likelihood estimate is finite if and only if the classes overlap (Albert and Anderson 1984). If
some direction has no point on the wrong side and at least one point off its hyperplane, then moving the
weights along this direction always increases the likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import counted, plural
from rosenblatt.numeric.row_batches import column_names
from rosenblatt.proof.proof import Proof
from rosenblatt.proof.separation import separate
from rosenblatt.proof.verdict import RowNames, full_stop, regression_name, through_origin


@dataclass(frozen=True)
class Overlapping:
    """State whether the classes overlap and, if not, a direction along which coefficients grow.

    Without an offset, the regression has no intercept and hyperplanes go through the origin.

    Parameters
    ----------
    finite : bool or None
        Whether a logistic regression has a finite estimate; None if undecided.
    kind : str
        As in `Verdict`.
    direction : tuple of (ndarray, float) or None
        (w, b) with no row on the wrong side.
    rows : ndarray of int64
        The rows off the hyperplane of the direction; the probabilities that the regression predicts for
        their labels approach 1.
    features : tuple
        The columns with a nonzero weight in the direction: their coefficients grow without limit. Other
        directions may involve other columns.
    proof : Proof
        The proof.

    Examples
    --------
    >>> overlap([[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1]).finite
    False
    """

    finite: bool | None
    kind: str
    direction: tuple[NDArray[np.float64], float] | None
    rows: NDArray[np.int64]
    features: tuple[Any, ...]
    proof: Proof

    def __repr__(self) -> str:
        return f"<Overlapping: {self.kind}, {counted(len(self.rows), 'row')} separated>"

    def __str__(self) -> str:
        offset = self.proof.offset
        hyperplane, regression = f"a hyperplane{through_origin(offset)}", f"a {regression_name(offset)}"
        if self.finite:
            overlap = (
                "The classes overlap"
                if offset
                else f"Every {hyperplane[2:]} has a row on the wrong side, unless all rows lie on it"
            )
            return f"{overlap}: {regression} has a finite estimate (proved)."
        if self.finite is None:
            known = "cannot be separated" if self.kind == "not separable" else "may or may not be separable"
            return f"Not decided within the time limit: the classes {known} by {hyperplane}."
        how = "completely" if self.kind == "separable" else "partly"
        by = "" if offset else f" by {hyperplane}"
        are_off = (
            "is off the hyperplane, on its side"
            if len(self.rows) == 1
            else "are off the hyperplane, on their side"
        )
        off = f"{len(self.rows):,} of {counted(self.proof.n_rows, 'row')} {are_off}"
        return (
            f"The classes are {how} separated{by}: {regression} has no finite estimate (proved).\n"
            f"{full_stop(f'{off}: {RowNames().row_list(self.rows)}')} "
            f"{RowNames().said}\n"
            f"Coefficients that grow without limit in this direction: {self._growing()}."
        )

    def _growing(self) -> str:
        """Return text that names the coefficients that grow without limit."""
        assert self.direction is not None
        shown = ", ".join(str(name) for name in self.features[:8]) + ", …" * (len(self.features) > 8)
        n = len(self.features)
        named = f"{counted(n, 'coefficient')} ({plural(n, 'feature')} {shown})" if n else ""
        intercept = "the intercept" if self.direction[1] else ""
        return " and ".join(part for part in (named, intercept) if part)


def overlap(
    X: Any,
    y: ArrayLike,
    offset: bool = True,
    time_limit: float | None = None,
    progress: bool | None = None,
) -> Overlapping:
    """Determine, with a proof, whether a logistic regression on two classes has a finite estimate.

    Parameters
    ----------
    X : array-like, sparse matrix or table of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,)
        Their labels, of two classes.
    offset : bool, default=True
        Whether the regression has an intercept.
    time_limit : float or None, default=None
        The time limit in seconds.
    progress : bool or None, default=None
        None shows progress on a terminal after two seconds; True always; False never.

    Returns
    -------
    Overlapping
        The facts with their proof; prints as a report.

    Raises
    ------
    BadInput
        If there are more than two classes, or the data cannot be used.

    References
    ----------
    Albert & Anderson, Biometrika 71 (1984).

    Examples
    --------
    >>> dose, died = [[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> print(overlap(dose, died))
    The classes are partly separated: a logistic regression has no finite estimate (proved).
    2 of 4 rows are off the hyperplane, on their side: 0, 3. Rows are counted from 0.
    Coefficients that grow without limit in this direction: 1 coefficient (feature 0) and the intercept.
    """
    verdict = separate(X, y, offset, time_limit, tolerance=0.99, progress=progress)
    finite = {"overlapping": True, "separable": False, "quasi-separable": False}.get(verdict.kind)
    direction = verdict.hyperplane if verdict.separable else verdict.direction
    rows = np.arange(verdict.proof.n_rows) if verdict.separable else verdict.separated
    names = column_names(X)
    moving = [] if direction is None else np.flatnonzero(direction[0]).tolist()
    features = tuple(names[column] if names else column for column in moving)
    return Overlapping(finite, verdict.kind, direction, rows, features, verdict.proof)
