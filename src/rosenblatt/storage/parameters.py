"""The parameters of an estimator in a file: each of a kind that its name allows, and of no other."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rosenblatt.arithmetic.examples import plain
from rosenblatt.errors import BadInput
from rosenblatt.learning.settings import (
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
from rosenblatt.storage.choices import KINDS, decode_choice, encode_choice
from rosenblatt.storage.fields import Kind, part
from rosenblatt.storage.names import decode_label, encode_label
from rosenblatt.storage.sections import MOST, Draft, Section

MOST_JOBS = 1 << 16  # threads: shares of the work are made for each

STRUCTURED = (*KINDS, BY_CLASS, ROWS, WEIGHTS)
"""Kinds that are sections of their own; the others are plain JSON."""


def encode_parameters(draft: Draft, parameters: Mapping[str, Any], place: str) -> None:
    for name, given in parameters.items():
        value, allowed = plain(given), settings_of(place)[name].kinds
        kind = _kind_of(value) or _kind_of_sequence(value, allowed)
        if kind not in allowed and LEFT_OUT in allowed:
            kind, value = NOTHING, None
        if kind not in allowed:
            if name in KINDS:
                encode_choice(Draft(), value, name)  # it says why not
            raise BadInput(f"{name}: {value!r} cannot be saved, expected {_expected(allowed)}")
        _encode(draft, name, str(kind), value)


def _kind_of(value: Any) -> str | None:
    """What a value is, if it is neither a sequence nor anything strange."""
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
    """Row numbers or weights, whichever the parameter may be; None if neither, or not of numbers."""
    kind = next((kind for kind in (ROWS, WEIGHTS) if kind in allowed), None)
    try:
        for part in value if _is_pair(value) else (value,):
            listed = np.asarray(part)
            if listed.dtype.kind not in ("iu" if kind == ROWS else "iuf"):
                return None
    except ValueError:
        return None
    return kind


def _is_pair(value: Any) -> bool:
    """Whether it is (weights, offset)."""
    return isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) > 0


def _expected(allowed: tuple[str, ...]) -> str:
    words = {NOTHING: "None", ROWS: "row numbers", BY_CLASS: "a dict of numbers", FLAG: "True or False"}
    return " or ".join(words.get(kind, f"a {kind}") for kind in allowed if kind != LEFT_OUT)


def _encode(draft: Draft, name: str, kind: str, value: Any) -> None:
    if kind in KINDS:
        part = draft.part(name)
        part["kind"] = kind
        encode_choice(part, value, kind)
    elif kind == BY_CLASS:
        part = draft.part(name)
        part["kind"] = kind
        part["pairs"] = [[encode_label(label), _weight(name, weight)] for label, weight in value.items()]
    elif kind == ROWS:
        draft.part(name)["kind"] = kind
        draft.array(name, value, np.int64)
    elif kind == WEIGHTS:
        part = draft.part(name)
        part["kind"], part["is_pair"] = kind, _is_pair(value)
        w, b = value if _is_pair(value) else (value, 0.0)
        part.array("w", w, np.float64)
        part.array("b", np.ravel(b), np.float64)
    else:
        plainly = {WHOLE: int, NUMBER: float, TEXT: str}
        draft[name] = plainly[kind](value) if kind in plainly else value


def _weight(name: str, weight: Any) -> float:
    number = plain(weight)
    if _kind_of(number) not in (WHOLE, NUMBER):
        raise BadInput(f"{name}: {weight!r} cannot be saved, expected a finite number for each class")
    return int(number) if isinstance(number, numbers.Integral) else float(number)


def decode_parameters(section: Section, place: str, only: Iterable[str] | None = None) -> dict[str, Any]:
    """The parameters in the file, in its order; then those that are not there, as they are by default.
    only: those that may be there, if not all of the place."""
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
        raise section.wrong(name, f"expected {_expected(allowed)}")
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
    for pair in part.listed("pairs"):
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
    """The parameters of a place as a field."""
    return part(
        lambda draft, given: encode_parameters(draft, given, place),
        lambda section, found: decode_parameters(section, place, only),
    )
