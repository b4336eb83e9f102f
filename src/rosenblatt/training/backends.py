"""Matrix backends: numpy in memory, or torch on a device. Kernels work with both."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput, bad_value
from rosenblatt.loops.dual_votes import count_dual_votes
from rosenblatt.loops.pair_distances import absolute_distances, sparse_distances, squared_distances
from rosenblatt.numeric.examples import Sparse, as_rows
from rosenblatt.training.parallel import in_stretches

if TYPE_CHECKING:
    from rosenblatt.gpu.torch_backend import OnDevice

Backend: TypeAlias = "OnHost | OnDevice"

EXACT = 2.0**24
"""Up to here every whole number is a float32, so sums of products of whole numbers are exact in it."""

Limits = tuple[float, float]
"""How far kernel values may be off, and the unit roundoff of sums (0: they are exact)."""


class Voters(NamedTuple):
    """Hold the vectors of a committee.

    Vector k is the one before plus delta[k]·φ(support row member[k]). It survived survival[k + 1] steps
    (the first, w = 0, survival[0]), and has mass[k] = Σ |delta|·root so far.
    """

    member: NDArray[np.int64]
    delta: NDArray[np.float64]
    survival: NDArray[np.int64]
    mass: NDArray[np.float64]


class OnHost:
    """numpy and scipy."""

    name = "cpu"
    is_host = True
    block = 256  # looks that are scored at once; more while little is learned
    largest_block = 1024
    gathered = 256  # rows on which w has changed before the scores of all rows are brought up to date
    chunk = 512  # support rows in one matrix
    part_bytes = 1 << 23  # of kernel values made at once
    most_rows = 1024  # that are decided at once
    short = 64  # features up to which values are made again rather than kept
    many = 1000  # rows from which that is worth loops of its own, which must be compiled

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
        """Return the lesson that walks on a device by this rule, of which the host has none."""

    def for_gram(self, cache_bytes: int) -> int:
        """Return the memory for rows of a Gram matrix, given the allowed memory."""
        return cache_bytes

    def product(self, X: Any, Z: Any, x2: Any, z2: Any) -> Any:
        """Return X·Zᵀ as a new writable dense array of float64.

        Matrices of float32 hold integers (`dual.support.as_matrix` ensures it). |x·z| and all its partial
        sums are at most ‖x‖‖z‖, so while that is at most 2^24 float32 makes no error, in half the time.
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
        in_stretches(lambda part: np.exp(array[part], out=array[part]), len(array), array.size)
        return array

    def absolute_distances(self, X: Any, Z: Any) -> Any:
        return _distances(X, Z, absolute_distances, is_squared=False)

    def squared_distances(self, X: Any, Z: Any) -> Any:
        return _distances(X, Z, squared_distances, is_squared=True)

    def to_vote_by(self, n: int, n_support: int) -> NDArray[np.float64]:
        """Return memory for the kernel values of n rows; each row is read by itself."""
        return np.empty((n, n_support))

    def count_votes(
        self, values: Any, voters: Voters, offset: float, tie: float, limits: Limits, roots: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the votes on each row, given K of it with the support rows, and their uncertainty.

        Votes are uncertain if rounding could change them (see `loops.dual_votes`).
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
    sparse_distances(_compressed(X), _compressed(Z), is_squared, out)
    return out


def _compressed(X: Any) -> Sparse:
    """Return a matrix, dense or CSR, as compressed rows."""
    from scipy.sparse import csr_array

    rows = as_rows(csr_array(X))
    assert isinstance(rows, Sparse)
    return rows


def as_backend(device: Any, is_sparse: bool = False, is_custom: bool = False) -> Backend:
    """Return the backend of that name.

    "auto" is the first CUDA device if there is one, otherwise the CPU.
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
    """Return the backend of a device by torch's name for it."""
    from rosenblatt.gpu.torch_backend import OnDevice

    return OnDevice(name)


def backend_of_copy(name: str) -> Backend:
    """Return the backend of a stored model: its device, or the host if there is no such device."""
    return on_device(name) if name == "cpu" or _why_not(False, False) is None else OnHost()


def _may_have_a_gpu() -> bool:
    """Guess cheaply whether there is a GPU, since importing torch takes seconds."""
    return sys.platform == "win32" or Path("/dev/nvidiactl").exists() or Path("/dev/dxg").exists()


def _why_not(is_sparse: bool, is_custom: bool) -> str | None:
    """Return why no GPU can be used; None if one can."""
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
