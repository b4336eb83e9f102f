"""The shape of every kernel: parameters in a NamedTuple, and K(x, z) in two ways.

`pair` is K by the plain loop, one pair of rows at a time: the value that decides. `matrix` is K of many
pairs at matrix speed, which may be off by

    |matrix − pair| ≤ error·root(x)·root(z),   |K(x, z)| ≤ root(x)·root(z),

so a decision that does not depend on so little needs no `pair`. ‖x‖² of the rows comes along, since most
kernels need it.

A kernel works on numpy arrays, scipy's CSR arrays and torch tensors alike: `backend` has the functions.
"""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from rosenblatt.arithmetic.compiling import chosen_by_class, compiled


class Kernel(Protocol):
    """What `dual` may ask of a kernel, and what anybody may."""

    def __call__(self, x: Any, z: Any) -> Any:
        """K(x, z) of two vectors, by `pair`; of a matrix, of each row."""

    def matrix(self, X: Any, Z: Any, x2: Any, z2: Any, backend: Any) -> Any:
        """K(xᵢ, zⱼ) for all rows of two matrices, given ‖xᵢ‖² and ‖zⱼ‖²."""

    def is_of_products(self, largest2: float) -> bool:
        """Whether `from_products` has it, for rows with ‖x‖² ≤ largest2."""

    def diagonal(self, X: Any, x2: Any, backend: Any) -> Any:
        """K(xᵢ, xᵢ)."""

    def roots(self, diagonal: NDArray[Any]) -> NDArray[Any]:
        """root(xᵢ) above, from K(xᵢ, xᵢ)."""

    def error(self, n_features: int, largest2: float) -> float:
        """`error` above, for rows with ‖x‖² ≤ largest2."""


@chosen_by_class
def pair(kernel, left, i, right, j):
    """K(xᵢ, zⱼ) by the plain loop: features in rising order, one rounding for each operation."""


@chosen_by_class
def from_products(kernel, values, x2, z2, work):
    """values[j] ← K(x, zⱼ) where it is x·zⱼ, given ‖x‖² and ‖zⱼ‖²; within the error of `matrix`. Only of
    kernels that are functions of these. work: as much room."""


@compiled
def pairs(kernel, support, chosen, rows, i, out):
    """out[k] ← K(support row k, row i) for the chosen support rows, by the plain loop."""
    for c in range(chosen.size):
        out[chosen[c]] = pair(kernel, support, chosen[c], rows, i)
