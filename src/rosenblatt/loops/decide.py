"""Exact decisions about mistakes.

If the sign of the fast score is certain (|s| exceeds the bound on its rounding error), the fast score
decides. Otherwise (including NaN and infinity), the sum is computed again without rounding. So the decision
does not depend on the order of summation, on FMA, on blocks or on the machine. This applies Shewchuk's
adaptive predicates (1997) to learning.

All loops use these functions. `is_mistake` and `acts_on` take the score of one classifier.
`is_shared_mistake` takes the lead of a class over its rivals, for classes that share their mistakes.
`rules_out` and `is_clear_mistake` take a fast score and its error bound. The same decisions for a device
are in `gpu.torch_decisions` (torch) and `gpu.triton_walks` (Triton).
"""

from __future__ import annotations

import math

import numpy as np

from rosenblatt.numeric import dense, sparse, update_directions  # noqa: F401  (they register what rows can do)
from rosenblatt.numeric.compiling import inline, jit, part
from rosenblatt.numeric.exact import LIMBS, SMALLEST, add_product, clear, round_total, sign
from rosenblatt.numeric.rows import add_exactly, is_finite, meets_finite, score
from rosenblatt.rules.rule_hooks import length2, threshold

FINE, ROW_NOT_FINITE, WEIGHTS_OVERFLOWED, NEEDS_SUMS = 0, 1, 2, 3


@part
def sum_exactly(rows, i, weights, offset, total):
    """Return (status, s), where s is the double nearest to w·xᵢ + b and is 0 only if that sum is 0.

    Afterwards `total` holds |w·xᵢ + b|.
    """
    if not is_finite(rows, i):
        return ROW_NOT_FINITE, math.nan
    if not meets_finite(rows, i, weights):
        return WEIGHTS_OVERFLOWED, math.nan
    clear(total)
    add_exactly(rows, i, weights, offset, total)
    return FINE, round_total(total)


@inline
def exact_score(rows, i, weights, offset):
    """Return (status, s) as `sum_exactly` does, with a temporary accumulator."""
    return sum_exactly(rows, i, weights, offset, np.empty(LIMBS, np.int64))


@jit
def exact_mean(rows, i, parts, c, looks, offset):
    """Return (status, s), where the score s by the mean weights has the exact sign; 0 stays 0.

    The mean is the sum of parts[0][c], parts[1][c], …, which need not fit in doubles, divided by `looks`; s
    is rounded twice. If `parts` is empty, the status NEEDS_SUMS requests them from the caller.
    """
    if parts.shape[0] == 0:
        return NEEDS_SUMS, math.nan
    if not is_finite(rows, i):
        return ROW_NOT_FINITE, math.nan
    total = np.zeros(LIMBS, np.int64)
    for p in range(parts.shape[0]):
        if not meets_finite(rows, i, parts[p, c]):
            return WEIGHTS_OVERFLOWED, math.nan
        add_exactly(rows, i, parts[p, c], offset, total)
    s = round_total(total)
    mean = s / looks
    return FINE, math.copysign(SMALLEST, s) if mean == 0.0 and s != 0.0 else mean


@inline
def is_mistake(s, label, tie):
    """Return whether predicting the sign of s is a mistake for `label`; a score of 0 predicts `tie`."""
    return (s > 0.0) != (label > 0.0) if s != 0.0 else label != tie


@inline
def acts_on(mistake, agreement, tau):
    """Return whether a rule with threshold tau updates: on a mistake, or if agreement ≤ tau and tau > 0."""
    return mistake or (tau > 0.0 and agreement <= tau)


@inline
def is_sure(s, agreement, tau, doubt, rounding):
    """Return whether an error up to `doubt` cannot change the sign of s or its side of tau."""
    return abs(s) > doubt and (tau == 0.0 or abs(agreement - tau) > doubt + rounding * tau)


@inline
def rules_out(agreement, tau, doubt):
    """Return whether a fast functional margin with an error up to `doubt` rules out an update."""
    return agreement > tau + doubt


@inline
def is_clear_mistake(agreement, doubt):
    """Return whether a fast functional margin with an error up to `doubt` is a mistake for every `tie`."""
    return agreement < -doubt


@inline
def is_shared_mistake(ahead):
    """Return whether the row is a mistake; `ahead` is 1 if its class leads all rivals, else 0 or −1."""
    return ahead <= 0


@jit
def find_mistakes(scores, labels, tie, out):
    """Write to out[k] whether score k is a mistake."""
    for k in range(scores.size):
        out[k] = is_mistake(scores[k], np.float64(labels[k]), tie)


@part
def in_doubt(rows, i, label, offset, tie, tau, weights, scale):
    """Return the exact decision (status, s, mistake, acts) for a row whose fast score is uncertain."""
    total = np.empty(LIMBS, np.int64)
    status, s = sum_exactly(rows, i, weights, offset, total)
    mistake = is_mistake(s, label, tie)
    acts = mistake
    if status == FINE and tau > 0.0 and not mistake:
        if scale == 1.0:  # without a mistake the functional margin is the absolute value of the sum
            add_product(total, -1.0, tau)
            acts = sign(total) <= 0
        else:  # a rule that shrinks has a real coefficient, which is continuous at its threshold
            acts = acts_on(mistake, scale * label * s, tau)
    return status, s, mistake, acts


@inline
def fast_decision(rows, i, label, offset, rule, memory, weights, scale, norm2):
    """Return (s, ‖x̃ᵢ‖², tau, acts, sure) from the fast score s of v on row i.

    `sure` states whether s is certainly on one side of 0 and of the rule's threshold.
    """
    s, x2, doubt2 = score(rows, i, weights, offset, norm2)
    tau = threshold(rule, memory, label, length2(rule, memory, rows, i, offset, x2))
    excess = scale * label * s - tau
    sure = s * s > doubt2 and (tau == 0.0 or excess * excess > scale * scale * doubt2)
    return s, x2, tau, excess < 0.0, sure


@jit
def sure_score(rows, i, weights, offset, norm2):
    """Return (status, s, exact), where s ≈ w·xᵢ + b has the correct sign.

    If the sign of the fast score is uncertain, s is the double nearest to the exact sum and `exact` is 1.
    """
    s, _, doubt2 = score(rows, i, weights, offset, norm2)
    if s * s > doubt2:
        return FINE, s, 0
    status, s = exact_score(rows, i, weights, offset)
    return status, s, 1
