"""The operations on rows that loops use; `dense.py` and `sparse.py` implement them for the two layouts.

A row is x̃ = (x, offset) with offset 1 or 0, and weights are w̃ = (w, b): the offset is treated as one more
feature, which is always 1 (or, without offset, always 0).
"""

from __future__ import annotations

from rosenblatt.numeric.compiling import dispatch_by_class, with_default

ROUNDING = 2.0**-53 * 1.5
"""1.5 times the unit roundoff of a double: covers the higher orders of γₖ = k·u/(1−k·u) and the rounding
of the bound itself, for any k below 2^40."""

SMALL = 1e-270
"""Added to squared norms in an error bound: it exceeds any loss by underflow, and is large enough that
γ²·SMALL does not underflow."""

UNDERFLOW = 1e-290
"""Squared scores below this are always uncertain, because a product may have underflowed."""


@dispatch_by_class
def score(rows, i, weights, offset, norm2):
    """Return (s, ‖x̃‖², doubt²) for row i: s ≈ w̃·x̃, and doubt bounds the rounding error of s.

    s is summed in any order. Its sign is certain if s² > doubt²; the comparison is false for NaN and
    infinity. `norm2` is ‖w̃‖².
    """


@dispatch_by_class
def add(rows, i, coefficient, offset, target):
    """Add coefficient·x̃ᵢ to the target; round after the product and after the addition (no FMA)."""


@with_default
def along(rows, i, offset, weights, s, x2):
    """Return (w̃·p, ‖p‖²) for the vector p that `add` adds for row i.

    For a plain row p is x̃ᵢ, so the result is (s, x2).
    """
    return s, x2


@dispatch_by_class
def terms(rows, i):
    """Return the number of products in w̃·x̃ᵢ, including the product of the offset."""


@dispatch_by_class
def term(rows, i, k, offset):
    """Return (j, x̃ⱼ), the feature and value of term k of row i; the offset is the last term."""


@dispatch_by_class
def entry(rows, i, k):
    """Return (j, xⱼ), the feature and value of entry k of row i, without the offset.

    `k` is below terms(rows, i) − 1. Loops that run at every update use this function, because it is faster
    than `term`.
    """


@dispatch_by_class
def squared_norm(rows, weights, expected):
    """Return ‖w̃‖² after an update.

    For dense rows, which are as long as the weights, the norm is computed again. Otherwise the result is
    `expected`, which the caller computes from ‖w̃ + c·x̃‖² = ‖w̃‖² + 2c·w̃·x̃ + c²‖x̃‖².
    """


@dispatch_by_class
def is_finite(rows, i):
    """Return whether every number of row i is finite."""


@dispatch_by_class
def meets_finite(rows, i, weights):
    """Return whether all weights of the features of row i are finite."""


@dispatch_by_class
def add_exactly(rows, i, weights, offset, total):
    """Add w·xᵢ + b (with offset) to the total without rounding."""


@dispatch_by_class
def fetch(rows, i): ...


@with_default
def fetch_place(rows, i):
    """Prefetch the pointer to row i, which must be read before the row itself can be prefetched."""


@with_default
def fetch_weights(rows, i, weights):
    """Prefetch the weights of the features of row i, if the hardware would not predict them."""
