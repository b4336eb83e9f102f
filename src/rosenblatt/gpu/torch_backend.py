"""The backend whose matrices are torch tensors, on a CUDA device."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.loops.blocked import UNDERFLOW
from rosenblatt.training.backends import Limits, Voters, backend_of_copy

if TYPE_CHECKING:
    from rosenblatt.training.dual.lesson import Lesson


class OnDevice:
    """Compute with torch tensors of float64 on the device `name`.

    The name is torch's: "cuda", or "cpu" to try the code without a device.
    """

    is_host = False
    block = 4096
    largest_block = 8192
    gathered = 0
    chunk = 4096
    part_bytes = 1 << 30
    most_rows = 1 << 16
    short = many = 0

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def has_triton(self) -> bool:
        """Return whether the device can run Triton programs."""
        return self.name.startswith("cuda") and find_spec("triton") is not None

    def panel_trainer(self, state: Any, batch: Any, plan: Any) -> Any:
        """Return a trainer that trains many classifiers on this device."""
        from rosenblatt.gpu.device_trainer import DeviceTrainer  # it imports this module

        return DeviceTrainer(state, batch, plan)

    def can_walk(self, rule: Any) -> bool:
        """Return whether the device can run the learning loop of this rule."""
        return self.has_triton and rules.facts(rule).is_fixed

    def device_lesson(self, rule: Any) -> type[Lesson] | None:
        """Return the class that learns in dual form on the device by this rule, or None."""
        from rosenblatt.gpu.dual_lesson import DeviceLesson  # it imports this module

        return DeviceLesson if self.can_walk(rule) else None

    def put(self, matrix: Any) -> Any:
        if self.name == "cpu":  # torch would share the memory, which may belong to the user
            return torch.tensor(np.array(matrix, dtype=np.float64))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns about read-only arrays; it does not write to them
            return torch.as_tensor(matrix, device=self.name).to(torch.float64)

    def get(self, array: Any) -> NDArray[np.float64]:
        host: NDArray[np.float64] = array.cpu().numpy()
        return host

    def numbers(self, which: NDArray[Any]) -> Any:
        return torch.as_tensor(which, device=self.name)

    def copy_of(self, array: NDArray[Any]) -> Any:
        """Return a copy of an array on the device, with the same dtype."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns about read-only arrays; it does not write to them
            there = torch.as_tensor(np.ascontiguousarray(array), device=self.name)
        return there.clone() if self.name == "cpu" else there

    def empty(self, shape: tuple[int, ...]) -> Any:
        return torch.empty(shape, dtype=torch.float64, device=self.name)

    def stack(self, rows: list[Any]) -> Any:
        return torch.stack(rows)

    def csr_matrix(
        self, ends: NDArray[np.int64], which: NDArray[np.int64], values: NDArray[Any], width: int
    ) -> Any:
        """Return a sparse matrix built from compressed rows.

        Row i has the entries `values[ends[i]:ends[i + 1]]` in the columns `which[ends[i]:ends[i + 1]]`.
        """
        parts = self.numbers(ends), self.numbers(which), self.put(values)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns once that its CSR tensors are in beta
            return torch.sparse_csr_tensor(*parts, (len(ends) - 1, width), check_invariants=False)

    def zeros(self, shape: tuple[int, ...]) -> Any:
        return torch.zeros(shape, dtype=torch.float64, device=self.name)

    def to_vote_by(self, n: int, n_support: int) -> Any:
        """Return a tensor for the kernel values of n rows; the values of a support row are contiguous."""
        return self.empty((n_support, n)).T

    def has_room(self, size: int) -> bool:
        """Return whether `size` bytes are less than half of the free memory."""
        return size < self.free_bytes() // 2

    def for_gram(self, cache_bytes: int) -> int:
        """Return half of the free memory of the device in bytes, for a Gram matrix."""
        return self.free_bytes() // 2

    def free_bytes(self) -> int:
        """Return the free memory of the device in bytes; for "cpu", which only tests use, a constant."""
        return 10**9 if self.name == "cpu" else int(torch.cuda.mem_get_info(self.name)[0])

    def product(self, X: Any, Z: Any, x2: Any, z2: Any) -> Any:
        return X @ Z.T

    def clip_above(self, array: Any, limit: float) -> None:
        array.clamp_(max=limit)

    def exponential(self, array: Any) -> Any:
        return array.exp_()

    def absolute_distances(self, X: Any, Z: Any) -> Any:
        return torch.cdist(X, Z, p=1)

    def squared_distances(self, X: Any, Z: Any) -> Any:
        mode = "donot_use_mm_for_euclid_dist"
        return torch.cdist(X, Z, p=2, compute_mode=mode).square_()

    def count_votes(
        self, values: Any, voters: Voters, offset: float, tie: float, limits: Limits, roots: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Count votes like `loops.blocked.count_dual_votes`, by cumulative sums over updates."""
        (member, delta, survival, mass), (error, rounding) = voters, limits
        slack = (error + (2.0 * np.arange(len(member)) + 10.0) * rounding) * mass
        if self.has_triton:
            from rosenblatt.gpu.triton_votes import count_on_device

            found = count_on_device(
                values.T.contiguous(), self.numbers(member), self.put(delta), self.put(survival),
                self.put(slack), self.put(roots), self.put(np.array([offset, tie, UNDERFLOW])),
                rounding > 0.0,
            )  # fmt: skip
            return self.get(found[0]), self.get(found[1]).astype(np.bool_)
        counted, running = self.zeros((values.shape[0],)), self.zeros((values.shape[0],))
        counted += float(survival[0]) * tie
        in_doubt = torch.zeros(values.shape[0], dtype=torch.bool, device=self.name)
        roots = self.put(roots)[:, None]
        step = max(1, self.part_bytes // (8 * values.shape[0]))
        for first in range(0, len(member), step):
            some = slice(first, first + step)
            sums = (values[:, self.numbers(member[some])] + offset) * self.put(delta[some])
            sums[:, 0] += running
            sums = sums.cumsum(dim=1)
            running = sums[:, -1].clone()
            if rounding:
                in_doubt |= (sums.abs() <= self.put(slack[some]) * roots + UNDERFLOW).any(dim=1)
            counted += torch.where(sums == 0.0, tie, sums.sign()) @ self.put(survival[1:][some])
        return self.get(counted), self.get(in_doubt).astype(np.bool_)

    def __reduce__(self) -> tuple[Any, ...]:
        return backend_of_copy, (self.name,)
