"""The runs of `over_orders`: fit and measure one estimator many times on a single copy of the rows."""

from __future__ import annotations

import copy
import hashlib
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from rosenblatt.geometry import l2_norm
from rosenblatt.models.fit_inputs import as_list
from rosenblatt.training.progress import Progress

COUNTS = ("mistakes", "updates", "epochs")


class Run(NamedTuple):
    """The settings that differ between runs."""

    seed: int
    order: NDArray[np.uint64] | None
    init: Any


class RunInputs(NamedTuple):
    """The estimator and the data that all runs share."""

    estimator: Any
    X: Any
    y: NDArray[Any]
    sample_weight: ArrayLike | None

    def fit_run(self, run: Run, **changes: Any) -> Any:
        """Return a clone of the estimator, fitted with the settings of a run."""
        bare = copy.copy(self.estimator)
        own: dict[str, Any] = {"random_state": run.seed, "init": run.init, "order": run.order} | changes
        own = {name: value for name, value in own.items() if name in bare.get_params(deep=False)}
        if run.order is None:
            del own["order"]
        if "validation" in bare.get_params(deep=False):
            own["validation"], bare.validation = bare.validation, None  # clone would copy the rows
        return clone(bare).set_params(**own).fit(self.X, self.y, sample_weight=self.sample_weight)


def all_records(
    inputs: RunInputs, measured_on: dict[str, Any], runs: list[Run], threads: int, bar: Progress
) -> list[dict[str, Any]]:
    """Execute all runs, and return the measurements of each run."""
    stop = Event()

    def record(k: int) -> dict[str, Any]:
        changes: dict[str, Any] = {"progress": False}
        if threads > 1:  # once `stop` is set, a run ends after its current pass
            changes["callbacks"] = [*as_list(inputs.estimator.callbacks), lambda _: stop.is_set()]
        try:
            return _measure(inputs.fit_run(runs[k], **changes), measured_on)
        except Exception as error:
            error.add_note(f"in run {k} of over_orders, with random_state={runs[k].seed}")
            raise

    def at(done: int) -> None:
        bar.at(done, f"{len(runs) - done:,} to go")

    if threads == 1:
        records = []
        for k in range(len(runs)):
            records.append(record(k))
            at(k + 1)
        return records
    pool = ThreadPoolExecutor(min(threads, len(runs)))
    try:
        futures = [pool.submit(record, k) for k in range(len(runs))]
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()
            at(done)
        return [future.result() for future in futures]
    finally:
        # after an error or Ctrl-C: pending runs are dropped, the others end after their current pass
        stop.set()
        pool.shutdown(cancel_futures=True)


def _measure(model: Any, measured_on: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, (X, y) in measured_on.items():
        right = model.predict(X) == y
        found[name] = float((right if right.ndim == 1 else right.all(axis=1)).mean())
    found |= {name: int(getattr(model, f"{name}_")) for name in COUNTS}
    found |= {"converged": bool(model.converged_), "margin": np.nan, "weights": None, "line": None}
    coef: Any = getattr(model, "coef_", None)
    if coef is None:
        return found
    # a digest, since the weights of all runs may take more memory than the data; + 0.0 turns −0 into 0
    weights = np.column_stack([coef, model.intercept_]) + 0.0
    found["weights"] = hashlib.blake2b(weights.tobytes(), digest_size=16).digest()
    found["line"] = (*coef[0].tolist(), float(model.intercept_[0])) if coef.shape == (1, 2) else None
    found["margin"] = _smallest_margin(model, coef, *measured_on["accuracy"])
    return found


def _smallest_margin(model: Any, coef: NDArray[np.float64], X: Any, y: NDArray[Any]) -> float:
    """Return the smallest signed distance of a row from the boundary of its class.

    It is y(w·x + b)/‖w‖ or, with more than two classes, (own score − other score)/‖own w − other w‖. It is
    NaN if a denominator is 0.
    """
    scores = model.decision_function(X)
    if y.ndim == 2:  # one hyperplane per label
        return _nearest(np.where(y > 0, scores, -scores), coef)
    if scores.ndim == 1:
        return _nearest(np.where(y == model.classes_[1], scores, -scores)[:, None], coef)
    nearest = []
    for c, of_class in enumerate(model.classes_):
        own, others = scores[y == of_class], np.delete(np.arange(len(model.classes_)), c)
        nearest.append(_nearest(own[:, [c]] - own[:, others], coef[c] - coef[others]))
    return float(np.min(nearest))


def _nearest(gaps: NDArray[np.float64], normals: NDArray[np.float64]) -> float:
    lengths = np.array([l2_norm(w) for w in normals])
    return float((gaps / lengths).min(initial=np.inf)) if lengths.all() else np.nan
