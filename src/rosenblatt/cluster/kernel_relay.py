"""Relay for estimators that have `partial_fit`: kernel perceptrons, on a budget or not, and polynomials.

The estimator itself is what travels, with the support rows that its state is made of. Each hop is a
`partial_fit` of the rows that lie there, so the bits are those of `partial_fit` over the same parts, pass
after pass: the mistakes of `fit` in given order (gamma="scale" is that of the first part).
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.base import clone

from rosenblatt.arithmetic.examples import Sparse, n_features, take
from rosenblatt.cluster import tasks
from rosenblatt.cluster.answering import evaluation_of_model, merged
from rosenblatt.cluster.relay import RelayRun
from rosenblatt.cluster.tasks import Baton
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.errors import BadInput
from rosenblatt.learning.run import Counters, Outcome
from rosenblatt.learning.settings import (
    KERNEL,
    POLYNOMIAL,
    STREAM,
    StreamSettings,
    refuse_on_a_stream,
    settings_of,
)
from rosenblatt.learning.streams.shuffling import Group
from rosenblatt.models.fit_inputs import draw_seed
from rosenblatt.models.polynomial_threshold import PolynomialThreshold

LARGEST_DRAW = 2**31 - 1


class Travelling:
    """An estimator as the state of a run."""

    def __init__(self, model: Any) -> None:
        self.model, self.epochs = model, 0

    @property
    def learner(self) -> Any:
        """The kernel perceptron that does the work."""
        return getattr(self.model, "_learner_", self.model)

    @property
    def n_bytes(self) -> int:
        return sum(rows.values.nbytes for rows in self.learner._state.held())

    @property
    def mistakes(self) -> int:
        return self.counters().mistakes

    def counters(self) -> Counters:
        counted: Counters = self.learner._state.counters()
        return counted

    def end_pass(self) -> None:
        self.epochs += 1

    def check_kept(self) -> None:
        """Sums over the support that overflow are found when they are made."""

    def copy(self) -> Travelling:
        """One that learns without changing this one: `partial_fit` learns in a copy of the state."""
        twin = copy.copy(self)
        twin.model = copy.copy(self.model)
        if self.learner is not self.model:
            twin.model._learner_ = copy.copy(self.learner)
        return twin

    def learn(self, group: Group, classes: Any) -> None:
        """One look at each of these rows, in their order."""
        rows, y, weight = group.rows, group.y, group.importance
        if not isinstance(group.order, str):
            some = np.asarray(group.order).astype(np.int64)
            rows, y, weight = take(rows, some), y[some], weight[some] if weight.size else weight
        self.model.partial_fit(
            Chunk(self._as_wide(rows), y).X, y, classes, sample_weight=weight if weight.size else None
        )

    def _as_wide(self, rows: Any) -> Any:
        """Sparse rows that end at different features are as wide as the widest so far."""
        learned, width = hasattr(self.learner, "_state"), n_features(rows)
        if not learned or not isinstance(rows, Sparse) or width == self.model.n_features_in_:
            return rows
        if width < self.model.n_features_in_:
            return rows._replace(n_features=self.model.n_features_in_)
        if self.learner._written_out is not None:
            raise BadInput(
                f"rows of {width} features, but the model has explicit monomials of "
                f"{self.model.n_features_in_}; use way='kernel', or rows of the same width"
            )
        self.learner._state = self.learner._state.copy()
        self.learner._state.widen(width)
        self.model.n_features_in_ = self.learner.n_features_in_ = width
        return rows


class ModelBaton(Baton):
    """A baton whose state is an estimator. `tasks.learn` asks it for what learns."""

    def run(self) -> Any:
        tasks.refuse_another_version(self.version)
        return _PartialFits(self)


class _PartialFits:
    def __init__(self, baton: Baton) -> None:
        self.settings, self.progressive = baton.settings, baton.progressive
        self.state = baton.state.copy()
        self._classes = baton.teaching.classes

    def learn(self, group: Group) -> None:
        self.state.learn(group, self._classes)


class KernelRelay(RelayRun):
    """A relay whose baton is the estimator that is being fitted."""

    baton = ModelBaton

    def __init__(self, model: Any, parts: Any, settings: StreamSettings, client: Any, **more: Any) -> None:
        super().__init__(parts, settings, client, **more)
        self._unfitted = Travelling(model)

    def _begin_batons(self) -> list[Any]:
        if not self.teaching.has_classes:  # type: ignore[union-attr]
            raise BadInput("y: a kernel perceptron learns classes; a table of labels is for Perceptron")
        return super()._begin_batons()

    def _bytes_of_state(self) -> int:
        return 0 if self.state is None else self.state.n_bytes  # type: ignore[attr-defined]

    def _state_to_send(self) -> Any:
        return self._unfitted if self.state is None else self.state

    def _error(self, source: Any) -> float:
        model, parts = self.state.model, self._parts_of(source)  # type: ignore[union-attr]
        return merged(self.client, evaluation_of_model, model, model.classes_, parts).error


# ---------------------------------------------------------------- before and after


def refuse_other_ways(model: Any, how: str, checkpoint: str | None) -> None:
    """Refuse what has no meaning for support rows, with the reason."""
    name = type(model).__name__
    if how == "mixing":
        raise BadInput(
            f"how: 'mixing' averages weights, but a {name} is a list of support rows: a mixture would "
            "have those of all shards and grow with each round; use how='relay'"
        )
    if how == "columns":
        raise BadInput(
            f"how: 'columns' divides the weights among the workers, but the classes of a {name} share "
            "their support rows; use how='relay'"
        )
    if checkpoint is not None:
        raise BadInput(
            f"checkpoint: only for a Perceptron; a {name} can be saved after each fit, and trained "
            "further with partial_fit"
        )


def traveller(model: Any) -> tuple[Any, StreamSettings]:
    """A copy that has learned nothing and draws the same seed wherever it begins; and how the run goes."""
    place = POLYNOMIAL if isinstance(model, PolynomialThreshold) else KERNEL
    refuse_on_a_stream(place, vars(model))
    blank = clone(model).set_params(callbacks=None, progress=False)
    if not isinstance(blank.random_state, (int, np.integer)):
        blank.random_state = draw_seed(blank.random_state) % LARGEST_DRAW
    shared = (settings_of(STREAM).keys() & settings_of(place)) - {"keep"}  # a record of a run has them all
    return blank, StreamSettings(
        **{name: getattr(model, name) for name in shared}, seed=draw_seed(blank.random_state)
    )


def take_learned(model: Any, run: KernelRelay) -> None:
    """Give an estimator what the one that travelled has learned."""
    state: Any = run.state
    found, learner = state.model, state.learner
    learner._state.epochs = state.epochs
    learner._learned(Outcome(learner._state, learner._state, run.history, state.epochs))
    if learner is not found:
        found._take_over(learner, np.zeros((1, found.n_features_in_)), reset=False)
    own = model.get_params(deep=False)
    for name in [name for name in vars(model) if name not in own]:
        delattr(model, name)  # what was learned before
    vars(model).update({name: value for name, value in vars(found).items() if name not in own})
    learner.set_params(random_state=model.random_state)
