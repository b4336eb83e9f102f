"""The shape of every rule: parameters in a NamedTuple, two small functions, and what it says of itself.

A rule sees scalars only. The loop owns the dot product and the update:

    agreement = y·(w·x + b)
    if agreement ≤ threshold(rule, memory, y, ‖x̃‖²):
        coefficient, shrink, memory = step(rule, memory, agreement, ‖x̃‖², ‖w̃‖²)
        w̃ ← shrink·w̃ + coefficient·y·x̃

with x̃ = (x, 1) and w̃ = (w, b) where there is an offset. The loop decides "agreement ≤ threshold"
exactly. A threshold of 0 asks "is it a mistake?", so there `tie` has its say.

To write a rule of your own, copy `rosenblatt.py`: any NamedTuple of floats with a `threshold` and a
`step` registered for it can be passed as ``rule=``. A method `facts` says what the other loops need to know
(`Facts`); a rule that has none learns by the loop that serves every rule. A rule whose mistake bound is
proved by the two claims of `TwoClaims` returns them from a method `claims`; any other may say why not in a
method `no_claims`.

A rule may remember: its method `start` returns a NamedTuple of numbers, which `step` takes and returns.
Where the memory has arrays, with an entry for each feature or a matrix of them, `start` returns it for the
offset alone, and a method ``widened(memory, width)`` says what new features begin with (see
`arithmetic.widening`). Such a rule registers what it needs of three more hooks:

    length²    what stands for ‖x̃‖² in `threshold` and `step`, such as x̃ᵀΣx̃       `length2`, `measured`
    direction  what w̃ gains, times coefficient·y, such as Σx̃ instead of x̃         `direction`
    memory     how its arrays change, before w̃ does or after                       `direction`, `absorb`

What the weight of an example does is multiply the coefficient, unless the rule registers `weighed_step`.

The sign of w̃·x̃ is decided as ever, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rosenblatt.arithmetic.compiling import chosen_by_class, with_default
from rosenblatt.arithmetic.rows import add, along
from rosenblatt.geometry import most_mistakes


@chosen_by_class
def threshold(rule, memory, label, x2):
    """The agreement at or below which the rule updates; never negative. 0: only on a mistake."""


@chosen_by_class
def step(rule, memory, agreement, x2, w2):
    """Returns (coefficient, shrink, memory): w̃ ← shrink·w̃ + coefficient·y·x̃."""


@with_default
def length2(rule, memory, rows, i, offset, x2):
    """What `threshold` and `step` are given for ‖x̃ᵢ‖², which is x2."""
    return x2


@with_default
def measured(rule, memory, rows, i, offset, x2):
    """`length2` once more, where the rule acts: what is worked out on the way may be left in the memory for
    `direction`."""
    return length2(rule, memory, rows, i, offset, x2)


@with_default
def weighed_step(rule, memory, agreement, x2, w2, weight):
    """`step` for an example of that weight, which is above 0."""
    coefficient, shrink, memory = step(rule, memory, agreement, x2, w2)
    return weight * coefficient, shrink, memory


@with_default
def direction(rule, memory, rows, i, label, offset, weights, scale):
    """The step of an update: a kind of row (see `arithmetic.steps`) of which row i is added to w̃ in the
    place of x̃ᵢ, times coefficient·label. Asked once, when w̃ = scale·weights has been shrunk and before it
    changes: arrays that are to change first may change here."""
    return rows


@with_default
def absorb(rule, memory, rows, i, label, offset):
    """w̃ has changed: arrays that are to change last change here."""


@with_default
def move(stride, rule, memory, rows, i, label, delta, offset, weights, s, x2):
    """v ← v + delta·p, where row i of `stride` is p, and then what the rule remembers. Returns (v·p, ‖p‖²)
    of before. (A stride may do it all in one loop.)"""
    met, p2 = along(stride, i, offset, weights, s, x2)
    add(stride, i, delta, offset, weights)
    absorb(rule, memory, rows, i, label, offset)
    return met, p2


@with_default
def covariance(memory):
    """Σ, how unsure each weight is, as a matrix; None where a memory says nothing of it."""


@with_default
def flaw(memory):
    """What is wrong with a memory that was read from a file: "" where a loop can have left it so."""
    return ""


class Range(NamedTuple):
    """Where a parameter may lie.

    >>> 0.0 in Range(), 0.0 in ABOVE_ZERO, float("inf") in ABOVE_ZERO
    (True, False, False)
    """

    above: float = -math.ulp(0.0)
    most: float = math.inf
    words: str = "a finite number of at least 0"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, float) and self.above < value <= self.most and math.isfinite(value)


ABOVE_ZERO = Range(0.0, words="a finite number above 0")
UP_TO_ONE = Range(0.0, 1.0, "a number above 0 and at most 1")


class Choice(NamedTuple):
    """The words that a parameter may be.

    >>> "full" in Choice(("diagonal", "full")), Choice(("diagonal", "full")).words
    (True, "'diagonal' or 'full'")
    """

    choices: tuple[str, ...]

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and value in self.choices

    @property
    def words(self) -> str:
        return " or ".join(map(repr, self.choices))


class Facts(NamedTuple):
    """What a rule says of itself beside its formula, so that nobody else need know which rules there are.

    help: what it does, in a line. ranges: of its parameters, where they are not at least 0.
    is_additive: w̃ changes by a multiple of one example and by nothing else, and nothing is remembered; the
    threshold depends on nothing but the label.
    is_fixed: moreover that multiple is a constant: the weights are the same bits on every path and machine.
    has_sides: the threshold of positive rows is not that of negative ones.
    beyond: of a rule that is not additive, what else changes at an update.
    has_rosenblatts_bound: at most (radius/margin)² mistakes on separable data, from w = 0.
    has_variances: with covariance="diagonal" all that it remembers is `covariance.Variances`, none above 1.
    """

    help: str = ""
    ranges: Mapping[str, Range | Choice] = MappingProxyType({})
    is_additive: bool = False
    is_fixed: bool = False
    has_sides: bool = False
    beyond: str = ""
    has_rosenblatts_bound: bool = False
    has_variances: bool = False


class TwoClaims(NamedTuple):
    """The two claims behind the mistake bound of a rule whose updates all add rate·y·x̃, and are made at an
    agreement of at most `threshold`. Let w* have length 1, y w*·x̃ ≥ margin and ‖x̃‖ ≤ radius on every row.
    At each update

    1. w·w* grows by rate·y w*·x̃ ≥ rate·margin;
    2. ‖w‖² grows by rate²‖x̃‖² + 2·rate·agreement ≤ rate²·radius² + 2·rate·threshold.

    So t updates from w₀ have t·progress + w₀·w* ≤ w·w* ≤ ‖w‖ ≤ √(‖w₀‖² + t·growth). Every mistake is an
    update, so this bounds the mistakes too. Novikoff 1962.

    >>> TwoClaims(rate=0.5).most_updates(radius=2.0, margin=0.5)
    16.0
    """

    rate: float
    threshold: float = 0.0

    def for_weights(self, heaviest: float) -> TwoClaims:
        """The claims where rows have weights c of at most `heaviest`: a row takes part as the point c·x̃,
        and rate·c·y·x̃ adds rate²‖c·x̃‖² + 2·rate·c·agreement to ‖w‖²."""
        return self._replace(threshold=self.threshold * heaviest)

    def progress(self, margin: float) -> float:
        """The least that an update adds to w·w*."""
        return self.rate * margin

    def growth(self, radius: float) -> float:
        """The most that an update adds to ‖w‖²."""
        reach = self.rate * radius
        return reach * reach + 2.0 * self.rate * self.threshold

    def most_updates(
        self, radius: float, margin: float, along: float = 0.0, start_squared: float = 0.0
    ) -> float:
        """The largest t that both claims leave: from w₀ = 0, (radius² + 2·threshold/rate)/margin².

        along = w₀·w*, start_squared = ‖w₀‖². Infinite where the margin is not positive.
        """
        # all over the rate: the same run with steps of length 1, from w₀/rate
        reach = math.hypot(radius, math.sqrt(2.0 * self.threshold / self.rate))
        return most_mistakes(reach, margin, along / self.rate, start_squared / self.rate / self.rate)


class Constants(NamedTuple):
    """What a rule with a fixed coefficient is made of."""

    rate: float
    tau_positive: float
    tau_negative: float
