"""The vote of a committee: the sign of every weight vector on a row, each decided exactly.

A committee is a list of updates (see `averaging/voted.py`), so the scores of all its vectors on a row z are
one running sum: sₖ = factorₖ·sₖ₋₁ + deltaₖ·(x̃ₖ·z̃). The products x̃ₖ·z̃ are computed in blocks by a matrix
product. If a sum is too near 0 to be certain, the vector is rebuilt, update by update, and its exact score
decides.
"""

from __future__ import annotations

from rosenblatt.loops.decide import FINE, exact_score
from rosenblatt.numeric.compiling import jit
from rosenblatt.numeric.rows import add


@jit
def count_votes(products, first, delta, factor, survival, doubt, z_norm, running, votes, unsure):
    """Add the votes of one block of members on all rows to `votes`; mark uncertain votes in `unsure`.

    products[r, k] = x̃ₖ·z̃ᵣ for the members first, first + 1, … of the block. doubt[k] bounds the error of
    sₖ for a z̃ of length 1. running[r] carries sₖ from block to block. Return the number of uncertain
    votes.
    """
    marked = 0
    for r in range(products.shape[0]):
        s = running[r]
        for k in range(products.shape[1]):
            member = first + k
            s = factor[member] * s + delta[member] * products[r, k]
            limit = doubt[member] * z_norm[r]
            if s > limit:
                votes[r] += survival[member]
            elif s < -limit:
                votes[r] -= survival[member]
            else:
                unsure[r, k] = True
                marked += 1
        running[r] = s
    return marked


@jit
def replay(support, row, first, end, delta, factor, offset, vector):
    """Update `vector` from the weights of member `first` − 1 to the weights of member `end` − 1.

    The updates are added in the order of training, so the result has the same bits.
    """
    for member in range(first, end):
        if factor[member] != 1.0:
            for j in range(vector.size):
                vector[j] *= factor[member]
        add(support, row[member], delta[member], offset, vector)


@jit
def settle_votes(support, row, first, delta, factor, survival, offset, tie, z, vector, unsure, votes):
    """Decide the votes that `count_votes` left uncertain, by the weight vectors themselves.

    On entry, `vector` holds the weights of member `first` − 1; it is overwritten. Return (status, row at
    which the loop stopped).
    """
    for k in range(unsure.shape[1]):
        member = first + k
        replay(support, row, member, member + 1, delta, factor, offset, vector)
        for r in range(unsure.shape[0]):
            if unsure[r, k]:
                status, s = exact_score(z, r, vector, offset)
                if status != FINE:
                    return status, r
                vote = tie if s == 0.0 else (1.0 if s > 0.0 else -1.0)
                votes[r] += survival[member] * vote
    return FINE, 0
