"""Teachers, which choose challenges and know their labels; `Adversarial` causes as many mistakes as it can.

A teacher has two methods: ``challenge(learner)`` returns the next x, or None if there is none, and
``label(x)`` returns −1 or +1. It may have two attributes: ``margin`` is a margin that it promises, and
``separator`` is the w* of length 1 with that margin. `play` runs a game between a teacher and a learner and
records the mistakes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt import rules
from rosenblatt.data.labels import as_labels
from rosenblatt.errors import BadInput, bad_value, whole_number
from rosenblatt.geometry import l2_norm, most_mistakes
from rosenblatt.loops.decide import is_mistake
from rosenblatt.numeric.row_batches import TIES, as_rows, n_rows, to_dense
from rosenblatt.training.online.learner import Learner
from rosenblatt.training.run import Counters


class Teacher(Protocol):
    """Define an object that presents challenges and knows their labels.

    Examples
    --------
    >>> class Always:
    ...     def challenge(self, learner):
    ...         return [1.0]
    ...     def label(self, x):
    ...         return 1
    >>> print(play(Learner(), Always(), rounds=3))
    3 rounds, 1 mistakes
    """

    def challenge(self, learner: Learner) -> Any:
        """Return the next example, or None to end the game.

        Parameters
        ----------
        learner : Learner
            The learner, whose weights the teacher may use.

        Returns
        -------
        example or None
            The challenge.
        """

    def label(self, x: Any) -> int:
        """Return the label of the last challenge.

        Parameters
        ----------
        x : example
            The challenge.

        Returns
        -------
        int
            The label, −1 or +1.
        """


@dataclass(frozen=True)
class Game:
    """Hold the result of `play`: the mistakes after each round, and their bound.

    bound[t] is computed from the radius R of the challenges so far and the margin ρ. With an offset, both
    refer to the lifted points (x, 1). For Rosenblatt's rule with rate 1 the bound is the largest t with t·ρ
    + w₀·w* ≤ √(‖w₀‖² + t·R²), where w₀ is the learner's w before the first round. If w₀ = 0 this is (R/ρ)².
    With another rate, w₀ is divided by the rate. For a teacher without `separator`, the bound uses w₀·w* ≥
    −‖w₀‖ and is larger.

    Parameters
    ----------
    mistakes : ndarray of int64
        The mistakes after each round.
    bound : ndarray of float64
        The bound after each round. It is NaN if no bound is known: without a margin, with a kernel (whose
        points have another radius), with more than two classes, and for rules that do not have
        the bound (R/ρ)² from w₀ = 0.
    radius : float
        The largest norm of a challenge.
    margin : float or None
        The margin that the teacher promises.
    false_positives, false_negatives : ndarray of int64
        The two kinds of mistakes after each round.

    Examples
    --------
    >>> play(Learner(offset=False), FromData([[2, 1], [0, 2]], [1, -1]), rounds=4).mistakes
    array([1, 2, 2, 2])
    """

    mistakes: NDArray[np.int64]
    bound: NDArray[np.float64]
    radius: float
    margin: float | None
    false_positives: NDArray[np.int64]
    false_negatives: NDArray[np.int64]

    @property
    def rounds(self) -> int:
        """Return the number of rounds."""
        return len(self.mistakes)

    def __str__(self) -> str:
        made = int(self.mistakes[-1]) if self.rounds else 0
        limit = f", bound {self.bound[-1]:.1f}" if self.rounds and math.isfinite(self.bound[-1]) else ""
        return f"{self.rounds} rounds, {made} mistakes{limit}"


class FromData:
    """Present the rows of a data set in order, pass after pass.

    Parameters
    ----------
    X : array-like, sparse matrix or table of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,)
        Their labels, −1 or +1.
    margin : float or None, default=None
        The margin of the points, if it is known; for a learner with an offset, of the lifted points (x, 1).

    Raises
    ------
    BadInput
        If the rows and labels differ in number.

    Examples
    --------
    >>> print(play(Learner(offset=False), FromData([[2, 1], [0, 2]], [1, -1]), rounds=4))
    4 rounds, 2 mistakes
    """

    def __init__(self, X: Any, y: ArrayLike, margin: float | None = None) -> None:
        self._rows = as_rows(X)
        self._labels = as_labels(y)
        if len(self._labels) != n_rows(self._rows):
            raise BadInput(f"y: {len(self._labels)} labels for {n_rows(self._rows)} rows of X")
        self.margin = margin
        self._at = -1

    def challenge(self, learner: Learner) -> NDArray[np.float64]:
        """Return the next row.

        Parameters
        ----------
        learner : Learner
            The learner.

        Returns
        -------
        ndarray of shape (n_features,)
            The row.
        """
        self._at = (self._at + 1) % len(self._labels)
        return to_dense(self._rows, self._at)

    def label(self, x: Any) -> int:
        """Return the label of the last row.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            The row.

        Returns
        -------
        int
            −1 or +1.
        """
        return int(self._labels[self._at])


class Adversarial:
    """Present the points of length 1 with |x·w*| ≥ margin that cause the most mistakes.

    w* is the first axis. A mistake increases w·w* by at least the margin ρ and ‖w‖² by at most 1, so from w
    = 0 at most 1/ρ² mistakes are possible (Novikoff 1962). This teacher knows the weights. With
    Rosenblatt's rule from w = 0 it causes

    * ⌊1/ρ²⌋ mistakes with three or more features, which is the maximum for every `tie`: its points have
      the smallest allowed margin and lie on the learner's hyperplane, so each update gains as little as
      possible;
    * more than 1/(2ρ²) − 1/ρ + ½ mistakes with two features if ρ ≤ ¼. At most 1/(2ρ²) + 1 are possible;
      it is not known whether another teacher can cause more mistakes;
    * one mistake with one feature: all points are ±1.

    With an offset the bound is 2/ρ². With three or more features this teacher causes as many mistakes as
    the largest even number up to 2/ρ², and with two features about half as many. The proofs are on the API
    page of the teachers.

    Parameters
    ----------
    margin : float
        The margin ρ, between 0 and 1.
    n_features : int, default=3
        The number of features.

    Raises
    ------
    BadInput
        If a parameter is out of range.

    Notes
    -----
    The lengths of the points differ from 1 by at most ROUNDING. Half of this tolerance ensures that the
    signs of the scores are certain in floating point. Margins are exact to the last bit.

    Examples
    --------
    >>> print(play(Learner(offset=False), Adversarial(margin=0.25, n_features=3), rounds=100))
    16 rounds, 16 mistakes, bound 16.0
    >>> print(play(Learner(offset=False), Adversarial(margin=0.1, n_features=2), rounds=100))
    43 rounds, 43 mistakes, bound 100.0
    """

    ROUNDING = 1e-12
    PLACES = 4096  # points of the plane that are tried for each challenge

    def __init__(self, margin: float, n_features: int = 3) -> None:
        if not 0.0 < margin < 1.0:
            raise bad_value("margin", margin, "a number between 0 and 1")
        self.margin = margin
        self.n_features = whole_number("n_features", n_features, 1)
        self._across = math.sqrt((1.0 + self.ROUNDING / 2) ** 2 - margin**2)
        self._label = 1

    @property
    def separator(self) -> NDArray[np.float64]:
        """Return the separator w*, of length 1; with an offset its b is 0."""
        axis: NDArray[np.float64] = np.eye(1, self.n_features)[0]
        return axis

    def challenge(self, learner: Learner) -> NDArray[np.float64] | None:
        """Return a misclassified point whose update brings w as little closer to w* as possible.

        Parameters
        ----------
        learner : Learner
            The learner.

        Returns
        -------
        ndarray of shape (n_features,) or None
            The challenge; None if the learner classifies all points correctly.

        Raises
        ------
        BadInput
            If the learner has another number of features.
        """
        w, b = self._weights(learner)
        if len(w) != self.n_features:
            raise BadInput(f"n_features: this teacher has {self.n_features}, the learner {len(w)}")
        rate = _rate_of(learner.rule) or 1.0
        # choose the label that moves b towards 0; if both do, the one for which a score of 0 is wrong
        first = -1 if b > 0.0 or (b == 0.0 and learner.tie == "positive") else 1
        for label in (first, -first):
            x = label * self._hardest(w / rate, label * b / rate, learner.offset)
            s = sum(map(mul, map(Fraction, w.tolist()), map(Fraction, x.tolist())), Fraction(b))
            if is_mistake(float((s > 0) - (s < 0)), float(label), TIES[learner.tie]):
                self._label = label
                return x
        return None

    def label(self, x: Any) -> int:
        """Return the label of the last challenge.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            The challenge.

        Returns
        -------
        int
            −1 or +1.
        """
        return self._label

    def _weights(self, learner: Learner) -> tuple[NDArray[np.float64], float]:
        try:
            return learner.weights, learner.offset_weight
        except BadInput:  # the learner has seen no example yet
            start = learner.trainer.begin(self.n_features).current()
            return start[:-1], float(start[-1])

    def _hardest(self, w: NDArray[np.float64], b: float, has_offset: bool) -> NDArray[np.float64]:
        """Return z = y·x with z·w* ≥ margin for a misclassified point x; `b` is y times the offset."""
        if self.n_features == 1:
            return np.ones(1)
        # z is so far on the wrong side, relative to w and b, that rounding cannot change the sign
        clearance = (self.n_features + 8) * 2.0**-52 * (l2_norm(w) + abs(b))
        if self.n_features == 2:
            return self._in_the_plane(w, b, clearance, has_offset)
        z = np.zeros(self.n_features)
        z[0] = self.margin
        length = l2_norm(w[1:])
        if length == 0.0:
            z[1] = self._across
            return z
        # w·z + b = −clearance, with z = margin·w* + across·(cosine·u + sine·v), u along w − (w·w*)w*
        u = w[1:] / length
        cosine = (-clearance - b - self.margin * w[0]) / (self._across * length)
        cosine = max(-1.0, min(1.0, cosine))
        z[1:] = self._across * (cosine * u + math.sqrt(1.0 - cosine**2) * _perpendicular(u))
        return z

    def _in_the_plane(
        self, w: NDArray[np.float64], b: float, clearance: float, has_offset: bool
    ) -> NDArray[np.float64]:
        """Return the point (c, q) after which the longest sequence of mistakes can follow.

        Alternating points (margin, ±r) make w swing from side to side. The swing lasts longest if its two
        ends are symmetric.
        """
        r, across = self._across, abs(float(w[1]))
        away = np.concatenate([[-r, r, r / 2 - across], np.linspace(-r, r, self.PLACES)])
        away = away[np.abs(away) <= r]
        c = np.maximum(self.margin, np.sqrt(np.maximum(0.0, 1.0 - away**2)))
        swings = self._swings(w[0] + c, np.abs(across + away), abs(b + has_offset), has_offset)
        swings[c * w[0] + away * across + b > -clearance] = -1  # the learner answers these correctly
        best = int(np.argmax(swings))
        return np.array([c[best], math.copysign(1.0, w[1]) * away[best]])

    def _swings(
        self, along: NDArray[np.float64], across: NDArray[np.float64], b: float, has_offset: bool
    ) -> NDArray[np.float64]:
        """Return the number of mistakes that follow from w = (along, across).

        The points (margin, ±r) alternate. w·w* increases by the margin each time. A challenge is
        misclassified as long as w·w* is below a limit: one limit holds on this side of the swing (the
        first, third, … mistake), another on the other side.
        """
        r = self._across
        if not has_offset:
            return np.where(across <= r, self._in_turn(along, r * across, r * (r - across)), 0.0)
        if b == 0.0:  # b is 0 on this side and ±1 on the other
            return self._in_turn(along, r * across, 1.0 - r * (across - r))
        if b == 1.0:  # the other end lies farther out, or beyond w*
            out = self._in_turn(along, 1.0 - r * across, r * (across + r))
            over = self._in_turn(along, 1.0 + r * across, r * (r - across))
            return np.maximum(out, np.where(across <= r, over, 0.0))
        return np.zeros_like(along)

    def _in_turn(
        self, along: NDArray[np.float64], here: NDArray[np.float64], there: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the smallest k with along + k·margin > limit/margin.

        The limit is `here` for even k and `there` for odd k.
        """
        even = np.maximum(0.0, 2.0 * np.floor((here / self.margin - along) / self.margin / 2.0) + 2.0)
        odd = np.maximum(
            1.0, 2.0 * np.floor(((there / self.margin - along) / self.margin - 1.0) / 2.0) + 3.0
        )
        return np.minimum(even, odd)


