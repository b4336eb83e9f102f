"""Parameters in a model file: each value must have a kind that its parameter allows.

Rules, kernels and budgets are stored by name, with their numeric parameters. Objects without a registered
name cannot be saved, because loading them would mean running a user's code.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from rosenblatt import budgets, kernels, rules
from rosenblatt.errors import BadInput
from rosenblatt.kernels.kernel_parameters import GAMMAS
from rosenblatt.numeric.row_batches import plain
from rosenblatt.storage.fields import MOST, Kind, Part, Section, part
from rosenblatt.storage.names import decode_label, encode_label
from rosenblatt.training.settings import (
    BY_CLASS,
    FLAG,
    LEFT_OUT,
    NOTHING,
    NUMBER,
    ROWS,
    TEXT,
    WEIGHTS,
    WHOLE,
    settings_of,
)

MOST_JOBS = 1 << 16  # threads: the work is divided into as many parts
HIGHEST_DEGREE = 1_000_000  # limit for a polynomial kernel, which needs as many multiplications
LARGEST_BUDGET = 1 << 31

KINDS: dict[str, dict[str, type]] = {
    "rule": rules.RULES,
    "kernel": kernels.KERNELS,
    "budget": budgets.BUDGETS,
}
STRUCTURED = (*KINDS, BY_CLASS, ROWS, WEIGHTS)
"""Kinds that are stored as sections; the others are plain JSON."""


# ---------------------------------------------------------------- rules, kernels and budgets


def encode_choice(thing: Any, kind: str) -> dict[str, Any]:
    """Return the name and the parameters of a rule, kernel or budget as JSON."""
    name = next((name for name, cls in KINDS[kind].items() if cls is type(thing)), None)
    if name is None:
        raise BadInput(
            f"{kind}: {thing!r} is user-defined, and a model file contains no code; use one of "
            f"{', '.join(KINDS[kind])}, or save this model with pickle"
        )
    if getattr(thing, "degree", 1) > HIGHEST_DEGREE:
        raise BadInput(f"{kind}: a degree above {HIGHEST_DEGREE:,} cannot be saved; use a smaller one")
    where = type(thing).__name__
    given = {field: _as_json(f"{where}.{field}", value) for field, value in thing._asdict().items()}
    return {"name": name, "parameters": given}


def _as_json(where: str, value: Any) -> float | str:
    if isinstance(value, str):
        return value
    if not isinstance(value, bool) and isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real) and math.isfinite(value):
        return float(value)
    raise BadInput(f"{where}: {value!r} cannot be saved, expected a finite number")


def decode_choice(section: Section, kind: str) -> Any:
    """Return a rule, kernel or budget by its name; check that its parameters are in range.

    A kernel's gamma may also be a word such as "scale".
    """
    cls: Any = KINDS[kind][section.text("name", KINDS[kind])]
    given = section.part("parameters").fields()
    for name, value in given.items():
        if name not in cls._fields:
            raise section.wrong("parameters", f"{name[:80]!r} is not a parameter of {cls.__name__}")
        words = GAMMAS if kind == "kernel" and name == "gamma" else _words(kind, cls, name)
        is_word = isinstance(value, str) and value in words
        if not is_word and _kind_of(value) not in (WHOLE, NUMBER):
            raise section.wrong("parameters", f"{name} is not a number")
    thing = cls(**given)
    if getattr(thing, "degree", 1) > HIGHEST_DEGREE:
        raise section.wrong("parameters", f"a degree above {HIGHEST_DEGREE:,}")
    if getattr(thing, "size", 1) > LARGEST_BUDGET:
        raise section.wrong("parameters", f"a size above {LARGEST_BUDGET:,}")
    if kind == "rule":
        return rules.as_rule(thing)
    if kind == "budget":
        return budgets.as_budget(thing)
    kernels.as_kernel(
        thing._replace(gamma=1.0) if isinstance(getattr(thing, "gamma", None), str) else thing
    )
    return thing


def _words(kind: str, cls: Any, name: str) -> tuple[str, ...]:
    """Return the words that are allowed as the value of a rule's parameter; empty if there are none."""
    allowed = rules.facts(cls()).ranges.get(name) if kind == "rule" else None
    return allowed.choices if isinstance(allowed, rules.Choice) else ()


def choice(kind: str) -> Kind:
    """Return the field kind for a rule, a kernel or a budget."""
    return part(partial(encode_choice, kind=kind), lambda section, found: decode_choice(section, kind))


RULE, KERNEL, BUDGET = map(choice, KINDS)


# ---------------------------------------------------------------- parameters


def encode_parameters(parameters: Mapping[str, Any], place: str) -> Part:
    known, given = settings_of(place), {name: plain(value) for name, value in parameters.items()}
    return Part({name: _encode(name, value, known[name].kinds) for name, value in given.items()})


