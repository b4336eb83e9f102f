"""The learning loop that also records for each row whether it was a mistake."""

from __future__ import annotations

from rosenblatt.loops.decide import FINE
from rosenblatt.loops.walk import walk
from rosenblatt.numeric.compiling import jit
from rosenblatt.numeric.next_row import Given

RIGHT, WRONG, NOT_LEARNED = 0, 1, 2


@jit
def walk_one_by_one(rows, labels, importance, offset, tie, rule, memory, keeper, weights, tally, outcomes):
    """Call `walk` for one row at a time; the resulting weights are the same, bit for bit.

    outcomes[i] becomes RIGHT or WRONG. It becomes NOT_LEARNED if the score of row i cannot be computed;
    such a row is skipped. Return the memory of the rule.
    """
    for i in range(labels.size):
        memory, status, _, mistakes = walk(
            rows, labels, importance, Given(i, i + 1), offset, tie, rule, memory, keeper, weights, tally
        )
        outcomes[i] = NOT_LEARNED if status != FINE else WRONG if mistakes else RIGHT
    return memory
