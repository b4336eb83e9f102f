"""The classifiers of many classes or labels in common arrays, trained by one pass over the rows."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.loops.together import CLOCK, DOUBLE, SHORTEST2, SINGLE, Panel, Screen
from rosenblatt.numeric.panels import LANES
from rosenblatt.numeric.prefetch import CACHE_LINE
from rosenblatt.numeric.row_batches import Dense, Rows, Sparse, n_features, n_rows
from rosenblatt.numeric.twofold import exact_multiple
from rosenblatt.numeric.widening import widen
from rosenblatt.training.column_decisions import Decider, own_features
from rosenblatt.training.linear_state import LinearState, Mean, Places
from rosenblatt.training.many_batch import ManyBatch
from rosenblatt.training.overflow_errors import overflow
from rosenblatt.training.run import Plan, Trainer

MANY_COLUMNS = 48  # with at least this many, dense rows are scored in blocks by matrix products
WIDEST = 64  # columns in a panel by feature, so that the scores of a row stay in the nearest cache
AT_ONCE = 1 << 16  # features whose weights are averaged together
WRITTEN_AT_ONCE = 1 << 28  # bytes of zeros that are written immediately


@dataclass(kw_only=True)
class PanelColumns(LinearState):
    """Hold many weight vectors in panels; each vector has the same bits as if it were trained separately.

    `by_feature` states whether the panels store the weights of each feature contiguously, as sparse rows
    need. In that case there are several panels, which are distributed to the threads; otherwise there is
    one panel, whose columns are divided among the threads.
    """

    by_feature: bool
    panels: list[Panel]
    pocket: Any = None  # the counters of keep="pocket"; its vectors are in `beside` of the panels
    variance: NDArray[np.float64] | None = None  # shape (classifiers, weights), for `shared_confident`
    examples_seen: int = 0

    # ------------------------------------------------------------ weights and counters

    @property
    def n_columns(self) -> int:
        return sum(panel.clocks.size for panel in self.panels)

    def clocks(self) -> NDArray[Any]:
        return np.concatenate([panel.clocks for panel in self.panels])

    def current(self, at: Places = None) -> NDArray[np.float64]:
        return self._matrix([panel.weights for panel in self.panels], at)

    def beside(self, at: Places = None) -> NDArray[np.float64] | None:
        """Return the second matrix of the averaging strategy: sums for a mean, or the pocket vectors."""
        if self.keep == "last":
            return None
        return self._matrix([panel.beside for panel in self.panels], at)

    def whole(self, beside: bool) -> NDArray[np.float64] | None:
        """Return `current()` or `beside()`; one panel gives a view, which must not be written to."""
        (first, *others), width = self.panels, self.n_features + 1
        if others or (beside and self.keep == "last"):
            return self.beside() if beside else self.current()
        part, size = first.beside if beside else first.weights, first.clocks.size
        return part[:width, :size].T if self.by_feature else part[:size, :width]

    def returned_weights(self, at: Places = None) -> NDArray[np.float64]:
        weights = self.current(at)
        if self.keep == "last":
            return weights
        if self.keep == "pocket":
            beside = self.beside(at)
            assert beside is not None
            return beside
        looks = (self.examples_seen - self.clocks()["since"])[:, None].astype(np.float64)
        fresh = looks[:, 0] == 0  # classifiers without a step have their initial weights
        start = weights[fresh]
        with np.errstate(invalid="ignore"):
            for block, places in self._blocks(at):  # in place: there may be gigabytes of weights
                some = weights[:, block]
                some *= looks
                some -= self._matrix([panel.beside for panel in self.panels], places)
                some /= looks
        weights[fresh] = start
        return weights

    def _blocks(self, at: Places) -> Iterator[tuple[slice, Any]]:
        """Yield slices of the weights at the given places (None for all), and the places in each slice."""
        width = self.n_features + 1 if at is None else at.size
        for first in range(0, width, AT_ONCE):
            block = slice(first, min(first + AT_ONCE, width))
            yield block, block if at is None else at[block]

    def mean(self, at: Places = None) -> Mean | None:
        if self.keep != "averaged":
            return None
        # a classifier without a step has its initial weights, and no sums
        looks = np.maximum(self.examples_seen - self.clocks()["since"], 1).astype(np.float64)

        def parts(some: Places) -> NDArray[np.float64]:
            places = at if some is None else some if at is None else at[some]
            high, low = exact_multiple(looks[:, None], self.current(places))
            return np.stack([high, low, -self._matrix([panel.beside for panel in self.panels], places)])

        squares = np.zeros(self.n_columns)
        with np.errstate(over="ignore"):
            for _, places in self._blocks(at):
                weights = self.current(places)
                squares += np.einsum("cj,cj->c", weights, weights)
        return Mean(np.sqrt(squares), looks, parts)

    def _matrix(self, parts: list[NDArray[np.float64]], at: Places = None) -> NDArray[np.float64]:
        """Return arrays of the panels (weights, for example) as one matrix (classifiers × features)."""
        chosen: Any = slice(self.n_features + 1) if at is None else at
        if not self.by_feature:
            return parts[0][:, chosen].copy()
        sizes = [panel.clocks.size for panel in self.panels]
        return np.concatenate([part[chosen, :size].T for part, size in zip(parts, sizes, strict=True)])

    def copy(self) -> Self:
        twin = copy.copy(self)
        twin.panels = [copy_panel(panel) for panel in self.panels]
        twin.pocket = copy.deepcopy(self.pocket)
        twin.variance = None if self.variance is None else self.variance.copy()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the screening weights, which can be recomputed."""
        return {**vars(self), "panels": [panel._replace(screen=panel.weights) for panel in self.panels]}

    # ------------------------------------------------------------ deciding

    def answers_about(self, rows: Rows, kept: bool) -> tuple[Decider, Rows]:
        """Return an object that predicts these rows, and the rows in the form that this object needs.

        For sparse rows, only the weights of their features are copied, since there may be millions of other
        features.
        """
        at, row = None, rows
        if isinstance(rows, Sparse) and n_rows(rows) > 1:
            at, row = own_features(rows)
        elif isinstance(rows, Sparse):  # a single row
            entries = slice(int(rows.starts[0]), int(rows.starts[1]))
            at = np.append(rows.indices[entries].astype(np.int64), n_features(rows))
            row = Dense(rows.values[entries].reshape(1, -1).astype(np.float64))
        if kept:
            return Decider(lambda: self.returned_weights(at), self.offset, lambda: self.mean(at)), row
        return Decider(lambda: self.current(at), self.offset), row

    def check_overflow(self) -> None:
        if self.keep == "averaged" and not np.isfinite([panel.beside.sum() for panel in self.panels]).all():
            with np.errstate(over="ignore", invalid="ignore"):
                if not np.isfinite(self.returned_weights()).all():
                    raise overflow()

    # ------------------------------------------------------------ learning

    def on(self, batch: ManyBatch, plan: Plan) -> Trainer:
        """Return a trainer; on a GPU only if a mistake of one class never updates another class."""
        from rosenblatt.training.panel_trainer import PanelTrainer  # trainers import states
        from rosenblatt.training.shared_trainer import SharedTrainer

        if self.sharing is not None:
            return SharedTrainer(self, batch, plan)
        if plan.device is not None:
            return plan.device.panel_trainer(self, batch, plan)
        return PanelTrainer(self, batch, plan)

    def why_not_on_device(self, batch: ManyBatch) -> str | None:
        if self.sharing is not None:
            return "cannot train classes that share their mistakes"
        if not rules.facts(self.rule).is_fixed:
            return f"learns by {rules.names_of_rules(lambda facts: facts.is_fixed)} only"
        return "has no class_weight for labels" if batch.balance.size else None

    def add_columns(self, n: int) -> None:
        start = self.start if self.start.ndim == 1 else np.zeros(self.n_features + 1)
        if self.variance is not None:
            self.variance = np.vstack([self.variance, np.ones((n, self.n_features + 1))])
        last = self.panels[-1]
        begun = slice(last.clocks.size, last.clocks.size + n)
        if not self.by_feature or begun.stop > last.weights.shape[1]:
            self._lay_out(self.by_feature, n, start)
            return
        # if they fit into the padding of the last panel, the other columns need not be copied
        if start.any():
            last.weights[:, begun], last.screen[:, begun] = start[:, None], start[:, None]
            if self.keep == "pocket":
                last.beside[:, begun] = start[:, None]
        clocks = new_clocks(n, self._since(), start)
        self.panels[-1] = last._replace(clocks=np.concatenate([last.clocks, clocks]))

    def _since(self) -> int:
        """Return the step from which the steps of a newly added classifier are counted.

        Classes that share their mistakes form one vector, whose mean is over all steps.
        """
        return self.examples_seen if self.sharing is None else 0

    def widen(self, n_features: int) -> None:
        self._lay_out(self.by_feature, 0, self.start, n_features)
        if self.variance is not None:
            self.variance = widen(self.variance, n_features + 1, begins=1.0)

    def suit(self, rows: Rows) -> None:
        """Convert the panels to the layout and precision that these rows need."""
        by_feature = not isinstance(rows, Dense)
        if by_feature != self.by_feature:
            self._lay_out(by_feature, 0, self.start)
        single = by_feature or rows.values.dtype == np.float32
        self.panels = [with_screen(panel, single) for panel in self.panels]

    def _lay_out(
        self, by_feature: bool, more: int, start: NDArray[np.float64], n_features: int | None = None
    ) -> None:
        """Copy the classifiers into new panels, and add `more` classifiers or new features."""
        beside, weights, old = self.beside(), self.current(), self.clocks()
        if more:
            begun = np.broadcast_to(start, (more, len(start)))
            weights = np.vstack([weights, begun])
            old = np.concatenate([old, new_clocks(more, self._since(), start)])
            if beside is not None:
                beside = np.vstack([beside, begun if self.keep == "pocket" else np.zeros_like(begun)])
        if n_features is not None:
            weights = widen(weights, n_features + 1)
            beside = None if beside is None else widen(beside, n_features + 1)
            self.start = widen(self.start, n_features + 1)
        self.by_feature = by_feature
        self.fill(weights, beside, old)

    def fill(
        self, weights: NDArray[np.float64], beside: NDArray[np.float64] | None, clocks: NDArray[Any]
    ) -> None:
        """Create new panels with these classifiers."""
        self.panels = self._empty_panels(len(weights))
        self.write(weights, beside, clocks)

    def _empty_panels(self, n: int) -> list[Panel]:
        widest = WIDEST if self.sharing is None else n
        return empty_panels(n, self.n_features, self.by_feature, self.keep != "last", widest)

    def write(
        self, weights: NDArray[np.float64], beside: NDArray[np.float64] | None, clocks: NDArray[Any]
    ) -> None:
        """Write these classifiers into the existing panels."""
        for panel in self.panels:
            part = slice(panel.first, panel.first + panel.clocks.size)
            for target, source in ((panel.weights, weights), (panel.beside, beside)):
                if source is None:
                    continue
                if self.by_feature:
                    target[:, : panel.clocks.size] = source[part].T
                else:
                    target[:, : self.n_features + 1] = source[part]
            if panel.screen is not panel.weights:
                with np.errstate(over="ignore", under="ignore"):
                    panel.screen[...] = panel.weights
            panel.clocks[...] = clocks[part]


