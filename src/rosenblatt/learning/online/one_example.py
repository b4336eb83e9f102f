"""One example and its label, converted from the forms in which users pass them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from math import isfinite
from struct import error, pack
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import Rows, as_rows
from rosenblatt.data.labels import one_label
from rosenblatt.errors import BadInput


class LearnerRecord(NamedTuple):
    """Hold the contents of a `Learner`: parameters, announced classes, feature names and the state, if any.

    `is_named`: whether features have names; None means that it is not known yet.
    """

    parameters: dict[str, Any]
    announced: list[Any] | None
    feature_names: list[Any]
    is_named: bool | None
    state: Any


LABELS = {sign: np.array([sign], np.int8) for sign in (-1, 1)}


class Slots(dict[str, int]):
    """Number each named feature in the order of appearance."""

    def __missing__(self, name: str) -> int:
        self[name] = len(self)
        return self[name]

    def read(self, x: Mapping[Any, Any], only_known: bool) -> tuple[NDArray[np.float64], Collection[Any]]:
        """Return the values of an example and the names of its features, which need not be known yet."""
        try:
            values = np.frombuffer(pack(f"{len(x)}d", *x.values()))
        except (error, OverflowError):
            x = in_numbers(x)
            values = frozen(np.fromiter(x.values(), np.float64, len(x)))
        names: Collection[Any] = x
        if only_known:
            names = [name for name in x if name in self]
            if len(names) < len(x):
                values = frozen(values[[name in self for name in x]])
        # the sum of finite numbers is finite, unless it overflows: then look at each
        if not isfinite(sum(values.tolist())) and not (finite := np.isfinite(values)).all():
            name = list(names)[int(np.argmin(finite))]
            raise BadInput(f"x: feature {name!r} is {x[name]}; give finite numbers")
        return values, names


def _signs(pair: Iterable[Any]) -> dict[Any, NDArray[np.int8]]:
    return dict(zip(pair, LABELS.values(), strict=True))


class TwoClasses:
    """Map two labels to −1 and +1.

    `pair` has the two labels, None as long as no label has determined them; `signs` maps each to its
    sign.
    """

    def __init__(self, pair: list[Any] | None) -> None:
        self.pair = pair
        self.signs = {} if pair is None else _signs(pair)

    @property
    def stated(self) -> list[Any] | None:
        """Pair of labels if they are not −1 and +1."""
        return None if self.pair == list(LABELS) else self.pair

    def sign_of(self, y: Any) -> NDArray[np.int8]:
        """Return the sign of a label that `signs` does not have yet: it may determine the pair."""
        if self.pair is not None:
            negative, positive = self.pair
            raise BadInput(
                f"y: got {y!r}, where this Learner has the labels {negative!r} and {positive!r}; "
                "Learner(classes=[negative, positive]) names two, multiclass='one_vs_rest' takes any number"
            )
        if (pair := pair_of(y)) is not None:
            self.pair, self.signs = list(pair), _signs(pair)
        return LABELS[1 if y == 1 else -1]


def announced(classes: Any, multiclass: str | None) -> list[Any] | None:
    """Return the classes announced to a learner; of two, the negative and the positive."""
    if classes is None:
        return None
    if isinstance(classes, str) or not isinstance(classes, Iterable):
        raise BadInput(f"classes: got {classes!r}, expected a list of classes")
    named = list(classes)
    if multiclass is None:
        named = [one_label(label) for label in named]
        if len(named) != 2 or named[0] == named[1]:
            raise BadInput(
                f"classes: got {named!r}, expected two, the negative and the positive one; for more, use "
                "multiclass='one_vs_rest' or 'ultraconservative'"
            )
    return named


def refuse_mixed(kernel: Any, budget: Any, init: Any, multiclass: str | None) -> None:
    """Raise an error for parameters of a learner that cannot be combined."""
    if kernel is None and budget is not None:
        raise BadInput("budget: it limits the support of a kernel; give a kernel, or no budget")
    if kernel is not None and not (isinstance(init, str) and init == "zeros"):
        raise BadInput("init: with a kernel w starts at zero and has no weights to set; leave init out")
    if kernel is not None and multiclass is not None:
        raise BadInput(
            "multiclass: a Learner with a kernel learns two classes; use KernelPerceptron.partial_fit"
        )


def pair_of(y: Any) -> tuple[Any, Any] | None:
    """Return the negative and the positive class for a label; None for 1, which occurs in two pairs.

    Examples
    --------
    >>> pair_of(True), pair_of(0), pair_of(-1.0), pair_of(1)
    ((False, True), (0, 1), (-1, 1), None)
    """
    if isinstance(y, (bool, np.bool_)):
        return False, True
    if not isinstance(y, (int, float, np.number)) or y not in (-1, 0, 1):
        raise BadInput(
            f"y: got {y!r}, expected -1 or +1, 0 or 1, True or False; name two others with "
            "Learner(classes=[negative, positive]), or accept any number as they appear, with "
            "multiclass='one_vs_rest'"
        )
    return None if y == 1 else (int(y), 1)


def by_name(x: Any) -> Mapping[Any, Any] | None:
    """Return the features of a dict, a text or a list of words by name; None if they are numbered.

    Examples
    --------
    >>> by_name("Free money, free!"), by_name(["free", "lunch"]), by_name([1.0, 2.0])
    ({'free': 2, 'money': 1}, {'free': 1, 'lunch': 1}, None)
    """
    if isinstance(x, (dict, Mapping)):  # to ask for a Mapping takes longer
        return x
    if isinstance(x, str):
        from rosenblatt.data.sources.text_cells import words_of  # with pyarrow, which numbers do without

        return dict(Counter(words_of(x)))
    if isinstance(x, (list, tuple)) and x and all(isinstance(word, str) for word in x):
        return dict(Counter(x))
    return None


def in_numbers(x: Mapping[Any, Any]) -> dict[Any, float]:
    """Return a number for each feature.

    A text is the feature "name=text", a list of words one feature for each of them.

    Examples
    --------
    >>> in_numbers({"age": 3, "member": True, "city": "Rome", "mail": ["free", "money", "free"]})
    {'age': 3.0, 'member': 1.0, 'city=Rome': 1.0, 'mail=free': 2.0, 'mail=money': 1.0}
    """
    numbers: dict[Any, float] = {}
    for name, value in x.items():
        if isinstance(value, (set, frozenset)):
            value = sorted(value, key=str)  # the order of a set is another in each process
        if isinstance(value, str):
            found = {f"{name}={value}": 1}
        elif isinstance(value, (list, tuple)) and all(isinstance(word, str) for word in value):
            found = Counter(f"{name}={word}" for word in value)
        else:
            try:
                pack("d", value)
            except (error, TypeError, OverflowError) as problem:
                raise BadInput(
                    "x: expected {name: number}, {name: text} or {name: [words]}, got "
                    f"{name!r}: {value!r:.60}; leave out unknown values ({problem})"
                ) from problem
            found = {name: value}
        for feature, more in found.items():
            numbers[feature] = numbers.get(feature, 0.0) + float(more)
    return numbers


def one_row(x: Any) -> Rows:
    """Return an array, list or sparse row as a batch of one."""
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
    """Return a read-only view of an array."""
    view = array[...]
    view.flags.writeable = False
    return view
