"""Where matrices live: in numpy's memory, or on a device through torch. Kernels work in either."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput, bad_value
from rosenblatt.loops.distances import absolute_distances, sparse_absolute_distances

DEVICES = ("auto", "cpu", "cuda")


class OnHost:
    """numpy and scipy."""

    name = "cpu"
    is_host = True
    block = 256  # looks that are scored at once
    chunk = 512  # support rows whose kernel values are kept together

    def put(self, matrix: Any) -> Any:
        return matrix

    def get(self, array: Any) -> NDArray[np.float64]:
        return np.asarray(array)

    def numbers(self, which: NDArray[Any]) -> Any:
        """Row numbers to index with."""
        return which

    def empty(self, shape: tuple[int, ...]) -> Any:
        return np.empty(shape)

    def clip_above(self, array: Any, limit: float) -> None:
        np.minimum(array, limit, out=array)

    def exponential(self, array: Any) -> Any:
        return np.exp(array, out=array)

    def absolute_distances(self, X: Any, Z: Any) -> Any:
        out = np.empty((X.shape[0], Z.shape[0]))
        if isinstance(X, np.ndarray) != isinstance(Z, np.ndarray):
            from scipy.sparse import csr_array

            X, Z = csr_array(X), csr_array(Z)
        if isinstance(X, np.ndarray):
            absolute_distances(X, Z, out)
        else:
            sparse_absolute_distances(X.data, X.indices, X.indptr, Z.data, Z.indices, Z.indptr, out)
        return out


class OnDevice:
    """torch tensors of float64. `name` is torch's: "cuda", or "cpu" where only the code is to be tried."""

    is_host = False
    block = 1024
    chunk = 4096

    def __init__(self, name: str) -> None:
        import torch

        self.name = name
        self._torch = torch

    def put(self, matrix: Any) -> Any:
        return self._torch.as_tensor(np.asarray(matrix), dtype=self._torch.float64, device=self.name)

    def get(self, array: Any) -> NDArray[np.float64]:
        host: NDArray[np.float64] = array.cpu().numpy()
        return host

    def numbers(self, which: NDArray[Any]) -> Any:
        return self._torch.as_tensor(which, device=self.name)

    def empty(self, shape: tuple[int, ...]) -> Any:
        return self._torch.empty(shape, dtype=self._torch.float64, device=self.name)

    def clip_above(self, array: Any, limit: float) -> None:
        array.clamp_(max=limit)

    def exponential(self, array: Any) -> Any:
        return array.exp_()

    def absolute_distances(self, X: Any, Z: Any) -> Any:
        return self._torch.cdist(X, Z, p=1)


Space = OnHost | OnDevice


def as_space(device: Any, is_sparse: bool = False, is_custom: bool = False) -> Space:
    """The space of that name. "auto" is the first CUDA device where torch finds one, else the CPU."""
    if not isinstance(device, str) or device.split(":", 1)[0] not in (*DEVICES, "torch"):
        raise bad_value("device", device, "'auto', 'cpu' or 'cuda'")
    if device == "cpu":
        return OnHost()
    if device.startswith("torch:"):
        return OnDevice(device.removeprefix("torch:"))
    reason = _why_not(is_sparse, is_custom)
    if reason is None:
        return OnDevice("cuda" if device == "auto" else device)
    if device == "auto":
        return OnHost()
    raise BadInput(
        f"device: {device!r} cannot be used: {reason}; or use device='cpu', which gives the same mistakes"
    )


def _why_not(is_sparse: bool, is_custom: bool) -> str | None:
    """Why no GPU can be used; None where one can."""
    if is_sparse:
        return "the rows are sparse, and the GPU wants dense ones (X.toarray())"
    if is_custom:
        return "a kernel of your own is a function of numpy arrays; name one of ours"
    try:
        import torch
    except ImportError:
        return "torch is not installed; pip install 'rosenblatt[gpu]'"
    if not torch.cuda.is_available():
        return "torch finds no CUDA device; install a driver and a build of torch with CUDA"
    return None
