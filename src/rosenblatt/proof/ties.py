"""If a score of 0 counts as a prediction, some w may make no mistake although no hyperplane separates.

Suppose a score of 0 predicts class A. Then w makes no mistake if its functional margin y(w·x) is ≥ 0 on all
rows of A and > 0 on all other rows. With an offset, b can be moved slightly towards A so that (w, b)
separates the classes, so such a w exists only for separable classes. Without an offset, rows that sum to
zero have functional margin 0 under every such w. So if one of these rows is not of class A, no such w
exists. If every combination with sum zero has rows of A only, such a w exists (Motzkin 1936).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.row_batches import Batch, take
from rosenblatt.proof import faces
from rosenblatt.proof.clock import Clock
from rosenblatt.proof.clouds import column_exponents
from rosenblatt.proof.parts import Gordan, Overlap
from rosenblatt.proof.verify import separated_rows


def common_label(labels: NDArray[np.int8]) -> int | None:
    """Return the label that all rows have, or None if their labels differ."""
    return int(labels[0]) if (labels == labels[0]).all() else None


def weakly_separable(batch: Batch, gordan: Gordan, kind: faces.Kind, clock: Clock) -> bool:
    """Return whether some w makes no mistake if a score of 0 predicts the class of the rows in `gordan`.

    Such a w has functional margin ≥ 0 on that class and > 0 on the other. The hyperplane of a
    quasi-separation gives the rows off it a functional margin > 0. The question is repeated for the rows on
    the hyperplane, until no row of the other class is left (True) or the remaining rows overlap, so that
    all their functional margins are 0 (False).
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
            kind = faces.overlap_or_not(batch, False, column_exponents(batch), gordan, clock).kind
    return True
