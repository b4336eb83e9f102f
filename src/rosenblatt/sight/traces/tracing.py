"""`trace`: a run recorded step by step, by the same loop that trains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt import rules
from rosenblatt.arithmetic.examples import (
    Batch,
    as_rows,
    class_name,
    column_names,
    first_not_finite,
    n_features,
    n_rows,
    not_finite,
    to_dense,
)
from rosenblatt.arithmetic.next_row import Given, Listed
from rosenblatt.data.importance import as_importance
from rosenblatt.data.labels import as_labels, checked, classes_of
from rosenblatt.engine.walk import squared_length
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.keepers import Pocket
from rosenblatt.learning.beginning import Recipe, begin
from rosenblatt.learning.one_column import OneColumn, learn
from rosenblatt.learning.orders import Passes, as_order
from rosenblatt.learning.progress import Progress
from rosenblatt.learning.run import Plan
from rosenblatt.learning.scoring import linear_scores
from rosenblatt.sight.traces.claims import claims_or_why_not
from rosenblatt.sight.traces.kernel_tracing import covers_rows, kernel_trace
from rosenblatt.sight.traces.looks import Cycle
from rosenblatt.sight.traces.record import Step, Trace

if TYPE_CHECKING:
    from rosenblatt.kernels import Kernel

MOST_NUMBERS = 20_000_000
"""A trace holds two vectors for each step; above this many numbers a limit is required."""

LOOKS_BETWEEN_WORDS = 1000  # a few hundredths of a second


def trace(
    X: Any,
    y: ArrayLike,
    rule: str | tuple[Any, ...] = "rosenblatt",
    keep: str = "last",
    offset: bool | None = None,
    epochs: int | None = 10,
    until: str | None = None,
    order: str | ArrayLike = "given",
    tie: str = "mistake",
    init: ArrayLike | tuple[ArrayLike, float] = "zeros",
    sample_weight: ArrayLike | None = None,
    random_state: int = 0,
    max_steps: int | None = None,
    progress: bool | None = None,
    kernel: str | Kernel | Callable[[Any, Any], Any] | None = None,
    degree: int = 3,
    gamma: float | Literal["scale", "auto"] = "scale",
    coef0: float = 1.0,
) -> Any:
    """Record every step of a run with the parameters of `Perceptron` or `KernelPerceptron`.

    The same rows, order and settings give the same mistakes and weights as `Perceptron.fit`. Unlike
    there, the default order is "given", and `random_state` is a number.

    With ``until="separated"`` and ``epochs=None`` the run also ends when it is found to repeat itself.
    `separated` of the result is true if the last pass visited every row and made no mistake;
    ``until="separated"`` with an order that leaves rows out ends at a pass without mistakes, and
    `separated` is then False.

    Parameters
    ----------
    X : array-like, sparse matrix or table of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,)
        Their labels, of two classes.
    rule : str or rule object, default="rosenblatt"
        The update rule.
    keep : str, default="last"
        The averaging strategy.
    offset : bool or None, default=None
        Whether to learn an offset; None means yes without a kernel and no with one.
    epochs : int or None, default=10
        The number of passes; None for no limit.
    until : {"separated"} or None, default=None
        "separated" stops after the first pass without a mistake.
    order : str or sequence of int, default="given"
        The order of the rows, as in `Perceptron`.
    tie : {"mistake", "negative", "positive"}, default="mistake"
        The prediction for a score of exactly 0.
    init : {"zeros", "unit"}, array or (array, float), default="zeros"
        The initial weights; zeros with a kernel.
    sample_weight : array-like of shape (n_rows,), default=None
        Factors of the coefficient of each update; 0 means that the row is absent.
    random_state : int, default=0
        The seed of the shuffles.
    max_steps : int or None, default=None
        The largest number of steps to record.
    progress : bool or None, default=None
        None shows progress on a terminal after two seconds; True always; False never.
    kernel : str, kernel object, callable or None, default=None
        The kernel of a `KernelPerceptron`, whose run is then recorded. Orders that search for a mistake
        are not available.
    degree : int, default=3
        The degree of a polynomial kernel given by its name.
    gamma : float, "scale" or "auto", default="scale"
        The gamma of a kernel given by its name.
    coef0 : float, default=1.0
        The constant of a polynomial kernel given by its name.

    Returns
    -------
    Trace or KernelTrace
        The steps; a `KernelTrace` with a kernel.

    Raises
    ------
    BadInput
        If a parameter or the data cannot be used, or the run is too long to record without `max_steps`.

    Examples
    --------
    >>> steps = trace([[2, 1], [0, 2], [-0.5, -2]], [1, -1, 1], offset=False, tie="negative", epochs=2)
    >>> [step.weights for step in steps if step.mistake]
    [(2.0, 1.0), (2.0, -1.0)]
    >>> print(steps)  # doctest: +ELLIPSIS
    pass  row           x  y  score  margin  ...
       1    0      (2, 1)  +      0       0  mistake   (2, 1)  0 ...
       1    1      (0, 2)  −      2      -2  mistake  (2, -1)  0 ...
       1    2  (-0.5, -2)  +      1       1           (2, -1)  0 ...
       2    0      (2, 1)  +      3       3           (2, -1)  0 ...
       2    1      (0, 2)  −     -2       2           (2, -1)  0 ...
       2    2  (-0.5, -2)  +      1       1           (2, -1)  0 ...
    6 steps, 2 mistakes, 2 updates: the last pass had no mistake
    >>> xor = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> print(trace(xor, [-1, 1, 1, -1], kernel="polynomial", degree=2, gamma=1.0, coef0=0.0, epochs=1))
    pass  row         x  y  score  margin           coefficient  support  margin after  ‖w‖²
       1    0  (-1, -1)  −      0       0  mistake           -1        1             4     4
       1    1   (-1, 1)  +      0       0  mistake           +1        2             4     8
       1    2   (1, -1)  +      4       4                             2             4     8
       1    3    (1, 1)  −     -4       4                             2             4     8
    4 steps, 2 mistakes, 2 updates: the last pass had mistakes
    """
    rows = as_rows(X)
    batch, classes = _batch(rows, y, sample_weight)
    listed = as_order(order, batch.n_rows)
    seed = int(np.random.RandomState(random_state).randint(2**31 - 1))  # as Perceptron draws it
    plan = Plan(epochs=epochs, until=until, order=listed, seed=seed)
    plan.check()
    if max_steps is not None and (not isinstance(max_steps, (int, np.integer)) or max_steps < 0):
        raise bad_value("max_steps", max_steps, "a whole number of at least 0, or None")
    described = {
        "classes": [class_name(label) for label in classes.tolist()],
        "features": column_names(X),
        "weighted": sample_weight is not None,
        "sample_weight": batch.importance.tolist() if sample_weight is not None else None,
    }
    if kernel is not None:
        if not (isinstance(init, str) and init == "zeros"):
            raise BadInput("init: with a kernel w starts at zero and has no weights to set; leave init out")
        found = kernel_trace(
            batch,
            (kernel, degree, gamma, coef0),
            plan,
            Recipe(rule, keep, offset or False, tie),
            max_steps,
            progress,
        )
        found.settings |= described
        return found
    offset = True if offset is None else offset
    state = begin(n_features(rows), rule, keep, offset, tie, init)
    if isinstance(state.keeper, Pocket):
        state.keeper = state.keeper._replace(ratchet=True)
    _refuse_too_long(batch, plan, max_steps)
    recorder, settings = _Recorder(state, batch, plan), _settings(state, plan, keep, offset)
    with Progress(progress, max_steps) as bar:
        is_clean = recorder.run(max_steps, bar)
    separated = is_clean and covers_rows(plan.order, batch)
    return Trace(
        recorder.steps,
        rows,
        batch.labels,
        settings
        | described
        | {
            "max_steps": max_steps if len(recorder.steps) == max_steps and not is_clean else None,
        },
        recorder.cycle(),
        separated,
    )


class _Recorder:
    """Run one step at a time and record it."""

    def __init__(self, state: OneColumn, batch: Batch, plan: Plan) -> None:
        self.state = state
        self.batch = batch
        self.plan = plan
        self.steps: list[Step] = []
        self._passes = Passes(batch, plan.seed)
        self._looks = self._passes.looks(plan.order)
        self._seen: dict[tuple[bytes, Any, int], tuple[int, tuple[int, int]]] = {}
        self._repeat: tuple[int, int] | None = None
        self._points: dict[int, Any] = {}

    def run(self, max_steps: int | None, bar: Progress) -> bool:
        """Run to the end and return whether the last complete pass had no mistake."""
        passes = 0
        clean = False
        while self.plan.epochs is None or passes < self.plan.epochs:
            mistakes = self.state.mistakes
            for row in self._rows_of_a_pass():
                if max_steps is not None and len(self.steps) >= max_steps:
                    return False
                self._watch_for_repeat()
                self._look(row)
                if len(self.steps) % LOOKS_BETWEEN_WORDS == 0:
                    bar.at(len(self.steps), f"pass {passes + 1}, {self.state.mistakes:,} mistakes")
                if max_steps is None and 2 * len(self.steps) * self.batch.n_features > MOST_NUMBERS:
                    raise BadInput(
                        f"trace: not finished after {len(self.steps):,} steps; "
                        f"limit them with max_steps={len(self.steps)}"
                    )
            self.state.epochs += 1
            passes += 1
            clean = self.state.mistakes == mistakes
            if clean and self.plan.until == "separated":
                break
            if self.plan.epochs is None and self.cycle() is not None:
                break
        self._watch_for_repeat()
        return clean

    def cycle(self) -> Cycle | None:
        if self._repeat is None:
            return None
        start, end = self._repeat
        updates = sum(step.updated for step in self.steps[start:end])
        return Cycle(start, end - start, (end - start) / self._looks, updates)

    def _rows_of_a_pass(self) -> Iterator[int]:
        for segment in self._passes.segments(self.plan.order, self.state):
            if isinstance(segment, Given):
                yield from range(segment.start, segment.stop)
            else:
                yield from segment.rows.tolist()

    def _look(self, row: int) -> None:
        state, y = self.state, int(self.batch.labels[row])
        mistakes, updates = state.mistakes, state.updates
        if row not in self._points:
            self._points[row] = to_dense(self.batch.rows, row)
            if bad := first_not_finite(self.batch.rows, row):
                raise not_finite(row, *bad)
        score = self._score(row)
        learn(state, self.batch, Listed(np.array([row], np.uint32)))
        current = state.current()
        self.steps.append(
            Step(
                epoch=state.epochs + 1,
                index=row,
                x=tuple(self._points[row].tolist()),
                y=y,
                score=score,
                agreement=y * score,
                mistake=state.mistakes > mistakes,
                updated=state.updates > updates,
                weights=tuple(current[:-1].tolist()),
                offset=float(current[-1]),
                agreement_after=y * self._score(row),
                norm_squared=squared_length(current),
                covariance=_unsure(state),
            )
        )

    def _score(self, row: int) -> float:
        one = as_rows(self._points[row].reshape(1, -1))
        # the sign of v·x, which the loop decides by: scale·v has been rounded
        return self.state.scale * float(linear_scores(self.state.weights, self.state.offset, one)[0])

    def _watch_for_repeat(self) -> None:
        """Detect a state that recurs at the same place of the order, so that the run repeats itself."""
        if self._repeat is not None or (isinstance(self.plan.order, str) and self.plan.order == "shuffled"):
            return
        done = len(self.steps)
        searched = isinstance(self.plan.order, str) and self.plan.order.endswith("_mistake")
        place = 0 if searched else done % self._looks
        remembered = tuple(np.asarray(part).tobytes() for part in self.state.memory or ())
        key = (self.state.current().tobytes(), remembered, place)
        now = self.state.mistakes, self.state.updates
        first, then = self._seen.setdefault(key, (done, now))
        # states repeat on every clean pass too; only a repeat with a mistake or update between is a cycle
        if now != then:
            self._repeat = (first, done)


def _unsure(state: OneColumn) -> tuple[float, ...]:
    """Σ₁₁, Σ₁₂ and Σ₂₂ of two weights, where the rule knows how sure it is of them."""
    if state.n_features != 2 or state.memory is None or (sigma := rules.covariance(state.memory)) is None:
        return ()
    return float(sigma[0, 0]), float(sigma[0, 1]), float(sigma[1, 1])


def _batch(rows: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> tuple[Batch, NDArray[Any]]:
    labels = checked(y, n_rows(rows))
    classes = classes_of(labels)
    if len(classes) == 1 and classes[0] in (-1, 1):
        classes = np.array([-1, 1])
    if len(classes) != 2:
        remedy = "; y == CLASS, on the command line --positive CLASS, takes one class against the rest"
        raise BadInput(
            f"y: expected two classes, got {len(classes)}: {classes[:5].tolist()}"
            + remedy * (len(classes) > 2)
        )
    return Batch(rows, as_labels(labels, classes), as_importance(sample_weight, len(labels))), classes


def _refuse_too_long(batch: Batch, plan: Plan, max_steps: int | None) -> None:
    steps = Passes(batch, plan.seed).looks(plan.order) * (plan.epochs or 1)
    if max_steps is not None:
        steps = min(steps, max_steps)
    if 2 * steps * batch.n_features > MOST_NUMBERS:
        fit = MOST_NUMBERS // (2 * batch.n_features)
        raise BadInput(
            f"trace: {steps:,} steps of {batch.n_features:,} features are too many to write down; "
            f"limit them with max_steps={fit}, or use Perceptron.fit, whose history_ has each pass"
        )


def _settings(state: OneColumn, plan: Plan, keep: str, offset: bool) -> dict[str, Any]:
    order = plan.order if isinstance(plan.order, str) else plan.order.tolist()
    return {
        "rule": rules.name_of(state.rule),
        "rule_parameters": state.rule._asdict(),
        "claims": claims_or_why_not(state.rule),
        "keep": keep,
        "offset": bool(offset),
        "order": order,
        "tie": state.tie,
        "epochs": None if plan.epochs is None else int(plan.epochs),
        "until": plan.until,
        "random_state": plan.seed,
        "start": state.start.tolist(),
        **({"start_covariance": list(unsure)} if (unsure := _unsure(state)) else {}),
    }
