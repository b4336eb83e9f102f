"""The rows of a multinomial logistic regression: one for each example and each class other than its own.

The model has weights β_k for each class k, with β = 0 for the first class. An example x of class c has the
probability 1/Σₖ exp((β_k − β_c)·x̃), where x̃ = (x, 1). So its likelihood depends on (β_c − β_k)·x̃ for k ≠
c, as the likelihood of a binary regression through the origin does on its rows. The theorems about one hold
for the other (Albert & Anderson 1984): the estimate is finite if and only if the rows overlap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput, ProofRejected
from rosenblatt.numeric.blocks import native
from rosenblatt.numeric.row_batches import Rows, as_rows, n_rows

MOST_NUMBERS = 1 << 28  # most numbers in the rows of pairs


def rows_of_pairs(rows: Rows, y: ArrayLike, classes: tuple[object, ...], offset: bool) -> Rows:
    """Return the rows x̃ ⊗ (e_c − e_k) of each example and each class k other than its class c.

    Row i·(K−1) + m compares example i with the m-th class other than its own. Columns k·p to (k+1)·p − 1
    contain the weights of class k+1, where p is the number of columns of x̃.

    Raise `ProofRejected` if a label is not one of the classes, or a class has no example, and `BadInput` if
    there are too many pairs.
    """
    from scipy.sparse import csr_array, hstack, kron, vstack

    codes = _class_codes(y, classes, n_rows(rows))
    n, k = len(codes), len(classes)
    lifted = csr_array(native(rows))
    if offset:
        lifted = hstack([lifted, np.ones((n, 1))], format="csr")
    numbers = 2 * (k - 1) * int(lifted.nnz)
    if numbers > MOST_NUMBERS:
        raise BadInput(
            f"y: {k:,} classes; a multinomial regression on these rows compares {n * (k - 1):,} pairs with "
            f"{numbers:,} numbers, more than {MOST_NUMBERS:,}; give fewer classes or rows"
        )
    order = np.argsort(codes, kind="stable")
    parts = [kron(lifted[codes == own], _contrasts(own, k)) for own in range(k)]
    p = lifted.shape[1]
    # kron puts the class of a column last: renumber so that the class comes first
    by_class = np.arange(p * k).reshape(p, k).T.ravel()[p:]
    place = np.empty(n * (k - 1), np.int64)
    place[(order[:, None] * (k - 1) + np.arange(k - 1)).ravel()] = np.arange(n * (k - 1))
    stacked = vstack(parts, format="csr")[place][:, by_class]
    return as_rows(csr_array(stacked))


def _contrasts(own: int, k: int) -> Any:
    """Return the matrix with the rows e_own − e_other for each other class."""
    from scipy.sparse import csr_array

    others = [other for other in range(k) if other != own]
    rows = np.arange(k - 1)
    values = np.repeat([1.0, -1.0], k - 1)
    places = np.concatenate([rows, rows]), np.concatenate([np.full(k - 1, own), others])
    return csr_array((values, places), shape=(k - 1, k))


def _class_codes(y: ArrayLike, classes: tuple[object, ...], n: int) -> NDArray[np.int64]:
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise ProofRejected(f"{len(labels)} labels for {n} rows; there must be one for each row")
    codes = np.full(n, -1, np.int64)
    for code, name in enumerate(classes):
        codes[labels == name] = code
    if (codes < 0).any() or len(np.unique(codes)) != len(classes) or len(classes) < 3:
        raise ProofRejected("the classes of the proof, three or more, are not the classes of the labels")
    return codes
