"""Teachers: they choose the challenges and know the labels. One of them wishes the learner ill.

A teacher has two methods: ``challenge(learner)``, the next x or None when it has none, and
``label(x)``, −1 or +1. `play` lets one meet a learner and keeps the score.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt import rules
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.examples import TIES, as_rows, n_rows, to_dense
from rosenblatt.labels import as_labels
from rosenblatt.online.learner import Learner


class Teacher(Protocol):
    """Whoever presents challenges."""

    def challenge(self, learner: Learner) -> Any: ...

    def label(self, x: Any) -> int: ...


@dataclass(frozen=True)
class Game:
    """What `play` saw: after each round the mistakes so far, and the bound that they cannot pass.

    bound[t] = (radius/margin)² with the radius of the challenges so far, lifted where the learner has
    an offset; NaN where the teacher knows no margin.
    """

    mistakes: NDArray[np.int64]
    bound: NDArray[np.float64]
    radius: float
    margin: float | None

    @property
    def rounds(self) -> int:
        return len(self.mistakes)

    def __str__(self) -> str:
        made = int(self.mistakes[-1]) if self.rounds else 0
        limit = f", bound {self.bound[-1]:.1f}" if self.rounds and math.isfinite(self.bound[-1]) else ""
        return f"{self.rounds} rounds, {made} mistakes{limit}"


class FromData:
    """Presents the rows of a data set, in order, pass after pass.

    margin, if you know it, is that of the points as the learner sees them (lifted with an offset).

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
        self._at = (self._at + 1) % len(self._labels)
        return to_dense(self._rows, self._at)

    def label(self, x: Any) -> int:
        return int(self._labels[self._at])


class Adversarial:
    """Presents, among all points of length 1 with |x·w*| ≥ margin, the one that hurts most.

    w* is the first axis. A mistake moves w·w* by at least the margin and ‖w‖² by at most 1, so at most
    1/margin² of them can be made; this teacher gives away as little of either as it can: the challenge
    has the smallest margin allowed, and lies so near to the learner's own hyperplane that ‖w‖² grows
    by almost 1. It knows the learner's weights. With three features or more it brings about nearly
    1/margin² − 1 mistakes, which is all that can be had; in a plane there is little room to hide, and
    it ends after two.

    >>> print(play(Learner(offset=False), Adversarial(margin=0.25, n_features=3), rounds=100))
    15 rounds, 15 mistakes, bound 16.0
    """

    CLEARANCE = 1e-12  # how far on the wrong side, relative to ‖w‖: enough for the sign to be sure

    def __init__(self, margin: float, n_features: int = 3) -> None:
        if not 0.0 < margin < 1.0:
            raise bad_value("margin", margin, "a number between 0 and 1")
        if n_features < 2:
            raise bad_value("n_features", n_features, "at least 2: in one dimension nothing can be hidden")
        self.margin = margin
        self.n_features = n_features
        self._label = 1

    def challenge(self, learner: Learner) -> NDArray[np.float64] | None:
        """The point that is answered wrongly by the narrowest; None when every point is answered right."""
        w, b = self._weights(learner)
        if len(w) != self.n_features:
            raise BadInput(f"n_features: this teacher has {self.n_features}, the learner {len(w)}")
        best: NDArray[np.float64] | None = None
        best_agreement = -math.inf
        for label in (1, -1):
            x = self._hardest(w, b, label)
            agreement = float(label * (w @ x + b))
            wrong = agreement < 0.0 or (agreement == 0.0 and label != TIES[learner.tie])
            if wrong and agreement > best_agreement:
                best, best_agreement, self._label = x, agreement, label
        return best

    def label(self, x: Any) -> int:
        return self._label

    def _weights(self, learner: Learner) -> tuple[NDArray[np.float64], float]:
        try:
            return learner.weights, learner.offset_weight
        except BadInput:  # it has seen nothing yet
            start = learner._begin(self.n_features).current()
            return start[:-1], float(start[-1])

    def _hardest(self, w: NDArray[np.float64], b: float, label: int) -> NDArray[np.float64]:
        """label·margin along w*, and the rest of the length turned so that w·x + b is just wrong."""
        rest = math.sqrt(1.0 - self.margin**2)
        side = w[1:]
        across = float(np.linalg.norm(side))
        x = np.zeros(self.n_features)
        x[0] = label * self.margin
        if across == 0.0:
            x[1] = rest
            return x
        # label·(w·x + b) = −clearance, with x = label·margin·w* + rest·(cos·u + sin·v), u along `side`
        wanted = -self.CLEARANCE * (float(np.linalg.norm(w)) + abs(b)) - label * b - self.margin * w[0]
        cosine = max(-1.0, min(1.0, label * wanted / (rest * across)))
        u = side / across
        v = _perpendicular(u)
        sine = math.sqrt(1.0 - cosine**2) if v.any() else 0.0
        if not v.any():
            cosine = math.copysign(1.0, label * wanted)
        x[1:] = rest * (cosine * u + sine * v)
        return x


def _perpendicular(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """A unit vector at right angles to u; zero where there is none."""
    if u.size == 1:
        return np.zeros(1)
    axis = np.zeros(u.size)
    axis[int(np.argmin(np.abs(u)))] = 1.0
    v = axis - (axis @ u) * u
    return v / np.linalg.norm(v)


_BOUNDED = (rules.Rosenblatt, rules.PassiveAggressive, rules.Romma, rules.AggressiveRomma)


def _squared_length(x: Any) -> float:
    values = list(x.values()) if isinstance(x, dict) else x.data if hasattr(x, "tocsr") else x
    return float(np.sum(np.square(np.asarray(values, np.float64))))


def play(learner: Learner, teacher: Teacher, rounds: int) -> Game:
    """Challenge, answer, reveal, `rounds` times or until the teacher has no challenge left."""
    margin = getattr(teacher, "margin", None)
    lift = 1.0 if learner.offset else 0.0
    radius2, mistakes, bounds, made = 0.0, [], [], learner.mistakes
    bounded = (
        isinstance(learner.rule, _BOUNDED) and isinstance(learner.init, str) and learner.init == "zeros"
    )
    for x in _challenges(learner, teacher, rounds):
        learner.answer(x)
        learner.reveal(teacher.label(x))
        radius2 = max(radius2, _squared_length(x) + lift)
        mistakes.append(learner.mistakes - made)
        bounds.append(radius2 / margin**2 if margin and bounded else math.nan)
    return Game(np.array(mistakes, np.int64), np.array(bounds), math.sqrt(radius2), margin)


def _challenges(learner: Learner, teacher: Teacher, rounds: int) -> Iterator[Any]:
    for _ in range(rounds):
        x = teacher.challenge(learner)
        if x is None:
            return
        yield x
