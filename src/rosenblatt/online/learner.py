"""`Learner`: challenge, answer, reveal, update. The perceptron as a game between two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.arithmetic.orders import Given
from rosenblatt.errors import BadInput
from rosenblatt.examples import Batch, Dense, Rows, Sparse, as_rows, n_features, n_rows
from rosenblatt.training.scoring import decision_values, linear_scores
from rosenblatt.training.state import State, begin, learn, store_committee

FIRST_ROOM = 64  # features that a learner of named features makes room for at first

_ONE_LOOK = Given(0, 1)
_NO_IMPORTANCE = np.empty(0)
_LABELS = {sign: np.array([sign], np.int8) for sign in (-1, 1)}


class Learner:
    """A mistake-driven learner that sees one example at a time.

    The teacher presents a challenge x, the learner answers sign(w·x + b), the teacher reveals the
    label y (−1 or +1), and the learner updates as its rule says. x is an array, a sparse row or a
    ``{name: value}`` dict whose features may appear at any time.

    Parameters are those of `Perceptron`; n_features is found from the first example where not given.

    >>> learner = Learner()
    >>> learner.answer([2.0, 1.0]), learner.reveal(+1)
    (-1, True)
    >>> learner.weights, learner.offset_weight
    (array([2., 1.]), 1.0)
    >>> learner.learn([3.0, 0.0], +1)
    False
    >>> spam = Learner()
    >>> spam.learn({"free": 1.0, "money": 2.0}, +1)
    True
    >>> spam.answer({"money": 1.0, "unheard": 5.0})
    1
    """

    def __init__(
        self,
        rule: Any = "rosenblatt",
        keep: str = "last",
        offset: bool = True,
        tie: str = "mistake",
        init: Any = "zeros",
        n_features: int | None = None,
    ) -> None:
        self.rule = rules.as_rule(rule)
        self.keep = keep
        self.offset = offset
        self.tie = tie
        self.init = init
        self._slots: dict[str, int] = {}
        self._named: bool | None = None
        self._state: State | None = None
        self._challenge: Any = None
        begin(1, rule, keep, offset, tie)  # complain now, not at the first example
        if n_features is not None:
            if not isinstance(n_features, (int, np.integer)) or n_features < 1:
                raise BadInput(f"n_features: expected a whole number of at least 1, got {n_features!r}")
            self._named = False
            self._state = self._begin(int(n_features))

    # ------------------------------------------------------------ the protocol

    def answer(self, x: Any) -> int:
        """sign(w·x + b), −1 or +1, with w as it is now. A score of 0 answers −1 (+1 if tie="positive").

        The challenge is remembered until the label is revealed.
        """
        self._challenge = x
        score = self._score_now(self._rows(x, may_grow=False))
        return 1 if score > 0.0 or (score == 0.0 and self.tie == "positive") else -1

    def reveal(self, y: int) -> bool:
        """The true label of the last challenge. Learns from it; True if the answer was a mistake."""
        if self._challenge is None:
            raise BadInput("reveal: there is no challenge to reveal the label of; call answer(x) first")
        mistake = self.learn(self._challenge, y)
        self._challenge = None
        return mistake

    def learn(self, x: Any, y: int) -> bool:
        """answer(x) and reveal(y) in one: True if the answer was a mistake."""
        label = _LABELS.get(y)
        if label is None or isinstance(y, bool):
            raise BadInput(f"y: got {y!r}, expected -1 or +1; map your two classes to them")
        rows = self._rows(x, may_grow=True)
        state = self._state
        assert state is not None
        tally = state.tally[0]
        before = tally["mistakes"]
        batch = Batch(rows, label, _NO_IMPORTANCE)
        try:
            learn(state, batch, _ONE_LOOK)
        except BadInput as error:
            raise self._named_error(x, error) from None
        if state.is_committee:
            store_committee(state, batch)
        return bool(tally["mistakes"] != before)

    def decide(self, x: Any) -> float:
        """The decision value of what the keeper keeps (the mean, the votes, …) on x."""
        rows = self._rows(x, may_grow=False)
        assert self._state is not None
        return float(decision_values(self._state, rows)[0])

    def predict(self, x: Any) -> int:
        """−1 or +1, as the keeper decides."""
        value = self.decide(x)
        return 1 if value > 0.0 or (value == 0.0 and self.tie == "positive") else -1

    # ------------------------------------------------------------ what it knows

    @property
    def state(self) -> State:
        """The state of training, as `rosenblatt.training` has it."""
        if self._state is None:
            raise BadInput("this Learner has seen no example yet, and n_features was not given")
        return self._state

    @property
    def weights(self) -> Any:
        """w as it is now: an array, or a dict where features have names."""
        if self._named:
            current = self.state.current()
            return {name: float(current[slot]) for name, slot in self._slots.items()}
        return self.state.current()[:-1]

    @property
    def offset_weight(self) -> float:
        """b as it is now."""
        return float(self.state.current()[-1])

    @property
    def mistakes(self) -> int:
        return self._state.mistakes if self._state else 0

    @property
    def updates(self) -> int:
        return self._state.updates if self._state else 0

    @property
    def examples_seen(self) -> int:
        return self._state.examples_seen if self._state else 0

    @property
    def exact_decisions(self) -> int:
        return self._state.exact_decisions if self._state else 0

    def __repr__(self) -> str:
        rule = rules.name_of(self.rule)
        return (
            f"Learner(rule={rule!r}, keep={self.keep!r}: "
            f"{self.mistakes} mistakes on {self.examples_seen} examples)"
        )

    # ------------------------------------------------------------ reading an example

    def _begin(self, n: int) -> State:
        return begin(n, self.rule, self.keep, self.offset, self.tie, self.init)

    def _score_now(self, rows: Rows) -> float:
        state = self._state
        assert state is not None
        return float(linear_scores(state.current(), state.offset, rows)[0])

    def _rows(self, x: Any, may_grow: bool) -> Rows:
        """One row, as the loops want it."""
        if isinstance(x, Mapping):
            return self._named_row(x, may_grow)
        if type(x) is np.ndarray and x.ndim == 1 and x.dtype in (np.float64, np.float32) and x.size:
            rows: Rows = Dense(_frozen(np.ascontiguousarray(x).reshape(1, -1)))
        else:
            rows = _one_row(x)
        self._expect(named=False)
        if self._state is None:
            self._state = self._begin(n_features(rows))
        elif n_features(rows) != self._state.n_features:
            raise BadInput(
                f"x: {n_features(rows)} features, this Learner has {self._state.n_features}; "
                "give the same features in the same order each time"
            )
        return rows

    def _named_row(self, x: Mapping[str, Any], may_grow: bool) -> Sparse:
        self._expect(named=True)
        slots = self._slots
        try:
            indices = [slots[name] for name in x]
            values = np.fromiter(x.values(), np.float64, len(x))
        except KeyError:
            if may_grow:
                for name in x:
                    slots.setdefault(name, len(slots))
            known = {name: value for name, value in x.items() if name in slots}
            if len(known) < len(x):  # a feature never learned from has weight 0
                return self._named_row(known, may_grow)
            self._make_room()
            return self._named_row(x, may_grow)
        except (TypeError, ValueError) as error:
            raise BadInput(f"x: expected {{name: number}}, got {dict(x)!r}: {error}") from error
        if self._state is None:
            self._make_room()
        assert self._state is not None
        return Sparse(
            _frozen(values),
            _frozen(np.array(indices, np.uint32)),
            _frozen(np.array([0, len(indices)], np.uint32)),
            self._state.n_features,
        )

    def _make_room(self) -> None:
        """Room for all named features; at least doubled, so that growing costs little over time."""
        needed = max(FIRST_ROOM, len(self._slots))
        if self._state is None:
            if not (isinstance(self.init, str) and self.init == "zeros"):
                raise BadInput("init: named features may appear at any time, so they start at zeros")
            self._state = self._begin(needed)
        elif needed > self._state.n_features:
            self._state.widen(max(needed, 2 * self._state.n_features))

    def _expect(self, named: bool) -> None:
        if self._named is None:
            self._named = named
        elif self._named is not named:
            now, before = ("names", "numbers") if named else ("numbers", "names")
            raise BadInput(f"x: features have {now} here and had {before} before; choose one of them")

    def _named_error(self, x: Any, error: BadInput) -> BadInput:
        if isinstance(x, Mapping):
            bad = next((name for name, value in x.items() if not np.isfinite(value)), None)
            if bad is not None:
                return BadInput(f"x: feature {bad!r} is {x[bad]}; give finite numbers")
        return error


def _one_row(x: Any) -> Rows:
    is_flat = not hasattr(x, "ndim") or x.ndim == 1
    if is_flat and not hasattr(x, "tocsr"):
        x = np.asarray(x)
        if x.ndim == 1:
            x = x.reshape(1, -1)
    elif is_flat:
        x = x.reshape(1, -1)
    rows = as_rows(x)
    if n_rows(rows) != 1:
        raise BadInput(f"x: expected one example, got {n_rows(rows)} rows; learn them one by one")
    return rows


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    view = array[...]
    view.flags.writeable = False
    return view
