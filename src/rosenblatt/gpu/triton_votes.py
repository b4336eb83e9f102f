"""The votes of `loops.blocked` on a CUDA device, for many rows in parallel, some updates at a time.

It is written in Triton, like `triton_walks`, and imported only if there is a device.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

ROWS = 32  # rows per program
STEP = 64  # updates that are summed together, so their loads overlap


@triton.jit
def _count(  # type: ignore[no-untyped-def]
    values, member, delta, survival, slack, roots, parameters, counted, in_doubt, n, updates,
    ROWS: tl.constexpr, STEP: tl.constexpr, IS_EXACT: tl.constexpr,
):  # fmt: skip
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    inside = r < n
    # a float argument would arrive in single precision
    offset, tie, underflow = tl.load(parameters), tl.load(parameters + 1), tl.load(parameters + 2)
    root = tl.load(roots + r, mask=inside, other=0.0)
    running = root * 0.0
    total = running + tl.load(survival) * tie
    unsure = r * 0
    for first in range(0, updates, STEP):
        k = first + tl.arange(0, STEP)
        made = k < updates
        row = tl.load(member + k, mask=made, other=0)
        change = tl.load(delta + k, mask=made, other=0.0)
        lasted = tl.load(survival + 1 + k, mask=made, other=0.0)
        x = tl.load(values + row[:, None] * n + r[None, :], mask=made[:, None] & inside[None, :], other=0.0)
        s = tl.cumsum(change[:, None] * (x + offset), axis=0) + running[None, :]
        running += tl.sum(change[:, None] * (x + offset), axis=0)
        vote = tl.where(s > 0.0, 1.0, tl.where(s < 0.0, -1.0, tie))
        total += tl.sum(vote * lasted[:, None], axis=0)
        if not IS_EXACT:
            doubt = tl.load(slack + k, mask=made, other=-1.0)[:, None] * root[None, :] + underflow
            unsure += tl.sum(((tl.abs(s) <= doubt) & made[:, None]).to(tl.int32), axis=0)
    tl.store(counted + r, total, mask=inside)
    tl.store(in_doubt + r, unsure, mask=inside)


def count_on_device(
    values: Any, member: Any, delta: Any, survival: Any, slack: Any, roots: Any, parameters: Any,
    may_round: bool,
) -> tuple[Any, Any]:  # fmt: skip
    """Return the votes on each row, and the number of its uncertain sums.

    values[s, r] is K(support row s, row r). slack[k]·root bounds the error of the sum up to update k.
    `parameters` holds offset, tie and underflow.
    """
    n = values.shape[1]
    counted = torch.empty(n, dtype=torch.float64, device=values.device)
    in_doubt = torch.empty(n, dtype=torch.int32, device=values.device)
    _count[(triton.cdiv(n, ROWS),)](
        values, member, delta, survival, slack, roots, parameters, counted, in_doubt, n, member.shape[0],
        ROWS=ROWS, STEP=STEP, IS_EXACT=not may_round, num_warps=4, enable_fp_fusion=False,
    )  # fmt: skip
    return counted, in_doubt
