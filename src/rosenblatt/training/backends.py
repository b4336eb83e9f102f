"""Matrix backends: numpy on the host, or torch on a device. Kernels run on either backend."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput, bad_value
from rosenblatt.loops.blocked import count_dual_votes
from rosenblatt.loops.pair_distances import absolute_distances, sparse_distances, squared_distances
from rosenblatt.loops.threads import MANY_STEPS, apply_in_stretches, in_stretches
from rosenblatt.numeric.row_batches import Sparse, as_rows

if TYPE_CHECKING:
    from rosenblatt.gpu.torch_backend import OnDevice

Backend: TypeAlias = "OnHost | OnDevice"

EXACT = 2.0**24
"""Every integer up to this one is exactly a float32, so sums of products of integers are exact."""

Limits = tuple[float, float]
"""The relative error of kernel values, and the unit roundoff of sums (0 if they are exact)."""


class Voters(NamedTuple):
    """Hold the weight vectors of a committee in dual form.

    Vector k is the previous vector plus delta[k]·φ(support row member[k]). It survived survival[k + 1]
    steps; the initial vector w = 0 survived survival[0] steps. mass[k] is the sum of |delta|·root over the
    updates up to k.
    """

    member: NDArray[np.int64]
    delta: NDArray[np.float64]
    survival: NDArray[np.int64]
    mass: NDArray[np.float64]


class OnHost:
    """Compute with numpy and scipy on the host."""

    name = "cpu"
    is_host = True
    block = 256  # steps that are scored together; more while there are few updates
    largest_block = 1024
    gathered = 256  # rows with updates that accumulate before the scores of all rows are updated
    chunk = 512  # support rows in one matrix
    part_bytes = 1 << 23  # bytes of kernel values that are computed together
    most_rows = 1024  # rows that are decided together
    short = 64  # up to this many features, kernel values are recomputed rather than stored
    many = 1000  # from this many rows on, recomputing is worth compiling special loops

    def put(self, matrix: Any) -> Any:
        return matrix

    get: Any = staticmethod(np.asarray)
    numbers: Any = staticmethod(np.asarray)  # row numbers to index with
    zeros: Any = staticmethod(np.zeros)
    empty: Any = staticmethod(np.empty)
    stack: Any = staticmethod(np.stack)

    def has_room(self, size: int) -> bool:
        return True

    def device_lesson(self, rule: Any) -> None:
        """Return None: the CPU has no device lesson."""

    def for_gram(self, cache_bytes: int) -> int:
        """Return `cache_bytes`, the memory that rows of a Gram matrix may take on the host."""
        return cache_bytes

    def product(self, X: Any, Z: Any, x2: Any, z2: Any) -> Any:
        """Return X·Zᵀ as a new writable dense float64 array.

        Matrices of float32 hold only integers (`dual.support.as_matrix` ensures it). |x·z| and all its
        partial sums are at most ‖x‖‖z‖. While ‖x‖‖z‖ is at most 2^24, float32 makes no rounding error, and
        takes half the time of float64.
        """
        if X.dtype == np.float32 and Z.dtype == np.float32:
            if float(x2.max()) * float(z2.max()) > EXACT**2:
                X = X.astype(np.float64)
            return (X @ Z.T).astype(np.float64)
        result = X @ Z.T
        return result.toarray() if hasattr(result, "toarray") else result

    def clip_above(self, array: Any, limit: float) -> None:
        np.minimum(array, limit, out=array)

    def exponential(self, array: Any) -> Any:
        if array.size < MANY_STEPS:
            return np.exp(array, out=array)
        return apply_in_stretches(np.exp, array)

    def absolute_distances(self, X: Any, Z: Any) -> Any:
        return _distances(X, Z, absolute_distances, is_squared=False)

    def squared_distances(self, X: Any, Z: Any) -> Any:
        return _distances(X, Z, squared_distances, is_squared=True)

    def to_vote_by(self, n: int, n_support: int) -> NDArray[np.float64]:
        """Return an empty array for the kernel values of n rows; the values of one row are contiguous."""
        return np.empty((n, n_support))

    def count_votes(
        self, values: Any, voters: Voters, offset: float, tie: float, limits: Limits, roots: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the vote total of each row, and whether it is uncertain.

        `values` holds K between rows and support rows. A total is uncertain if rounding could change a vote
        (see `loops.blocked`).
        """
        votes, unsure = np.empty(len(roots)), np.zeros(len(roots), np.bool_)
        member, delta, survival, mass = voters

        def count(part: slice) -> None:
            count_dual_votes(
                values[part], member, delta, survival, offset, tie, *limits, mass, roots[part], votes[part],
                unsure[part],
            )  # fmt: skip

        in_stretches(count, len(roots), len(roots) * len(member))
        return votes, unsure


def _distances(X: Any, Z: Any, of_dense_rows: Any, is_squared: bool) -> NDArray[np.float64]:
    out = np.empty((X.shape[0], Z.shape[0]))
    if isinstance(X, np.ndarray) and isinstance(Z, np.ndarray):
        of_dense_rows(X, Z, out)
        return out
    sparse_distances(_as_sparse_rows(X), _as_sparse_rows(Z), is_squared, out)
    return out


def _as_sparse_rows(X: Any) -> Sparse:
    """Return a dense or CSR matrix as compressed rows."""
    from scipy.sparse import csr_array

    rows = as_rows(csr_array(X))
    assert isinstance(rows, Sparse)
    return rows


def as_backend(device: Any, is_sparse: bool = False, is_custom: bool = False) -> Backend:
    """Return the backend for a device name.

    "auto" means the first CUDA device if there is one, otherwise the CPU.
    """
    if not isinstance(device, str) or not re.fullmatch(r"auto|cpu|cuda(:\d+)?|torch:cpu", device):
        raise bad_value("device", device, "'auto', 'cpu', 'cuda' or 'cuda:1'")
    if device == "cpu":
        return OnHost()
    if device.startswith("torch:"):
        return on_device(device.removeprefix("torch:"))
    if device == "auto" and not _may_have_a_gpu():
        return OnHost()
    reason = _why_not(is_sparse, is_custom)
    if reason is None:
        return on_device("cuda" if device == "auto" else device)
    if device == "auto":
        return OnHost()
    raise BadInput(
        f"device: {device!r} cannot be used: {reason}; or use device='cpu', which gives the same mistakes"
    )


def on_device(name: str) -> OnDevice:
    """Return the backend for a device, given torch's name for it."""
    from rosenblatt.gpu.torch_backend import OnDevice

    return OnDevice(name)


def backend_of_copy(name: str) -> Backend:
    """Return the backend for a loaded model: its device, or the CPU if this machine has no such device."""
    return on_device(name) if name == "cpu" or _why_not(False, False) is None else OnHost()


def _may_have_a_gpu() -> bool:
    """Return whether there may be a GPU, without importing torch, which takes seconds."""
    return sys.platform == "win32" or Path("/dev/nvidiactl").exists() or Path("/dev/dxg").exists()


def _why_not(is_sparse: bool, is_custom: bool) -> str | None:
    """Return the reason why no GPU can be used, or None if a GPU can be used."""
    if is_sparse:
        return "the rows are sparse, and the GPU needs dense ones (X.toarray())"
    if is_custom:
        return "a user-defined kernel is a function of numpy arrays; use a built-in kernel"
    try:
        import torch
    except ImportError:
        return "torch is not installed; pip install 'rosenblatt[gpu]'"
    if not torch.cuda.is_available():
        return "torch finds no CUDA device; install a driver and a build of torch with CUDA"
    return None