def _perpendicular(u: NDArray[np.float64]) -> NDArray[np.float64]:
    axis = np.zeros(u.size)
    axis[int(np.argmin(np.abs(u)))] = 1.0
    v = axis - (axis @ u) * u
    return np.asarray(v / np.linalg.norm(v))


def _rate_of(rule: Any) -> float | None:
    """Return the learning rate if the rule is Rosenblatt's, otherwise None."""
    is_rosenblatts = rules.facts(rule).is_fixed and rules.constants(rule)[1:] == (0.0, 0.0)
    return rules.constants(rule).rate if is_rosenblatts else None


_ROUNDING = 1e-12  # relative rounding error of the formula in doubles


@dataclass(frozen=True)
class _Start:
    """Hold w₀·w* and ‖w₀‖² of the initial w, which the bound needs; both are NaN if there is no bound."""

    along: float
    squared: float

    @classmethod
    def of(cls, learner: Learner, separator: NDArray[np.float64] | None) -> _Start:
        rule = learner.rule
        if learner.kernel is not None or learner.multiclass is not None:
            return cls(math.nan, math.nan)
        w = learner.state.current()
        if rate := _rate_of(rule):
            w = w / rate  # w/rate is trained with rate 1, from w₀/rate
        elif not rules.facts(rule).has_rosenblatts_bound or w.any():
            return cls(math.nan, math.nan)
        length = float(np.linalg.norm(w))
        # an unknown w* may point away from w₀
        along = -length if separator is None else float(w[:-1] @ separator)
        return cls(along, length**2)

    def bound(self, radius2: float, margin: float | None) -> float:
        if not margin or math.isnan(self.along):
            return math.nan
        most = most_mistakes(math.sqrt(radius2), margin, self.along, self.squared)
        return most * (1.0 + _ROUNDING)


