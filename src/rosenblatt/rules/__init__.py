"""Update rules, one per file, by name."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from typing import Any

from rosenblatt.errors import BadInput, bad_choice
from rosenblatt.numeric.compiling import jit_uncached
from rosenblatt.rules.adagrad import Adagrad
from rosenblatt.rules.alma import Alma
from rosenblatt.rules.arow import Arow, Narow, NormalHerd
from rosenblatt.rules.confidence_weighted import ConfidenceWeighted, Scw1, Scw2
from rosenblatt.rules.forgetting import Forgetting
from rosenblatt.rules.margin import Margin
from rosenblatt.rules.passive_aggressive import PassiveAggressive, PassiveAggressive1, PassiveAggressive2
from rosenblatt.rules.romma import AggressiveRomma, Romma
from rosenblatt.rules.rosenblatt import Rosenblatt
from rosenblatt.rules.rule_hooks import (
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
    step,
    threshold,
    update_length2,
    weighed_step,
)
from rosenblatt.rules.second_order import SecondOrder
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
"""Every rule by its name. To add a rule, write one file and add one line here."""

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
    "format_parameters",
    "is_packaged",
    "keeps_arrays",
    "length2",
    "name_of",
    "names_of_rules",
    "start",
    "step",
    "threshold",
    "two_claims",
    "update_length2",
    "weighed_step",
    "widen",
]


def as_rule(rule: Any) -> Any:
    """Return a rule object, given a rule or its name; parameters are checked, and numbers become floats.

    Parameters
    ----------
    rule : str or rule object
        A name in `RULES`, a built-in rule, or a custom NamedTuple for which `threshold` and `step` are
        registered.

    Returns
    -------
    rule object
        The rule.

    Raises
    ------
    BadInput
        If the name is unknown or a parameter is out of range.

    Examples
    --------
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
    """Return the name by which `as_rule` accepts a rule, or the name of its class.

    Parameters
    ----------
    rule : rule object
        The rule.

    Returns
    -------
    str
        The name.

    Examples
    --------
    >>> name_of(Margin())
    'margin'
    """
    return next((name for name, cls in RULES.items() if cls is type(rule)), type(rule).__name__)


def is_packaged(rule: Any) -> bool:
    """Return whether a rule is built in; only loops compiled for built-in rules are cached on disk.

    Parameters
    ----------
    rule : rule object
        The rule.

    Returns
    -------
    bool
        True for a built-in rule.

    Examples
    --------
    >>> is_packaged(Margin())
    True
    """
    return type(rule).__module__.startswith("rosenblatt.")


def loop_for(rule: Any, loop: Any) -> Any:
    """Return the loop to use with this rule; only loops compiled for built-in rules are cached on disk."""
    return loop if is_packaged(rule) else jit_uncached(loop)


def facts(rule: Any) -> Facts:
    """Return the facts about a rule, or the defaults for a custom rule that states none.

    Parameters
    ----------
    rule : rule object
        The rule.

    Returns
    -------
    Facts
        The result of its method `facts`, or the defaults.

    Examples
    --------
    >>> facts(Margin()).is_additive
    True
    """
    has_arrays = keeps_arrays(rule)
    said: Facts = rule.facts() if hasattr(rule, "facts") else Facts()
    if has_arrays and not said.beyond:
        return said._replace(beyond="it stores its own values for each feature")
    return said


def constants(rule: Any) -> Constants:
    """Return the constant coefficient and the two thresholds of a rule with a fixed coefficient.

    Parameters
    ----------
    rule : rule object
        A rule with `Facts.is_fixed`.

    Returns
    -------
    Constants
        The constants, computed by the functions `step` and `threshold` of the rule.

    Examples
    --------
    >>> constants(UnevenMargin(tau_positive=2.0))
    Constants(rate=1.0, tau_positive=2.0, tau_negative=0.0)
    """
    coefficient, _, _ = step(rule, None, 0.0, 1.0, 0.0)
    return Constants(coefficient, threshold(rule, None, 1.0, 1.0), threshold(rule, None, -1.0, 1.0))


def start(rule: Any) -> Any:
    """Return the memory of a rule before the first example.

    Parameters
    ----------
    rule : rule object
        The rule.

    Returns
    -------
    NamedTuple or None
        The result of its method `start`; None for a rule without memory.

    Examples
    --------
    >>> start(Alma())
    AlmaMemory(k=1.0)
    """
    return rule.start() if hasattr(rule, "start") else None


def keeps_arrays(rule: Any) -> bool:
    """Return whether the memory of a rule contains a number for each feature.

    Parameters
    ----------
    rule : rule object
        The rule.

    Returns
    -------
    bool
        True if the rule has a method `widen`.

    Examples
    --------
    >>> keeps_arrays(Adagrad()), keeps_arrays(Alma())
    (True, False)
    """
    return hasattr(rule, "widen")


def widen(rule: Any, memory: Any, width: int) -> Any:
    """Return the memory of a rule, extended to `width` weights, including the offset.

    Parameters
    ----------
    rule : rule object
        The rule, which determines the values for new features.
    memory : NamedTuple or None
        Its memory.
    width : int
        The new number of weights.

    Returns
    -------
    NamedTuple or None
        The wider memory.

    Examples
    --------
    >>> widen(Adagrad(), start(Adagrad()), 3).squares
    array([0., 0., 0.])
    """
    return rule.widen(memory, width) if keeps_arrays(rule) else memory


def two_claims(rule: str | tuple[Any, ...]) -> TwoClaims:
    """Return the two inequalities from which a rule's mistake bound follows.

    Parameters
    ----------
    rule : str or rule object
        The rule.

    Returns
    -------
    TwoClaims
        The two inequalities.

    Raises
    ------
    BadInput
        If no such inequalities hold for the rule; the message gives the reason.

    Examples
    --------
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


def format_parameters(parameters: Mapping[str, float | str]) -> str:
    """Return parameters as text for messages and reports.

    Parameters
    ----------
    parameters : mapping of str to float or str
        The parameters by name.

    Returns
    -------
    str
        Each as "name=value", separated by commas.

    Examples
    --------
    >>> format_parameters(Scw1(C=0.5)._asdict())
    'C=0.5, eta=0.75, covariance=diagonal'
    """
    return ", ".join(
        f"{name}={value}" if isinstance(value, str) else f"{name}={value:g}"
        for name, value in parameters.items()
    )


def names_of_rules(chosen: Callable[[Facts], bool]) -> str:
    """Return the names of the rules whose facts satisfy a condition, as a phrase.

    Parameters
    ----------
    chosen : callable
        A function of `Facts` that returns whether to include the rule.

    Returns
    -------
    str
        The names, quoted and joined by commas and "or".

    Examples
    --------
    >>> names_of_rules(lambda facts: facts.is_fixed)
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
