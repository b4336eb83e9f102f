"""If a score of 0 is a prediction, some w may make no mistake although nothing separates.

Suppose 0 predicts the class A. Then w makes no mistake if the rows of A have functional margin y(w·x) ≥
0, and all others > 0. With an offset b can be moved a little towards A, and (w, b) separates, so there is
nothing to decide. Without one, rows that sum to zero have functional margin 0 under every such w. If one
of them is not of A there is no such w; if no combination with sum zero has a row outside of A, there is
one (Motzkin 1936).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.examples import Batch, take
from rosenblatt.proof import faces
from rosenblatt.proof.clock import Clock
from rosenblatt.proof.clouds import column_exponents
from rosenblatt.proof.proof import Gordan, Overlap
from rosenblatt.proof.verify import separated_rows


def common_label(labels: NDArray[np.int8]) -> int | None:
    """Return the label of the rows of a zero combination, if all have the same."""
    return int(labels[0]) if (labels == labels[0]).all() else None


def weakly_separable(batch: Batch, gordan: Gordan, kind: faces.Kind, clock: Clock) -> bool:
    """Return whether some w has functional margin ≥ 0 on the class that sums to zero and > 0 on the other.

    A quasi-separation decides the rows off its hyperplane; for the rows on it the question is repeated,
    until no row of the other class is left or the rest overlaps, with all functional margins 0.
    """
    answered = common_label(batch.labels[list(gordan.rows)])
    while (batch.labels != answered).any():
        if isinstance(kind, Overlap):
            return False
        left = np.setdiff1d(np.arange(batch.n_rows), separated_rows(batch, False, kind))
        places = np.searchsorted(left, gordan.rows)
        batch = Batch(take(batch.rows, left), batch.labels[left], batch.importance)
        gordan = Gordan(tuple(places.tolist()), gordan.weights)
        if (batch.labels != answered).any():
            kind = faces.overlap_or_not(batch, False, column_exponents(batch), gordan, clock)
    return True
