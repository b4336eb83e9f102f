"""A kernel by its name, as an object or as a function; what cannot be one is refused with a remedy."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from rosenblatt.errors import BadInput
from rosenblatt.kernels import (
    KERNELS,
    Custom,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
    as_kernel,
    name_of,
)
from rosenblatt.numeric.row_batches import as_rows


def overlap(X, Z):
    return np.minimum(X[:, None, :], Z[None, :, :]).sum(axis=2)


def test_by_name_with_the_parameters_it_has():
    assert as_kernel("linear", degree=7, gamma=9.0, coef0=5.0) == Linear()
    assert as_kernel("polynomial", degree=2, gamma=0.5, coef0=0.0) == Polynomial(2, 0.5, 0.0)
    assert as_kernel("gaussian", gamma=2) == Gaussian(2.0)
    assert as_kernel("laplacian", gamma=np.float32(0.5)) == Laplacian(0.5)
    assert isinstance(as_kernel("polynomial", degree=np.int64(4)).degree, int)


def test_an_object_keeps_its_own_parameters():
    assert as_kernel(Polynomial(degree=5), degree=2, gamma=7.0, coef0=3.0) == Polynomial(degree=5)
    rows = as_rows(np.ones((2, 4)))
    assert as_kernel(Gaussian("auto"), rows=rows) == Gaussian(0.25)


def test_a_function_is_a_kernel_of_your_own():
    assert as_kernel(overlap) == Custom(overlap)
    assert as_kernel(Custom(overlap)) == Custom(overlap)


def test_names():
    assert {name: name_of(kernel()) for name, kernel in KERNELS.items()} == {name: name for name in KERNELS}
    assert name_of(Custom(overlap)) == "overlap"


NOT_POSITIVE = [0, 0.0, -1.0, math.inf, math.nan, "wide", True, None, [1.0], 1j, 10**400]
DEGREE = "degree: expected a whole number of at least 1"
GAMMA = "gamma: expected a finite number above 0, 'scale' or 'auto'"
REFUSED = [
    *(("polynomial", {"degree": n}, DEGREE) for n in [0, -1, 2.0, 2.5, "3", True, None, math.nan]),
    *((k, {"gamma": g}, GAMMA) for k in ("polynomial", "gaussian", "laplacian") for g in NOT_POSITIVE),
    *(("gaussian", {"gamma": g}, "gamma: expected a finite number … no rows …") for g in ("scale", "auto")),
    *(
        ("polynomial", {"coef0": c}, "coef0: expected a finite number of at least 0…")
        for c in [-1.0, -1e-300, math.inf, math.nan, "1", None, False, 10**400]
    ),
]


@pytest.mark.parametrize(("kernel", "parameters", "sentence"), REFUSED)
def test_parameters_that_are_refused(kernel, parameters, sentence):
    (value,) = parameters.values()
    with pytest.raises(BadInput) as refusal:
        as_kernel(kernel, **parameters)
    pattern = re.escape(sentence).replace("…", ".*") + re.escape(f", got {value!r}")
    assert re.fullmatch(pattern, str(refusal.value))


KNOWN = "kernel: got 'rbf', expected one of 'linear', 'polynomial', 'gaussian'"


@pytest.mark.parametrize(
    ("kernel", "parts"),
    [
        ("rbf", [KNOWN, "a function of two matrices", "'rbf' is called 'gaussian' here"]),
        *(
            (
                kernel,
                [
                    f"kernel: got {kernel!r}, expected a name (linear, polynomial, gaussian",
                    "Gaussian(gamma=0.1)",
                ],
            )
            for kernel in [None, 3, np.eye(3), ["gaussian"]]
        ),
    ],
)
def test_what_is_no_kernel_lists_those_there_are(kernel, parts):
    with pytest.raises(BadInput) as refusal:
        as_kernel(kernel)
    sentence = str(refusal.value)
    assert sentence.startswith(parts[0])
    assert all(part in sentence for part in parts)
