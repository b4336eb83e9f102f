"""The training run: settings, states, orders, passes, stopping, history. Estimators and traces share it.

Names are imported on first use, because `rosenblatt --help` needs only the settings.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "Epoch": "run",
    "Plan": "run",
    "LinearState": "linear_state",
    "begin": "initial_states",
    "learn": "column_trainer",
}

__all__ = ["Epoch", "LinearState", "Plan", "begin", "learn"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"rosenblatt.training.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'rosenblatt.training' has no attribute {name!r}")
