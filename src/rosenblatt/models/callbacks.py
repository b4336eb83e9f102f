"""Callbacks of scikit-learn 1.9 and later (SLEP 23): `set_callbacks`, with one task for each pass.

Older versions have no such callbacks; there, estimators have no method `set_callbacks`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeVar

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stand in for the class of the same name."""

    def with_callbacks(method: Any) -> Any:
        """Return the method unchanged."""
        return method


Method = TypeVar("Method", bound=Callable[..., Any])


def closes_callbacks(method: Method) -> Method:
    """Return a method that ends the callbacks of its estimator, also after an error."""
    decorated: Method = with_callbacks(method)
    return decorated


class FitTasks:
    """Report a fit and its passes to the callbacks of an estimator.

    `store(model, result)` sets the fitted attributes of a model from the result of a run so far, without
    sharing anything that the run changes. Callbacks that need a fitted model get a copy of the estimator,
    as if the fit had stopped after the pass; other callbacks cost no copy.
    """

    def __init__(
        self,
        model: Any,
        epochs: int | None,
        store: Callable[[Any, Any], object],
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> None:
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        self._about = {"estimator": model, "X": X, "y": y, "metadata": metadata}
        self._store = store
        self._fit = model._init_callback_context(max_subtasks=epochs)
        self._fit.call_on_fit_task_begin(**self._about)

    def begin_pass(self) -> None:
        """Begin the task of the next pass."""
        self._pass = self._fit.subcontext(task_name="pass")
        self._pass.call_on_fit_task_begin(**self._about)

    def end_pass(self, result: Callable[[], Any]) -> bool:
        """End the task of a pass; return whether a callback ends the run."""

        def attributes() -> dict[str, Any]:
            fitted = copy.copy(self._about["estimator"])
            self._store(fitted, result())
            return {"__dict__": vars(fitted)}  # replaces all attributes of an earlier fit

        return bool(self._pass.call_on_fit_task_end(**self._about, reconstruction_attributes=attributes))

    def end(self) -> None:
        """End the task of the fit; the estimator is fitted."""
        self._fit.call_on_fit_task_end(**self._about, reconstruction_attributes={})


class HasCallbacks(CallbackSupportMixin):
    """Mixin for estimators that report their passes to callbacks."""

    def _begin_tasks(
        self, epochs: int | None, store: Callable[[Any, Any], object], *data: Any
    ) -> FitTasks | None:
        """Return the tasks of a fit, or None if there are no callbacks; see `FitTasks`."""
        return FitTasks(self, epochs, store, *data) if "_skl_callbacks" in vars(self) else None
