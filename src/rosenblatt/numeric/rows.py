"""The operations of loops on rows; `dense.py` and `sparse.py` implement them for each layout.

A row is x̃ = (x, offset) with offset 1 or 0, and weights are w̃ = (w, b): the offset is one more
feature that is always 1 (or, without offset, always 0).
"""

from __future__ import annotations

from rosenblatt.numeric.compiling import chosen_by_class, with_default

ROUNDING = 2.0**-53 * 1.5
"""Unit roundoff of a double with half as much again: covers the higher orders of γₖ = k·u/(1−k·u),
and the rounding of the bound itself, for any k below 2^40."""

SMALL = 1e-270
"""Added to squared norms in an error bound: more than underflow can have lost, and large enough that
γ²·SMALL does not underflow."""

UNDERFLOW = 1e-290
"""Squared scores below this are uncertain whatever the bound is: a product may have underflowed."""


@chosen_by_class
def score(rows, i, weights, offset, norm2):
    """Return (s, ‖x̃‖², doubt²) for row i: s ≈ w̃·x̃ and the square of a bound on its rounding error.

    s is summed in any order. Its sign is certain if s² > doubt²; NaN and infinity never pass. `norm2` is
    ‖w̃‖².
    """


@chosen_by_class
def add(rows, i, coefficient, offset, target):
    """Add coefficient·x̃ᵢ to the target: the product is rounded, then the sum; no FMA."""


@with_default
def along(rows, i, offset, weights, s, x2):
    """Return (w̃·p, ‖p‖²) for the vector p that `add` adds for row i.

    For a row itself these are w̃·x̃ᵢ = s and ‖x̃ᵢ‖² = x2.
    """
    return s, x2


@chosen_by_class
def terms(rows, i):
    """Return the number of products in w̃·x̃ᵢ, that of the offset included."""


@chosen_by_class
def term(rows, i, k, offset):
    """Return (j, x̃ⱼ): the feature of term k and its value; the offset comes last."""


@chosen_by_class
def entry(rows, i, k):
    """Return (j, xⱼ): `term` without the offset, for loops that every update calls.

    k is below terms(rows, i) − 1.
    """


@chosen_by_class
def squared_norm(rows, weights, expected):
    """Return ‖w̃‖² after an update.

    It is summed again if a row is as long as the weights, otherwise it is `expected` from ‖w̃ + c·x̃‖² =
    ‖w̃‖² + 2c·w̃·x̃ + c²‖x̃‖².
    """


@chosen_by_class
def is_finite(rows, i):
    """Return whether every number of row i is finite."""


@chosen_by_class
def meets_finite(rows, i, weights):
    """Return whether every weight that row i meets is finite."""


@chosen_by_class
def add_exactly(rows, i, weights, offset, total):
    """Add w̃·x̃ᵢ to the total, without rounding."""


@chosen_by_class
def fetch(rows, i):
    """Prefetch row i."""


@with_default
def fetch_place(rows, i):
    """Prefetch the pointer to row i, which must be read before the row can be fetched."""


@with_default
def fetch_weights(rows, i, weights):
    """Prefetch the weights of row i that the hardware would not predict."""