def _encode(name: str, value: Any, allowed: tuple[str, ...]) -> Any:
    kind = _kind_of(value) or _kind_of_sequence(value, allowed)
    if kind not in allowed and LEFT_OUT in allowed:
        return None
    if kind not in allowed:
        if name in KINDS:
            encode_choice(value, name)  # raises an error with the reason
        raise BadInput(f"{name}: {value!r} cannot be saved, expected {_expected_kinds(allowed)}")
    if kind in KINDS:
        return {"kind": kind, **encode_choice(value, str(kind))}
    if kind == BY_CLASS:
        pairs = [[encode_label(label), _weight(name, weight)] for label, weight in value.items()]
        return {"kind": kind, "pairs": pairs}
    if kind == ROWS:
        return Part({"kind": kind, "": np.asarray(value, np.int64)})
    if kind == WEIGHTS:
        w, b = value if _is_pair(value) else (value, 0.0)
        w, b = np.asarray(w, np.float64), np.ravel(np.asarray(b, np.float64))
        return Part({"kind": kind, "is_pair": _is_pair(value), "w": w, "b": b})
    made = {WHOLE: int, NUMBER: float, TEXT: str}.get(str(kind))
    return value if made is None else made(value)


def _weight(name: str, weight: Any) -> float:
    number = plain(weight)
    if _kind_of(number) not in (WHOLE, NUMBER):
        raise BadInput(f"{name}: {weight!r} cannot be saved, expected a finite number for each class")
    return int(number) if isinstance(number, numbers.Integral) else float(number)


def _kind_of(value: Any) -> str | None:
    """Return the kind of a value that is not a sequence, or None if the kind is unknown."""
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return TEXT
    if isinstance(value, bool):
        return FLAG
    if isinstance(value, numbers.Integral):
        return WHOLE if -MOST <= int(value) <= MOST else None
    if isinstance(value, numbers.Real):
        return NUMBER if math.isfinite(value) else None
    if isinstance(value, dict):
        return BY_CLASS
    return next((kind for kind in KINDS if type(value) in KINDS[kind].values()), None)


def _kind_of_sequence(value: Any, allowed: tuple[str, ...]) -> str | None:
    """Return ROWS or WEIGHTS, whichever the parameter allows and the sequence matches; otherwise None."""
    kind = next((kind for kind in (ROWS, WEIGHTS) if kind in allowed), None)
    try:
        for each in value if _is_pair(value) else (value,):
            if np.asarray(each).dtype.kind not in ("iu" if kind == ROWS else "iuf"):
                return None
    except ValueError:
        return None
    return kind


def _is_pair(value: Any) -> bool:
    """Return whether a value is a pair (weights, offset)."""
    return isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) > 0


def _expected_kinds(allowed: tuple[str, ...]) -> str:
    words = {NOTHING: "None", ROWS: "row numbers", BY_CLASS: "a dict of numbers", FLAG: "True or False"}
    return " or ".join(words.get(kind, f"a {kind}") for kind in allowed if kind != LEFT_OUT)


def decode_parameters(section: Section, place: str, only: Iterable[str] | None = None) -> dict[str, Any]:
    """Return all parameters: first those in the file, in its order, then the others with their defaults.

    `only` lists the allowed parameters, if not all parameters of `place` are allowed.
    """
    known = {name: setting for name, setting in settings_of(place).items() if setting.kinds}
    if only is not None:
        known = {name: known[name] for name in only}
    for name in section.fields():
        if name not in known:
            raise section.wrong(name[:80], "there is no such parameter")
    found = {name: _decode(section, name, known[name].kinds) for name in section.fields()}
    return found | {name: setting.default for name, setting in known.items() if name not in found}


def _decode(section: Section, name: str, allowed: tuple[str, ...]) -> Any:
    value = section.fields()[name]
    kind = section.part(name).text("kind", STRUCTURED) if isinstance(value, dict) else _kind_of(value)
    if kind not in allowed:
        raise section.wrong(name, f"expected {_expected_kinds(allowed)}")
    if name == "n_jobs" and value is not None and abs(value) > MOST_JOBS:
        raise section.wrong(name, f"expected at most {MOST_JOBS} threads")
    if kind in KINDS:
        return decode_choice(section.part(name), kind)
    if kind == BY_CLASS:
        return _decode_by_class(section.part(name))
    if kind == ROWS:
        return section.counts(name, (None,), -MOST)
    if kind == WEIGHTS:
        return _decode_weights(section.part(name))
    return value


def _decode_by_class(part: Section) -> dict[Any, float]:
    found = {}
    for pair in part.list_of("pairs"):
        if not isinstance(pair, list) or len(pair) != 2 or _kind_of(pair[1]) not in (WHOLE, NUMBER):
            raise part.wrong("pairs", "expected pairs of a class and a number")
        found[decode_label(part, pair[0])] = pair[1]
    return found


def _decode_weights(part: Section) -> Any:
    w = part.finite("w", (None,) if part.any_array("w").ndim == 1 else (None, None))
    b = part.finite("b", (None,))
    if not part.flag("is_pair"):
        return w
    return w, (float(b[0]) if len(b) == 1 else b)


def parameters(place: str, only: Iterable[str] | None = None) -> Kind:
    """Return the kind of a field that holds the parameters of `place`, a class of models."""
    return part(
        partial(encode_parameters, place=place),
        lambda section, found: decode_parameters(section, place, only),
    )