def panel_columns(
    start: NDArray[np.float64], n_columns: int, rows: Rows, rule: Any, keep: str, offset: bool, tie: str,
    sharing: Any = None,
) -> PanelColumns:  # fmt: skip
    """Return the initial state of `n_columns` classifiers for rows of this layout.

    `start` holds the initial weights (w, b): one vector for each classifier, or one for all.
    """
    d = start.shape[-1] - 1
    state = PanelColumns(
        rule=rule, keep=keep, offset=1.0 if offset else 0.0, tie=tie, start=start, sharing=sharing,
        by_feature=not isinstance(rows, Dense), panels=[],
    )  # fmt: skip
    state.panels = state._empty_panels(n_columns)
    if sharing is not None and rules.facts(rule).has_variances:
        state.variance = np.ones((n_columns, d + 1))
    if start.any():
        begun = np.broadcast_to(start, (n_columns, d + 1))
        state.write(begun, begun if keep == "pocket" else None, new_clocks(n_columns, 0, start))
    return state


def can_share_panels(rule: Any, keep: str, order: Any) -> bool:
    """Return whether a loop can train all classifiers in one pass over the rows."""
    searches = isinstance(order, str) and order not in ("given", "shuffled")
    # the machine code of a user's rule is not stored
    has_loop = rules.is_packaged(rule) and rules.facts(rule).is_additive
    return has_loop and keep in ("last", "averaged") and not searches


