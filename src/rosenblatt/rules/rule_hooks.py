"""The interface of every rule: parameters in a NamedTuple, two small functions, and facts about the rule.

A rule computes with scalars only. The loop computes the inner product and the update:

    agreement = y·(w·x + b)
    if agreement ≤ threshold(rule, memory, y, ‖x̃‖²):
        coefficient, shrink, memory = step(rule, memory, agreement, ‖x̃‖², ‖w̃‖²)
        w̃ ← shrink·w̃ + coefficient·y·x̃

with x̃ = (x, 1) and w̃ = (w, b) if there is an offset. `agreement` is the functional margin. The loop
decides "agreement ≤ threshold" exactly. A threshold of 0 means that the rule updates on mistakes only;
`tie` determines whether a score of 0 is a mistake.

To write a custom rule, copy `rosenblatt.py`: any NamedTuple of floats for which a `threshold` and a `step`
are registered can be passed as ``rule=``. The method `facts` returns what the specialised loops need to
know (`Facts`); a rule without this method runs in the general loop. If the mistake bound of a rule follows
from the two inequalities of `TwoClaims`, the rule returns them from a method `claims`. If not, a method
`no_claims` may return the reason.

A rule may have a memory. Its method `start` returns the initial memory, a NamedTuple of numbers, and `step`
returns the new memory. If the memory contains arrays (one entry per feature, or a matrix), `start` returns
them with an entry for the offset only, and a method ``widen(memory, width)`` extends them to new features
(see `numeric.widening`). Such a rule registers the functions that it needs, among these:

    `length2`, `update_length2`   return a number that replaces ‖x̃‖² in `threshold` and `step`, such as x̃ᵀΣx̃
    `direction`             returns a vector that replaces x̃ in the update, such as Σx̃
    `direction`, `absorb`   change the arrays of the memory, before and after w̃ changes

The weight of an example multiplies the coefficient, unless the rule registers `weighed_step`.

The sign of w̃·x̃ is always decided exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rosenblatt.geometry import most_mistakes
from rosenblatt.numeric.compiling import dispatch_by_class, with_default
from rosenblatt.numeric.rows import add, along


@dispatch_by_class
def threshold(rule, memory, label, x2):
    """Return the functional margin at or below which the rule updates; never negative.

    Parameters
    ----------
    rule : rule object
        The rule.
    memory : NamedTuple or None
        The memory of the rule.
    label : float
        The label of the example, −1.0 or 1.0.
    x2 : float
        ‖x̃‖², or the value of `length2`.

    Returns
    -------
    float
        The threshold; 0 means that the rule updates on mistakes only.

    Examples
    --------
    >>> from rosenblatt.rules import Margin
    >>> threshold(Margin(tau=0.5), None, 1.0, 2.0)
    0.5
    """


@dispatch_by_class
def step(rule, memory, agreement, x2, w2):
    """Return the coefficients of an update, w̃ ← shrink·w̃ + coefficient·y·x̃, and the new memory.

    Parameters
    ----------
    rule : rule object
        The rule.
    memory : NamedTuple or None
        The memory of the rule.
    agreement : float
        The functional margin y(w·x + b).
    x2 : float
        ‖x̃‖², or the value of `length2`.
    w2 : float
        ‖w̃‖².

    Returns
    -------
    tuple
        (coefficient, shrink, memory).

    Examples
    --------
    >>> from rosenblatt.rules import Rosenblatt
    >>> step(Rosenblatt(), None, -1.0, 2.0, 0.0)
    (1.0, 1.0, None)
    """


@with_default
def length2(rule, memory, rows, i, offset, x2):
    """Return the value that `threshold` and `step` receive instead of ‖x̃ᵢ‖².

    Parameters
    ----------
    rule : rule object
        The rule.
    memory : NamedTuple or None
        The memory of the rule.
    rows : Dense or Sparse
        The rows.
    i : int
        The index of the example's row.
    offset : float
        1.0 with an offset, 0.0 without.
    x2 : float
        ‖x̃ᵢ‖².

    Returns
    -------
    float
        The value; ‖x̃ᵢ‖² unless the rule registers a different one.

    Examples
    --------
    >>> from rosenblatt.examples import as_rows
    >>> from rosenblatt.rules import Rosenblatt
    >>> length2(Rosenblatt(), None, as_rows([[1.0, 2.0]]), 0, 1.0, 6.0)
    6.0
    """
    return x2


@with_default
def update_length2(rule, memory, rows, i, offset, x2):
    """Return `length2` at an update; the rule may store intermediate results in its memory for `direction`.

    Parameters
    ----------
    rule : rule object
        The rule.
    memory : NamedTuple or None
        The memory of the rule.
    rows : Dense or Sparse
        The rows.
    i : int
        The index of the example's row.
    offset : float
        1.0 with an offset, 0.0 without.
    x2 : float
        ‖x̃ᵢ‖².

    Returns
    -------
    float
        The value of `length2`.

    Examples
    --------
    >>> from rosenblatt.examples import as_rows
    >>> from rosenblatt.rules import Rosenblatt
    >>> update_length2(Rosenblatt(), None, as_rows([[1.0, 2.0]]), 0, 1.0, 6.0)
    6.0
    """
    return length2(rule, memory, rows, i, offset, x2)


@with_default
def weighed_step(rule, memory, agreement, x2, w2, weight):
    """Return `step` for an example with a weight above 0.

    Parameters
    ----------
    rule : rule object
        The rule.
    memory : NamedTuple or None
        The memory of the rule.
    agreement : float
        The functional margin y(w·x + b).
    x2 : float
        ‖x̃‖², or the value of `length2`.
    w2 : float
        ‖w̃‖².
    weight : float
        The weight of the example.

    Returns
    -------
    tuple
        (coefficient, shrink, memory). Unless the rule registers its own function, the coefficient of `step`
        is multiplied by the weight.

    Examples
    --------
    >>> from rosenblatt.rules import Rosenblatt
    >>> weighed_step(Rosenblatt(), None, -1.0, 2.0, 0.0, 3.0)
    (3.0, 1.0, None)
    """
    coefficient, shrink, memory = step(rule, memory, agreement, x2, w2)
    return weight * coefficient, shrink, memory


@with_default
def direction(rule, memory, rows, i, label, offset, weights, scale):
    """Return the vector that an update adds to w̃ instead of x̃ᵢ, as row i of a batch of rows.

    The loop adds row i of the result, times coefficient·label (see `numeric.update_directions`). The
    function is called once per update, after w̃ = scale·weights has been shrunk and before the vector is
    added, so a rule can change arrays here that must change before w̃.

    Parameters
    ----------
    rule : rule object
        The rule.
    memory : NamedTuple or None
        The memory of the rule.
    rows : Dense or Sparse
        The rows.
    i : int
        The index of the example's row.
    label : float
        The label of the example, −1.0 or 1.0.
    offset : float
        1.0 with an offset, 0.0 without.
    weights : ndarray of float64
        The vector v with w̃ = scale·v.
    scale : float
        The scale.

    Returns
    -------
    rows
        Rows in some layout; `rows` itself unless the rule registers a different vector.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.examples import as_rows
    >>> from rosenblatt.rules import Rosenblatt
    >>> rows = as_rows([[1.0, 2.0]])
    >>> direction(Rosenblatt(), None, rows, 0, 1.0, 1.0, np.zeros(3), 1.0) is rows
    True
    """
    return rows


@with_default
def absorb(rule, memory, rows, i, label, offset):
    """Update the arrays of the memory that change after w̃.

    Parameters
    ----------
    rule : rule object
        The rule.
    memory : NamedTuple or None
        The memory of the rule, changed in place.
    rows : Dense or Sparse
        The rows.
    i : int
        The index of the example's row.
    label : float
        The label of the example, −1.0 or 1.0.
    offset : float
        1.0 with an offset, 0.0 without.

    Examples
    --------
    >>> from rosenblatt.examples import as_rows
    >>> from rosenblatt.rules import Arow
    >>> memory = Arow.widen(Arow().start(), 2)._replace(beta=0.5)
    >>> absorb(Arow(), memory, as_rows([[1.0]]), 0, 1.0, 1.0)
    >>> memory.variance
    array([0.5, 0.5])
    """


@with_default
def move(stride, rule, memory, rows, i, label, delta, offset, weights, s, x2):
    """Add delta·p to v, where p is row i of `stride`, and update the memory of the rule.

    Return v·p for the old v, and ‖p‖². A rule may register a function that does all of this in a single
    loop.
    """
    met, p2 = along(stride, i, offset, weights, s, x2)
    add(stride, i, delta, offset, weights)
    absorb(rule, memory, rows, i, label, offset)
    return met, p2


@with_default
def covariance(memory):
    """Return Σ, the covariance of the weights, as a matrix; None if the memory contains no covariance.

    Parameters
    ----------
    memory : NamedTuple or None
        The memory of a rule.

    Returns
    -------
    ndarray of shape (n_weights, n_weights) or None
        The covariance.

    Examples
    --------
    >>> from rosenblatt.rules import Arow
    >>> covariance(Arow().start())
    array([[1.]])
    """


@with_default
def flaw(memory):
    """Return a phrase that describes the error in a memory read from a file, or "" if it is valid.

    Parameters
    ----------
    memory : NamedTuple or None
        The memory of a rule.

    Returns
    -------
    str
        A phrase for an error message, or "".

    Examples
    --------
    >>> from rosenblatt.rules import Adagrad
    >>> memory = Adagrad.start()
    >>> flaw(memory), flaw(memory._replace(squares=memory.squares - 1.0))
    ('', 'a sum of squares is below 0')
    """
    return ""


class Range(NamedTuple):
    """State the interval of values allowed for a parameter.

    Parameters
    ----------
    above : float
        The number that the parameter must exceed; the default allows 0 and all positive numbers.
    most : float, default=inf
        The largest value.
    words : str
        The interval in words, for error messages.

    Examples
    --------
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
    """State the words allowed for a parameter.

    Parameters
    ----------
    choices : tuple of str
        The words.

    Examples
    --------
    >>> "full" in Choice(("diagonal", "full")), Choice(("diagonal", "full")).words
    (True, "'diagonal' or 'full'")
    """

    choices: tuple[str, ...]

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and value in self.choices

    @property
    def words(self) -> str:
        """Allowed words as a phrase for error messages."""
        return " or ".join(map(repr, self.choices))


