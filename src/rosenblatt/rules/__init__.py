"""Update rules, one per file, by name."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from typing import Any

from rosenblatt.errors import BadInput, bad_choice
from rosenblatt.rules.adagrad import Adagrad
from rosenblatt.rules.alma import Alma
from rosenblatt.rules.arow import Arow, Narow, NormalHerd
from rosenblatt.rules.confidence_weighted import ConfidenceWeighted, Scw1, Scw2
from rosenblatt.rules.forgetting import Forgetting
from rosenblatt.rules.margin import Margin
from rosenblatt.rules.passive_aggressive import (
    PassiveAggressive,
    PassiveAggressive1,
    PassiveAggressive2,
)
from rosenblatt.rules.romma import AggressiveRomma, Romma
from rosenblatt.rules.rosenblatt import Rosenblatt
from rosenblatt.rules.second_order import SecondOrder
from rosenblatt.rules.shape import (
    ABOVE_ZERO,
    UP_TO_ONE,
    Choice,
    Constants,
    Facts,
    Range,
    TwoClaims,
    absorb,
    covariance,
    direction,
    flaw,
    length2,
    measured,
    step,
    threshold,
    weighed_step,
)
from rosenblatt.rules.uneven_margin import UnevenMargin

RULES: dict[str, type] = {
    "rosenblatt": Rosenblatt,
    "margin": Margin,
    "uneven_margin": UnevenMargin,
    "passive_aggressive": PassiveAggressive,
    "passive_aggressive_1": PassiveAggressive1,
    "passive_aggressive_2": PassiveAggressive2,
    "alma": Alma,
    "romma": Romma,
    "aggressive_romma": AggressiveRomma,
    "forgetting": Forgetting,
    "arow": Arow,
    "narow": Narow,
    "normal_herd": NormalHerd,
    "confidence_weighted": ConfidenceWeighted,
    "scw1": Scw1,
    "scw2": Scw2,
    "second_order": SecondOrder,
    "adagrad": Adagrad,
}
"""Every rule by its name: a rule is its file and its line here, and says all else itself (`Facts`). A rule
of your own needs no name: pass the object."""

__all__ = [
    "ABOVE_ZERO",
    "RULES",
    "UP_TO_ONE",
    "Adagrad",
    "AggressiveRomma",
    "Alma",
    "Arow",
    "Choice",
    "ConfidenceWeighted",
    "Constants",
    "Facts",
    "Forgetting",
    "Margin",
    "Narow",
    "NormalHerd",
    "PassiveAggressive",
    "PassiveAggressive1",
    "PassiveAggressive2",
    "Range",
    "Romma",
    "Rosenblatt",
    "Scw1",
    "Scw2",
    "SecondOrder",
    "TwoClaims",
    "UnevenMargin",
    "absorb",
    "as_rule",
    "constants",
    "covariance",
    "direction",
    "facts",
    "flaw",
    "is_packaged",
    "keeps_arrays",
    "length2",
    "listed",
    "measured",
    "name_of",
    "start",
    "step",
    "threshold",
    "two_claims",
    "weighed_step",
    "widened",
    "written",
]


def as_rule(rule: Any) -> Any:
    """A rule object from a name or an object, with every parameter a float in its range.

    >>> as_rule("rosenblatt")
    Rosenblatt(rate=1.0)
    >>> as_rule(Margin(tau=2))
    Margin(tau=2.0, rate=1.0)
    >>> as_rule("adaline")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: rule: got 'adaline', expected one of 'rosenblatt', 'margin', ...
    """
    if isinstance(rule, str):
        if rule not in RULES:
            raise bad_choice("rule", rule, RULES)
        return RULES[rule]()
    if type(rule) not in step.bodies or type(rule) not in threshold.bodies:
        raise BadInput(
            f"rule: got {rule!r}, expected a name ({', '.join(RULES)}) or a rule object such as "
            "rosenblatt.rules.Margin(tau=0.5)"
        )
    if hasattr(rule, "facts"):
        for name, value in zip(rule._fields, rule, strict=True):
            _check_parameter(rule, name, value)
    return type(rule)(*(value if isinstance(value, str) else float(value) for value in rule))


def name_of(rule: Any) -> str:
    """The name that `as_rule` knows it by, or the class's own."""
    return next((name for name, cls in RULES.items() if cls is type(rule)), type(rule).__name__)


