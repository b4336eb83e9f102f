"""Start, continue and check the run of a kernel estimator."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.budgets import as_budget
from rosenblatt.errors import BadInput, CommitteeHasNoWeights, bad_value
from rosenblatt.kernels import Custom, as_kernel
from rosenblatt.numeric.examples import Rows, Sparse, n_rows, take
from rosenblatt.training.backends import Backend, OnHost, as_backend
from rosenblatt.training.dual.dual_decisions import drawn_look
from rosenblatt.training.dual.dual_state import DualState, dual_rule
from rosenblatt.training.dual.limited_support import check_budget
from rosenblatt.training.settings import KERNEL, check

UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
SMALLEST = 10**6  # bytes: the size of one block of kernel values


def as_bytes(size: Any) -> int:
    """Return a memory size such as "2GB", "500 MB" or a number in bytes.

    Examples
    --------
    >>> as_bytes("2GB"), as_bytes(1e9)
    (2000000000, 1000000000)
    >>> as_bytes("1KB")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: cache_size: expected at least 1MB, for one block of kernel values, ...
    """
    number: float | None = None
    if isinstance(size, str):
        match = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)\s*([kmgt]?i?b)?\s*", size.lower())
        if match:
            unit = (match[2] or "b").upper().replace("I", "")
            try:
                number = float(match[1]) * UNITS[unit]
            except ValueError:
                number = None
    elif isinstance(size, (int, float, np.number)) and not isinstance(size, bool):
        number = float(size)
    if number is None or not np.isfinite(number):
        raise bad_value("cache_size", size, "a size such as '2GB' or '500MB', or a number of bytes")
    if number < SMALLEST:
        raise bad_value("cache_size", size, "at least 1MB, for one block of kernel values")
    return int(number)


def begin(
    model: Any, rows: Rows, present: NDArray[np.int64] | None, n_classes: int, seed: int
) -> DualState:
    """Return the initial state for the parameters of a model."""
    measured = rows
    if present is not None and len(present) < n_rows(rows):
        measured = take(rows, present)  # excluded rows must not affect gamma="scale"
    kernel = as_kernel(model.kernel, model.degree, model.gamma, model.coef0, measured)
    backend: Backend = OnHost()  # an explicit w is stored on the host
    if model._written_out is None:
        backend = as_backend(model.device, isinstance(rows, Sparse), isinstance(kernel, Custom))
    n_columns = n_classes if n_classes > 2 else 1
    budget = None if model.budget is None else as_budget(model.budget)
    return DualState(kernel, model.rule, model.offset, model.tie, n_columns, backend, budget, seed)


def check_settings(model: Any, planned: bool = False) -> None:
    """Raise an error if the averaging strategy or the rule cannot be used with a kernel.

    With `planned`, check the number of passes and the order too.
    """
    check(KERNEL, vars(model))
    if planned:
        check(KERNEL, vars(model), planned=True)
    if model.budget is not None:
        check_budget(as_budget(model.budget), dual_rule(model.rule), model.keep)


def refuse_another_run(model: Any, classes: NDArray[Any]) -> None:
    """Raise an error if a parameter or the classes differ from those at the start of training."""
    if model._is_past:
        raise BadInput("this model is a past state (as_of) and cannot be trained further; use the original")
    if not np.array_equal(classes, model.classes_):
        raise BadInput(
            f"y: classes {classes.tolist()} now, but learning began with {model.classes_.tolist()}; "
            "continue as it began, or start again with fit (warm_start=False)"
        )
    for name, before in model._began_with.items():
        now = getattr(model, name)
        if now is not before and repr(now) != repr(before):
            raise BadInput(
                f"{name}: {now!r} now, but learning began with {before!r}; "
                "continue as it began, or start again with fit"
            )


def check_moment(looks: Any, least: int, most: int) -> int:
    """Return a number of steps after checking that it is within the run."""
    whole = isinstance(looks, (int, np.integer)) and not isinstance(looks, bool)
    if not whole or not least <= looks <= most:
        raise bad_value("looks", looks, f"a whole number of steps from {least} to {most}")
    return int(looks)


def coefficients(state: DualState, keep: str, seed: int) -> NDArray[np.float64]:
    """Return the coefficients of the support rows under an averaging strategy."""
    if keep == "voted":
        raise CommitteeHasNoWeights(
            "a voted committee decides by many vectors, so it has no one dual_coef_; use "
            "decision_function or predict, see survival_, or set keep='averaged'"
        )
    drawn = drawn_look(seed, state.looks)
    terms = [record.terms(keep, state.looks, drawn) for record in state.records]
    return np.vstack([term.merged(len(state.support)) for term in terms])
