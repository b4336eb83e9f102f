"""Rules, kernels and budgets in a file: a name, and parameters. What has no name there cannot be saved,
because to load it would mean to run somebody's code."""

from __future__ import annotations

import math
import numbers
from typing import Any

from rosenblatt import budgets, kernels, rules
from rosenblatt.errors import BadInput
from rosenblatt.kernels.parameters import GAMMAS
from rosenblatt.storage.fields import Kind, part
from rosenblatt.storage.sections import MOST, Draft, Section

HIGHEST_DEGREE = 1_000_000  # of a polynomial kernel: the plain loop makes so many multiplications
LARGEST_BUDGET = 1 << 31

KINDS: dict[str, dict[str, type]] = {
    "rule": rules.RULES,
    "kernel": kernels.KERNELS,
    "budget": budgets.BUDGETS,
}


def encode_choice(draft: Draft, thing: Any, kind: str) -> None:
    """Name and parameters of a rule, kernel or budget."""
    name = next((name for name, cls in KINDS[kind].items() if cls is type(thing)), None)
    if name is None:
        raise BadInput(
            f"{kind}: {thing!r} is of your own making, and a model file holds no code; use one of "
            f"{', '.join(KINDS[kind])}, or keep this model with pickle"
        )
    if getattr(thing, "degree", 1) > HIGHEST_DEGREE:
        raise BadInput(f"{kind}: a degree above {HIGHEST_DEGREE:,} cannot be saved; use a smaller one")
    draft["name"] = name
    draft["parameters"] = {
        field: _plain(f"{type(thing).__name__}.{field}", value)
        for field, value in zip(thing._fields, thing, strict=True)
    }


def _plain(where: str, value: Any) -> float | str:
    if isinstance(value, str):
        return value
    if not isinstance(value, bool) and isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real) and math.isfinite(value):
        return float(value)
    raise BadInput(f"{where}: {value!r} cannot be saved, expected a finite number")


def decode_choice(section: Section, kind: str) -> Any:
    """A rule, kernel or budget by its name, with parameters in their ranges. A kernel's gamma may be a
    word, as a user may have given it."""
    cls: Any = KINDS[kind][section.text("name", KINDS[kind])]
    given = section.part("parameters").fields()
    for name, value in given.items():
        if name not in cls._fields:
            raise section.wrong("parameters", f"{name[:80]!r} is no parameter of {cls.__name__}")
        is_word = kind == "kernel" and name == "gamma" and value in GAMMAS
        if not is_word and (
            type(value) not in (int, float) or not abs(value) <= (MOST if type(value) is int else math.inf)
        ):
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


def choice(kind: str) -> Kind:
    """A rule, kernel or budget as a field."""
    return part(
        lambda draft, thing: encode_choice(draft, thing, kind),
        lambda section, found: decode_choice(section, kind),
    )


RULE, KERNEL, BUDGET = choice("rule"), choice("kernel"), choice("budget")