def is_packaged(rule: Any) -> bool:
    """Whether the rule is one of ours, so that the key of the machine code on disk covers its source."""
    return type(rule).__module__.startswith("rosenblatt.")


def facts(rule: Any) -> Facts:
    """What the rule says of itself; one of your own need say nothing."""
    has_arrays = keeps_arrays(rule)
    said: Facts = rule.facts() if hasattr(rule, "facts") else Facts()
    if has_arrays and not said.beyond:
        return said._replace(beyond="it keeps numbers of its own for each feature")
    return said


def constants(rule: Any) -> Constants:
    """The coefficient and the two thresholds of a rule whose coefficient is fixed, as its own functions
    have them."""
    coefficient, _, _ = step(rule, None, 0.0, 1.0, 0.0)
    return Constants(coefficient, threshold(rule, None, 1.0, 1.0), threshold(rule, None, -1.0, 1.0))


def start(rule: Any) -> Any:
    """What the rule remembers before the first example: a NamedTuple from its own `start`, or None."""
    return rule.start() if hasattr(rule, "start") else None


def keeps_arrays(rule: Any) -> bool:
    """Whether the rule has numbers of its own for each feature."""
    return hasattr(rule, "widened")


def widened(rule: Any, memory: Any, width: int) -> Any:
    """The same memory for `width` features, the offset included; the rule says what new ones begin with."""
    return rule.widened(memory, width) if keeps_arrays(rule) else memory


def two_claims(rule: Any) -> TwoClaims:
    """The two claims behind the rule's mistake bound; where it has none, the error says why.

    >>> two_claims("margin")
    TwoClaims(rate=1.0, threshold=1.0)
    >>> two_claims("alma")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: rule: the two claims of the mistake bound do not hold for 'alma': ...
    """
    rule = as_rule(rule)
    if hasattr(rule, "claims"):
        claims: TwoClaims = rule.claims()
        return claims
    own = "it has no method `claims` that returns rosenblatt.rules.TwoClaims(rate, threshold)"
    why = rule.no_claims() if hasattr(rule, "no_claims") else own
    known = ", ".join(repr(name) for name, cls in RULES.items() if hasattr(cls, "claims"))
    raise BadInput(
        f"rule: the two claims of the mistake bound do not hold for {name_of(rule)!r}: "
        f"{why}; they hold for {known}"
    )


def written(parameters: Mapping[str, float | str]) -> str:
    """Parameters for people.

    >>> written(Scw1(C=0.5)._asdict())
    'C=0.5, eta=0.75, covariance=diagonal'
    """
    return ", ".join(
        f"{name}={value}" if isinstance(value, str) else f"{name}={value:g}"
        for name, value in parameters.items()
    )


def listed(chosen: Callable[[Facts], bool]) -> str:
    """The names of the rules whose facts are so, for a sentence.

    >>> listed(lambda facts: facts.is_fixed)
    "'rosenblatt', 'margin' or 'uneven_margin'"
    """
    *names, last = [repr(name) for name, cls in RULES.items() if chosen(facts(cls()))]
    return f"{', '.join(names)} or {last}" if names else last


def _check_parameter(rule: Any, name: str, value: Any) -> None:
    where, allowed = f"{type(rule).__name__}.{name}", facts(rule).ranges.get(name, Range())
    if isinstance(allowed, Choice):
        if value not in allowed:
            raise BadInput(f"{where}: expected {allowed.words}, got {value!r}")
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise BadInput(f"{where}: expected a number, got {value!r}")
    if float(value) not in allowed:
        raise BadInput(f"{where}: expected {allowed.words}, got {float(value)!r}")
