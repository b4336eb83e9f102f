"""Each kernel beside its formula."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from rosenblatt.kernels import KERNELS
from tests.kernels import naive_kernels

EVERY_KERNEL: dict[str, tuple[str, dict[str, Any]]] = {
    "linear": ("linear", {}),
    "gaussian": ("gaussian", {"gamma": 0.3}),
    "narrow gaussian": ("gaussian", {"gamma": 40.0}),
    "laplacian": ("laplacian", {"gamma": 0.2}),
    "quadratic": ("polynomial", {"degree": 2, "gamma": 0.5, "coef0": 0.25}),
    "cubic": ("polynomial", {"degree": 3, "gamma": 1.0, "coef0": 1.0}),
    "homogeneous": ("polynomial", {"degree": 3, "gamma": 0.7, "coef0": 0.0}),
    "homogeneous of even degree": ("polynomial", {"degree": 4, "gamma": 1.0, "coef0": 0.0}),
    "of the eleventh degree": ("polynomial", {"degree": 11, "gamma": 0.1, "coef0": 0.5}),
    "of the first degree": ("polynomial", {"degree": 1, "gamma": 2.0, "coef0": 3.0}),
}


@pytest.fixture(scope="session", params=EVERY_KERNEL)
def both(request) -> tuple[Any, Callable[..., float]]:
    """Return each kernel twice: ours, and the formula with the same parameters."""
    name, parameters = EVERY_KERNEL[request.param]
    return KERNELS[name](**parameters), partial(getattr(naive_kernels, name), **parameters)
