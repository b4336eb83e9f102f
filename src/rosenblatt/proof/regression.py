"""`overlap`: does a logistic regression on these data have a finite estimate?

Maximum likelihood has one if and only if the classes overlap (Albert and Anderson 1984): if some direction
has no point on the wrong side and one off its hyperplane, going that way for ever only gains likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.arithmetic.examples import column_names
from rosenblatt.errors import counted, plural
from rosenblatt.proof.proof import Proof
from rosenblatt.proof.separating import separate
from rosenblatt.proof.verdict import RowNames, full_stop, regression_name, through_origin


@dataclass(frozen=True)
class Overlapping:
    """Whether the classes overlap, and if not, where.

    finite: True (a logistic regression has a finite estimate), False, or None where it is not decided; of a
    proof without an offset, the regression has no intercept and hyperplanes go through the origin.
    kind: as in `Verdict`. direction: (w, b) with no row on the wrong side. rows: those it has off its
    hyperplane, which the regression would fit with probability 1. features: the columns with a weight in
    the direction, whose coefficients grow for ever along it (another direction may have others).
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
        off = f"{len(self.rows):,} of {self.proof.n_rows:,} rows"
        return (
            f"The classes are {how} separated{by}: {regression} has no finite estimate (proved).\n"
            f"{full_stop(f'{off} are off the hyperplane, on their side: {RowNames().listed(self.rows)}')} "
            f"{RowNames().said}\n"
            f"Coefficients that grow without limit in this direction: {self._growing()}."
        )

    def _growing(self) -> str:
        """The coefficients with a weight in the direction, in words."""
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
    """Whether two classes overlap, so that a logistic regression has a finite estimate.

    offset: whether the regression has an intercept.

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
