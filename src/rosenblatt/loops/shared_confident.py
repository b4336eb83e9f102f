"""Confidence-weighted learning for classes that share each mistake, with a variance for each weight.

Let W = (w_1, …, w_k) be one vector of all weights. For a row x of class y, let the top rival r be the other
class with the largest score. In Kesler's construction (see `loops.shared`) the row becomes the point Ψ =
Φ(x, y) − Φ(x, r), which is always positive. With a diagonal Σ, which holds a variance for each class and
feature, the rules for two classes need only:

    m = W·Ψ = w_y·x − w_r·x,  v = ΨᵀΣΨ = xᵀΣ_y x + xᵀΣ_r x
    w_y ← w_y + α·Σ_y x,  w_r ← w_r − α·Σ_r x,  Σ_c ← diag(Σ_c − β·(Σ_c x)(Σ_c x)ᵀ) for c = y, r

Each row gives one constraint, from its top rival: Crammer, Dredze & Kulesza, "Multi-class confidence
weighted algorithms", EMNLP 2009. Mistakes are decided exactly.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.averaging.averaging_hooks import after_quiet, before_update
from rosenblatt.loops.decide import FINE, is_shared_mistake
from rosenblatt.loops.recorded_updates import note_column, note_update
from rosenblatt.loops.shared import (
    mark_candidates,
    score_candidates,
    score_classes,
    sure_gap,
    weigh_shared,
    worst_rival,
)
from rosenblatt.loops.together import longer
from rosenblatt.numeric.compiling import jit
from rosenblatt.numeric.next_row import fetch_ahead, looks, row_at
from rosenblatt.numeric.panels import column, refresh, width
from rosenblatt.numeric.rows import add, along
from rosenblatt.numeric.update_directions import Weighed
from rosenblatt.rules.covariance_memory import Variances, spread, tighten
from rosenblatt.rules.rule_hooks import threshold, weighed_step


class Rivals(NamedTuple):
    """Represent ΣΨ of a row: class `own` gains Σ_y x, and class `rival` loses Σ_r x."""

    rows: Any
    own: int
    rival: int
    variance: NDArray[np.float64]
    beta: float


@note_update.of(Rivals)
def _(stride, keeper, i, coefficient, shrink):
    note_column(keeper, i, stride.own, coefficient, stride.beta, shrink)
    note_column(keeper, i, stride.rival, -coefficient, stride.beta, shrink)


@add.of(Rivals)
def _(rows, i, coefficient, offset, target):
    own, rival, x = rows.own, rows.rival, rows.rows
    add(Weighed(x, rows.variance[own]), i, coefficient, offset, column(x, target, own))
    add(Weighed(x, rows.variance[rival]), i, -coefficient, offset, column(x, target, rival))


@jit
def walk_confident(
    rows, numbers, importance, order, offset, rule, phi, variance, keeper, panel, screen, flat_weights
):
    """Visit the rows of `order`, one after another, and learn.

    variance[c, j] belongs to feature j of class c and is at most 1. The other arguments are as in
    `loops.shared.walk_shared`. Return (status, row at which the loop stopped).
    """
    n = panel.clocks.size
    scores = np.empty(width(rows, panel.screen), panel.screen.dtype)
    sums, doubts, exact = np.empty(n), np.empty(n), np.zeros(1, np.int64)
    candidates = np.empty(n, np.bool_)
    longest = math.sqrt(panel.clocks["length2"].max())
    quiet = 0
    for look in range(looks(order)):
        fetch_ahead(order, look, rows)
        i = row_at(order, look)
        own = numbers[i]

        # who may be a rival: no variance is above 1, so that v is at most 2‖x̃‖²
        root, off = score_classes(rows, i, offset, panel, screen, longest, scores)
        tau = threshold(rule, Variances(variance[own], 0.0, phi), 1.0, 2.0 * root * root)
        if mark_candidates(scores, own, tau, off, candidates) == 0:
            quiet += 1
            continue

        # dot and decision
        status, x2 = score_candidates(rows, i, own, offset, panel, candidates, sums, doubts)
        if status != FINE:
            return status, i
        rival = worst_rival(rows, i, offset, panel.weights, sums, doubts, candidates, exact)
        ahead = sure_gap(rows, i, offset, panel.weights, own, rival, 0.0, sums, doubts, exact)
        mistake = is_shared_mistake(ahead)
        if mistake:
            panel.clocks[own]["mistakes"] += 1
            panel.clocks[rival]["false_positives"] += 1
        memory = Variances(variance[own], 0.0, phi)
        rivals = Variances(variance[rival], 0.0, phi)
        v = spread(memory, rows, i, offset) + spread(rivals, rows, i, offset)
        tau = threshold(rule, memory, 1.0, v)
        if not mistake and tau > 0.0:
            ahead = sure_gap(rows, i, offset, panel.weights, own, rival, tau, sums, doubts, exact)
        if not is_shared_mistake(ahead):
            quiet += 1
            continue

        # scalar
        weight = importance[i] if importance.size > 0 else 1.0
        coefficient, _, memory = weighed_step(rule, memory, sums[own] - sums[rival], v, 0.0, weight)
        if coefficient == 0.0:
            quiet += 1
            continue
        if after_quiet(keeper, quiet):
            weigh_shared(keeper, rows, numbers, importance, offset, panel, screen, flat_weights)
        quiet = 0

        # axpy, then Σ
        for c, delta in ((own, coefficient), (rival, -coefficient)):
            clock = panel.clocks[c]
            met, p2 = along(
                Weighed(rows, variance[c]), i, offset, column(rows, panel.weights, c), sums[c], x2
            )
            clock["length2"] = longer(clock["length2"], delta, met, p2)
            longest = max(longest, math.sqrt(clock["length2"]))
        step = Rivals(rows, own, rival, variance, memory.beta)
        before_update(keeper, step, i, coefficient, 1.0, offset, 1.0)
        add(step, i, coefficient, offset, panel.weights)
        tighten(memory, rows, i, offset)
        tighten(Variances(variance[rival], memory.beta, phi), rows, i, offset)
        panel.clocks[own]["updates"] += 1
        if panel.screen.itemsize != panel.weights.itemsize:
            refresh(rows, i, own, panel.weights, panel.screen)
            refresh(rows, i, rival, panel.weights, panel.screen)
    if after_quiet(keeper, quiet):
        weigh_shared(keeper, rows, numbers, importance, offset, panel, screen, flat_weights)
    panel.clocks[0]["exact_decisions"] += exact[0]
    return FINE, -1
