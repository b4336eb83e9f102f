"""rosenblatt: the perceptron family, made fast, exact, proved and visible.

Names are imported when they are first used, so that ``import rosenblatt`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Learner": "rosenblatt.online.learner",
    "Perceptron": "rosenblatt.models.perceptron",
    "Trace": "rosenblatt.traces.record",
    "trace": "rosenblatt.traces.tracing",
}
_ROOMS = ("errors", "examples", "geometry", "lectures", "rules", "keepers", "teachers")

__all__ = ["Learner", "Perceptron", "Trace", "__version__", "trace", *_ROOMS]  # noqa: PLE0604

if TYPE_CHECKING:
    from rosenblatt import errors, examples, geometry, keepers, lectures, rules
    from rosenblatt.models.perceptron import Perceptron
    from rosenblatt.online import teachers
    from rosenblatt.online.learner import Learner
    from rosenblatt.traces.record import Trace
    from rosenblatt.traces.tracing import trace


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "teachers":
        return import_module("rosenblatt.online.teachers")
    if name in _ROOMS:
        return import_module(f"rosenblatt.{name}")
    raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
