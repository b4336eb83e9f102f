"""Methods of a `Learner` that wait for each other when several threads call them.

A lock would cost 14 to 29 % of the rate of `Learner.learn`, a flag 1 to 3 %. CPython switches threads and
handles signals only after calls, at the start of functions and when it jumps back. So between the test that
ends ``while self._is_busy`` and ``self._is_busy = True`` no other thread runs, and no interrupt can leave
the flag set.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable
from types import CodeType
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from rosenblatt.errors import BadInput

P = ParamSpec("P")
T = TypeVar("T")
LONGEST_SLEEP = 1e-3

CODE: set[CodeType] = set()
"""The code objects that set the flag of a learner, which is their variable `self`."""


def exclusive(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
    """Return the method so that it runs while no other exclusive method of the same object does."""

    def guarded(self: Any, *arguments: P.args, **options: P.kwargs) -> T:
        while self._is_busy:
            wait_for(self)
        self._is_busy = True
        try:
            return method(self, *arguments, **options)
        finally:
            self._is_busy = False

    CODE.add(guarded.__code__)
    return functools.update_wrapper(cast(Callable[Concatenate[Any, P], T], guarded), method)


def wait_for(learner: Any) -> None:
    """Return when no thread uses a learner; raise BadInput if this thread does: it would wait forever."""
    frame = sys._getframe(1).f_back
    while frame is not None:
        if frame.f_code in CODE and frame.f_locals["self"] is learner:
            raise BadInput(
                "Learner: called while this thread is within a call of the same Learner (from a signal "
                "handler, or from its kernel or rule); call it after that one has returned"
            )
        frame = frame.f_back
    pause = 1e-5
    while learner._is_busy:
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_SLEEP)
