"""One-against-the-rest learning in which each row is predicted before the classifiers learn from it."""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.decide import FINE
from rosenblatt.loops.shared import mark_candidates, score_candidates, sure_gap
from rosenblatt.loops.together import longest_of, walk_rows
from rosenblatt.numeric.compiling import jit
from rosenblatt.numeric.next_row import Given, looks, row_at
from rosenblatt.numeric.panels import width


@jit
def answer_and_walk(
    rows, targets, importance, balance, order, offset, tie, rule, memory, is_fixed, panel, screen,
    looks_before, wrong,
):  # fmt: skip
    """Run `together.walk_rows`, and predict each row before learning from it.

    wrong[0] counts the misclassified rows. The predicted class is the one with the largest score; ties go
    to the first.
    """
    n = panel.clocks.size
    scores = np.empty(width(rows, panel.screen), panel.screen.dtype)
    sums, doubts, candidates = np.empty(n), np.empty(n), np.empty(n, np.bool_)
    for look in range(looks(order)):
        i = row_at(order, look)
        own = targets.numbers[i]
        longest = longest_of(panel.clocks)
        if mark_candidates(rows, i, own, offset, 0.0, panel, screen, longest, scores, candidates) > 0:
            wrong[0] += _is_behind(rows, i, own, offset, panel, candidates, sums, doubts)
        status, row = walk_rows(
            rows, targets, importance, balance, Given(i, i + 1), offset, tie, rule, memory, is_fixed, panel,
            screen, looks_before + look,
        )  # fmt: skip
        if status != FINE:
            return status, row
    return FINE, -1


@jit
def _is_behind(rows, i, own, offset, panel, candidates, sums, doubts):
    """Return whether another candidate class beats class `own` on row i.

    The result is False if the row cannot be scored; the learning loop reports this error.
    """
    status, _ = score_candidates(rows, i, own, offset, panel, candidates, sums, doubts)
    uncounted = np.zeros(1, np.int64)  # exact sums for predictions alone: no update depends on them
    for r in range(candidates.size):
        if status == FINE and candidates[r]:
            lead = sure_gap(rows, i, offset, panel.weights, own, r, 0.0, sums, doubts, uncounted)
            if lead < 0 or (lead == 0 and r < own):
                return True
    return False