# ---------------------------------------------------------------- panels in memory


def new_clocks(n_columns: int, since: int, start: NDArray[np.float64]) -> NDArray[Any]:
    clocks = np.zeros(n_columns, CLOCK)
    clocks["since"] = since
    with np.errstate(over="ignore"):
        clocks["length2"] = (start * start).sum(axis=-1) * (1.0 + 1e-9) + SHORTEST2
    return clocks


def empty_panels(n: int, d: int, by_feature: bool, with_beside: bool, widest: int) -> list[Panel]:
    """Return arrays of zero weights for n classifiers, in panels."""
    if not by_feature:
        shape = n, CACHE_LINE // 4 * -(-(d + 1) // (CACHE_LINE // 4))
        weights = aligned_zeros(shape)
        beside = aligned_zeros(shape) if with_beside else np.empty((0, 0))
        return [Panel(0, weights, beside, weights, new_clocks(n, 0, np.zeros(1)))]
    each = -(-n // -(-n // widest))
    lanes = LANES * -(-each // LANES)
    panels = []
    for first in range(0, n, each):
        shape = d + 1, lanes
        beside = aligned_zeros(shape) if with_beside else np.empty((0, 0))
        clocks = new_clocks(min(each, n - first), 0, np.zeros(1))
        panels.append(Panel(first, aligned_zeros(shape), beside, aligned_zeros(shape, np.float32), clocks))
    return panels


def aligned_zeros(shape: tuple[int, int], kind: type = np.float64) -> NDArray[Any]:
    """Return an array of zeros; rows start at cache lines if the row length is a multiple of a line.

    Loading a register from two lines takes twice as long as from one. The zeros are written immediately: if
    the first updates had to write them page by page, the first pass would take longer. Very large arrays
    are not written, since most of their pages may never be used.
    """
    size = shape[0] * shape[1] * np.dtype(kind).itemsize
    memory = np.zeros(size + CACHE_LINE, np.uint8)
    if size <= WRITTEN_AT_ONCE:
        memory.fill(0)
    first = -memory.ctypes.data % CACHE_LINE
    return memory[first : first + size].view(kind).reshape(shape)


def with_screen(panel: Panel, single: bool) -> Panel:
    if not single:
        return panel._replace(screen=panel.weights)
    if panel.screen.dtype == np.float32:
        return panel
    screen = aligned_zeros(panel.weights.shape, np.float32)
    with np.errstate(over="ignore", under="ignore"):
        screen[...] = panel.weights
    return panel._replace(screen=screen)


def precision(panel: Panel) -> Screen:
    """Return the constants of the error bound for the scores of a panel's screen."""
    return SINGLE if panel.screen.dtype == np.float32 else DOUBLE


def copy_panel(panel: Panel) -> Panel:
    weights = _copy(panel.weights)
    screen = _copy(panel.screen) if panel.screen.dtype == np.float32 else weights
    return Panel(panel.first, weights, _copy(panel.beside), screen, panel.clocks.copy())


def _copy(array: NDArray[Any]) -> NDArray[Any]:
    twin = aligned_zeros(array.shape, array.dtype.type)
    twin[...] = array
    return twin
