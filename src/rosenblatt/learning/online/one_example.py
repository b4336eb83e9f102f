"""One example and its label, read from whatever they come as."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import Rows, as_rows
from rosenblatt.errors import BadInput


class LearnerRecord(NamedTuple):
    """All that a `Learner` is: parameters, classes announced, names of features (is_named: whether they
    have any; None: not known yet), and the state, if there is one."""

    parameters: dict[str, Any]
    announced: list[Any] | None
    feature_names: list[Any]
    is_named: bool | None
    state: Any


LABELS = {sign: np.array([sign], np.int8) for sign in (-1, 1)}


class Slots(dict[str, int]):
    """The number of each named feature, in the order in which they came."""

    def __missing__(self, name: str) -> int:
        self[name] = len(self)
        return self[name]


def announced(classes: Any, multiclass: str | None) -> list[Any] | None:
    """The classes that a learner is told of before it sees them."""
    if classes is None:
        return None
    if multiclass is None:
        raise BadInput(
            "classes: a Learner of two classes has labels -1 and +1; for others say "
            "multiclass='one_vs_rest' or 'ultraconservative'"
        )
    if isinstance(classes, str) or not isinstance(classes, Iterable):
        raise BadInput(f"classes: got {classes!r}, expected a list of classes")
    return list(classes)


def refuse_mixed(kernel: Any, budget: Any, init: Any, multiclass: str | None) -> None:
    """Refuse parameters of a learner that do not go together."""
    if kernel is None and budget is not None:
        raise BadInput("budget: it limits the support of a kernel; give a kernel, or no budget")
    if kernel is not None and not (isinstance(init, str) and init == "zeros"):
        raise BadInput("init: with a kernel w starts at zeros; it has no weights that could be given")
    if kernel is not None and multiclass is not None:
        raise BadInput(
            "multiclass: a Learner with a kernel learns one column; use KernelPerceptron.partial_fit"
        )


def label_of(y: Any) -> NDArray[np.int8] | None:
    """The label of a number that is not a plain int: numpy's integers, and floats that are whole."""
    if isinstance(y, (bool, np.bool_)) or not isinstance(y, (float, np.number)):
        return None
    return LABELS.get(int(y)) if y in (-1, 1) else None


def one_row(x: Any) -> Rows:
    """Any array, list or sparse row as a batch of one."""
    try:
        if not hasattr(x, "tocsr"):
            x = np.asarray(x)
        if x.ndim == 1:
            x = x.reshape(1, -1)
        if x.ndim != 2 or x.shape[0] != 1:
            raise BadInput(f"x: expected one example, got shape {x.shape}; learn examples one by one")
        return as_rows(x)
    except (TypeError, ValueError) as problem:
        raise BadInput(str(problem).replace("X: ", "x: ", 1)) from problem


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    view = array[...]
    view.flags.writeable = False
    return view
