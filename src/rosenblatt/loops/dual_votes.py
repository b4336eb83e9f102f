"""Votes of a committee in dual form: one running sum over the updates for each row."""

from __future__ import annotations

from rosenblatt.loops.blocked import in_doubt_by
from rosenblatt.numeric.compiling import jit


@jit
def count_dual_votes(
    values, member, delta, survival, offset, tie, error, rounding, mass, roots, votes, unsure
):
    """Write Σ survivalₖ·sign(sₖ) to votes[r].

    sₖ = Σ deltaₘ·(K(support row memberₘ, row r) + offset) over m ≤ k, and values[r, s] = K(support row s,
    row r). survival[0] belongs to w = 0, which predicts `tie`. mass[k] = Σ |delta|·root up to update k. A
    row with an uncertain sum is marked in `unsure`; `error` is the relative error of the kernel values.
    """
    for r in range(values.shape[0]):
        s = 0.0
        total = survival[0] * tie
        for k in range(member.size):
            s += delta[k] * (values[r, member[k]] + offset)
            doubt = in_doubt_by(error, rounding, 2 * k + 10, mass[k], roots[r])
            if s > doubt:
                total += survival[k + 1]
            elif s < -doubt:
                total -= survival[k + 1]
            else:
                unsure[r] |= rounding > 0.0
                total += survival[k + 1] * (tie if s == 0.0 else (1.0 if s > 0.0 else -1.0))
        votes[r] = total