def _squared_length(x: Any) -> float:
    values = list(x.values()) if isinstance(x, dict) else x.data if hasattr(x, "tocsr") else x
    return float(np.sum(np.square(np.asarray(values, np.float64))))


def play(learner: Learner, teacher: Teacher, rounds: int) -> Game:
    """Play rounds of challenge, answer and reveal between a teacher and a learner.

    A teacher's `margin` is the margin of the points that the learner sees (lifted if there is an offset).
    It determines a bound on the mistakes; the bound is tighter if the teacher's `separator` is w*.

    Parameters
    ----------
    learner : Learner
        The learner.
    teacher : Teacher
        The teacher.
    rounds : int
        The largest number of rounds; fewer if the teacher has no challenge left.

    Returns
    -------
    Game
        The mistakes and the bound after each round.

    Examples
    --------
    >>> print(play(Learner(offset=False), Adversarial(margin=0.5), rounds=10))
    4 rounds, 4 mistakes, bound 4.0
    """
    margin, separator = getattr(teacher, "margin", None), getattr(teacher, "separator", None)
    lift = 1.0 if learner.offset else 0.0
    radius2, counts, bounds, before = 0.0, [], [], _counters(learner)
    start: _Start | None = None
    for x in _challenges(learner, teacher, rounds):
        learner.answer(x)
        start = start or _Start.of(learner, separator)
        learner.reveal(teacher.label(x))
        radius2 = max(radius2, _squared_length(x) + lift)
        counts.append(_counters(learner).since(before))
        bounds.append(start.bound(radius2, margin))

    def so_far(name: str) -> NDArray[np.int64]:
        return np.array([made[name] for made in counts], np.int64)

    kinds = so_far("false_positives"), so_far("false_negatives")
    return Game(so_far("mistakes"), np.array(bounds), math.sqrt(radius2), margin, *kinds)


def _counters(learner: Learner) -> Counters:
    return Counters(*(getattr(learner, name) for name in Counters._fields))


def _challenges(learner: Learner, teacher: Teacher, rounds: int) -> Iterator[Any]:
    for _ in range(rounds):
        x = teacher.challenge(learner)
        if x is None:
            return
        yield x