class Facts(NamedTuple):
    """State what the other parts of the package need to know about a rule besides its formula.

    Parameters
    ----------
    help : str
        What the rule does, in one line.
    ranges : mapping of str to Range or Choice
        The ranges of parameters; a parameter that is not listed must be at least 0.
    is_additive : bool
        Whether an update only adds a multiple of one example to w̃, the rule has no memory, and the
        threshold depends only on the label.
    is_fixed : bool
        Whether the rule is additive and the multiple is a constant. Then the weights have the same bits in
        every training loop and on every machine.
    has_sides : bool
        Whether positive and negative rows have different thresholds.
    beyond : str
        For a rule that is not additive: what changes at an update besides adding a multiple of the example.
    has_rosenblatts_bound : bool
        Whether the rule makes at most (radius/margin)² mistakes on separable data, starting from w = 0.
    has_variances : bool
        Whether, with covariance="diagonal", the memory of the rule is `covariance_memory.Variances`, with
        no variance above 1.

    Examples
    --------
    >>> from rosenblatt.rules import Rosenblatt
    >>> Rosenblatt.facts().help
    'adds y·x to w on a mistake'
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
    """State the two inequalities behind the mistake bound of a rule that adds rate·y·x̃ to w at updates.

    The rule updates at a functional margin of at most `threshold`. Let w* have length 1, y w*·x̃ ≥ margin
    and ‖x̃‖ ≤ radius on every row. At each update

    1. w·w* grows by rate·y w*·x̃ ≥ rate·margin;
    2. ‖w‖² grows by rate²‖x̃‖² + 2·rate·agreement ≤ rate²·radius² + 2·rate·threshold.

    Call the two right-hand sides progress and growth. After t updates from w₀, t·progress + w₀·w* ≤ w·w* ≤
    ‖w‖ ≤ √(‖w₀‖² + t·growth). Every mistake causes an update, so this inequality bounds the number of
    mistakes too.

    Parameters
    ----------
    rate : float
        The coefficient of an update.
    threshold : float, default=0.0
        The largest functional margin at which the rule updates.

    References
    ----------
    Novikoff, "On convergence proofs on perceptrons" (1962).

    Examples
    --------
    >>> TwoClaims(rate=0.5).most_updates(radius=2.0, margin=0.5)
    16.0
    """

    rate: float
    threshold: float = 0.0

    def for_weights(self, heaviest: float) -> TwoClaims:
        """Return the two inequalities for rows whose weights c are at most `heaviest`.

        A row counts as the point c·x̃, and adding rate·c·y·x̃ to w adds rate²‖c·x̃‖² + 2·rate·c·agreement
        to ‖w‖².

        Parameters
        ----------
        heaviest : float
            The largest weight of a row.

        Returns
        -------
        TwoClaims
            The inequalities for the points c·x̃.
        """
        return self._replace(threshold=self.threshold * heaviest)

    def progress(self, margin: float) -> float:
        """Return the smallest amount by which an update can increase w·w*.

        Parameters
        ----------
        margin : float
            The margin of w*.

        Returns
        -------
        float
            The value rate·margin.
        """
        return self.rate * margin

    def growth(self, radius: float) -> float:
        """Return the largest amount by which an update can increase ‖w‖².

        Parameters
        ----------
        radius : float
            The largest norm of an example.

        Returns
        -------
        float
            The value rate²·radius² + 2·rate·threshold.
        """
        reach = self.rate * radius
        return reach * reach + 2.0 * self.rate * self.threshold

    def most_updates(
        self, radius: float, margin: float, along: float = 0.0, start_squared: float = 0.0
    ) -> float:
        """Return the largest number of updates that the two inequalities allow.

        For w₀ = 0 this number is (radius² + 2·threshold/rate)/margin².

        Parameters
        ----------
        radius : float
            The largest norm of an example.
        margin : float
            The margin of w*.
        along : float, default=0.0
            The product w₀·w*.
        start_squared : float, default=0.0
            The squared norm ‖w₀‖².

        Returns
        -------
        float
            The bound; infinite if the margin is not positive.
        """
        # dividing by the rate gives a run with rate 1 from w₀/rate
        reach = math.hypot(radius, math.sqrt(2.0 * self.threshold / self.rate))
        return most_mistakes(reach, margin, along / self.rate, start_squared / self.rate / self.rate)


class Constants(NamedTuple):
    """Hold the constants of a rule with a fixed coefficient.

    Parameters
    ----------
    rate : float
        The coefficient of an update.
    tau_positive : float
        The threshold of positive rows.
    tau_negative : float
        The threshold of negative rows.

    Examples
    --------
    >>> from rosenblatt.rules import Margin, constants
    >>> constants(Margin(tau=0.5))
    Constants(rate=1.0, tau_positive=0.5, tau_negative=0.5)
    """

    rate: float
    tau_positive: float
    tau_negative: float
