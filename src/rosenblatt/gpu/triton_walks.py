"""The steps of `loops.blocked` on a CUDA device: one program per classifier jumps from update to update.

It supports rules whose coefficient does not depend on the score. It is written in Triton, which comes with
torch's builds for CUDA; this file is imported only if there is a device. If the host has decided the first
row, the decision is passed as one of the codes of `loops.blocked.FREE`.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from rosenblatt.gpu.block_walks import HEAD


@triton.jit
def _decide(s, y, tau, doubt, rounding):
    """Return (mistake, acts, sure) as `torch_decisions.decide` does."""
    agreement = y * s
    mistake = agreement < 0.0
    acts = mistake | ((tau > 0.0) & (agreement <= tau))
    far = (tau == 0.0) | (rounding == 0.0) | (tl.abs(agreement - tau) > doubt + rounding * tau)
    return mistake, acts, (tl.abs(s) > doubt) & far


@triton.jit
def _walk(  # type: ignore[no-untyped-def]
    scores, gram, place, across, stride, labels, roots, importance, start, settled, mass, terms,
    parameters, result, n, SIZE: tl.constexpr, WEIGHTED: tl.constexpr,
):  # fmt: skip
    column = tl.program_id(0)
    # a float argument would arrive in single precision
    error, rounding, underflow = tl.load(parameters), tl.load(parameters + 1), tl.load(parameters + 2)
    rate = tl.load(parameters + 3)
    j = tl.arange(0, SIZE)
    inside = j < n
    s = tl.load(scores + column * n + j, mask=inside, other=0.0)
    y = tl.load(labels + column * n + j, mask=inside, other=1).to(tl.float64)
    root = tl.load(roots + j, mask=inside, other=0.0)
    column_of = tl.load(across + j, mask=inside, other=0)
    tau = tl.where(y > 0.0, tl.load(parameters + 4), tl.load(parameters + 5))
    at = tl.load(start + column)
    first = tl.load(settled + column)
    heavy = tl.load(mass + column)
    long = tl.load(terms + column)
    made = at * 0
    mistakes = at * 0
    false_positives = at * 0
    status = at * 0
    while (at < n) & (status == 0):
        doubt = (error + (long + n + 8) * rounding) * heavy * root + underflow
        is_settled = (j == at) & (first > 0)
        mistake, acts, sure = _decide(s, y, tau, doubt, rounding)
        unsure = (sure == 0) & (is_settled == 0)
        stops = (unsure | acts | is_settled) & (j >= at) & inside
        # one reduction finds the row and the known decision about it
        code = j * 4 + unsure.to(tl.int32) + 2 * mistake.to(tl.int32)
        found = tl.min(tl.where(stops, code, SIZE * 4), axis=0)
        i, in_doubt, wrong = found // 4, found % 2, (found // 2) % 2
        is_row = i < n
        known = tl.where(i == at, first, 0)
        made_at = tl.load(place + i, mask=is_row, other=0)
        lacks = (i < n - 1) & (in_doubt == 0) & (known != 3) & (made_at < 0)
        decided = is_row & (in_doubt == 0) & (lacks == 0)
        is_mistake = tl.where(known > 0, known == 1, wrong == 1) & decided
        label = tl.load(labels + column * n + i, mask=is_row, other=1).to(tl.float64)
        mistakes += is_mistake.to(tl.int32)
        false_positives += (is_mistake & (label < 0.0)).to(tl.int32)
        updates = decided & (known != 3)
        change = rate * label
        if WEIGHTED:
            change *= tl.load(importance + i, mask=is_row, other=0.0)
        later = inside & (j > i) & updates
        row = tl.load(gram + made_at.to(tl.int64) * stride + column_of, mask=later, other=0.0)
        s += tl.where(later, change * row, 0.0)
        tl.store(result + column * (n + 5) + 5 + made, i, mask=updates)
        made += updates.to(tl.int32)
        long += tl.where(updates, 2.0, 0.0)
        heavy += tl.where(updates, tl.abs(change) * tl.load(roots + i, mask=is_row, other=0.0), 0.0)
        status = in_doubt + 2 * lacks.to(tl.int32)
        at = tl.where(is_row, tl.where(status > 0, i, i + 1), n)
        first = first * 0
    tl.store(scores + column * n + j, s, mask=inside)
    tl.store(mass + column, heavy)
    tl.store(terms + column, long)
    tl.store(result + column * (n + 5), status)
    tl.store(result + column * (n + 5) + 1, at)
    tl.store(result + column * (n + 5) + 2, made)
    tl.store(result + column * (n + 5) + 3, mistakes)
    tl.store(result + column * (n + 5) + 4, false_positives)


def walk_on_device(
    scores: Any, gram: Any, place: Any, across: Any, labels: Any, roots: Any, importance: Any, start: Any,
    settled: Any, mass: Any, terms: Any, parameters: Any,
) -> Any:  # fmt: skip
    """Visit rows with every classifier from its `start`, jumping from update to update.

    The function updates `scores` (classifiers × rows), `mass` and `terms`. gram[place[i], across[j]] is K +
    offset between rows i and j of the block; place[i] is −1 if it has not been computed. `parameters` holds
    error, rounding, underflow, rate, tau of positive rows, tau of negative rows. Return for each classifier
    its status, the row at which it stopped, the numbers of updates, mistakes and false positives, and the
    rows of the updates.
    """
    columns, n = scores.shape
    result = torch.empty((columns, n + HEAD), dtype=torch.int32, device=scores.device)
    size = max(128, triton.next_power_of_2(n))
    _walk[(columns,)](
        scores, gram, place, across, gram.stride(0), labels, roots,
        importance if importance is not None else roots, start, settled, mass, terms, parameters, result, n,
        SIZE=size, WEIGHTED=importance is not None,
        num_warps=min(32, max(4, size // 128)),
    )  # fmt: skip
    return result


@triton.jit
def _write(  # type: ignore[no-untyped-def]
    weights, correction, rows, result, labels, importance, looks, parameters, n, width, SIZE: tl.constexpr,
    WEIGHTED: tl.constexpr, AVERAGED: tl.constexpr,
):  # fmt: skip
    column = tl.program_id(0)
    j = tl.program_id(1) * SIZE + tl.arange(0, SIZE)
    inside = j < width
    rate = tl.load(parameters + 3)
    place = column.to(tl.int64) * width + j
    w = tl.load(weights + place, mask=inside, other=0.0)
    before = tl.load(looks + column)
    if AVERAGED:
        u = tl.load(correction + place, mask=inside, other=0.0)
    made = tl.load(result + column * (n + 5) + 2)
    for k in range(made):
        i = tl.load(result + column * (n + 5) + 5 + k)
        change = rate * tl.load(labels + column * n + i).to(tl.float64)
        if WEIGHTED:
            change *= tl.load(importance + i)
        x = tl.load(rows + i.to(tl.int64) * width + j, mask=inside, other=0.0)
        w = w + change * x
        if AVERAGED:
            u = u + (change * (before + i.to(tl.float64))) * x
    tl.store(weights + place, w, mask=inside)
    if AVERAGED:
        tl.store(correction + place, u, mask=inside)


def write_on_device(
    weights: Any,
    correction: Any,
    rows: Any,
    result: Any,
    labels: Any,
    importance: Any,
    looks: Any,
    parameters: Any,
) -> None:
    """Apply the updates that `walk_on_device` found, in order; accumulate the correction of the mean.

    w̃ ← w̃ + delta·x̃ and, if a mean is kept, correction ← correction + delta·(steps before)·x̃. Products
    are rounded before they are added.
    """
    columns, width = weights.shape
    n = rows.shape[0]
    size = 256
    _write[(columns, triton.cdiv(width, size))](
        weights, correction if correction is not None else weights, rows, result, labels,
        importance if importance is not None else parameters, looks, parameters, n, width, SIZE=size,
        WEIGHTED=importance is not None, AVERAGED=correction is not None,
        num_warps=4, enable_fp_fusion=False,
    )  # fmt: skip
