"""The interface of a chapter: a state that a link can contain, and the answer of the package to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.course.lab.page_states import State
from rosenblatt.traces.replay import Replay


@dataclass(frozen=True)
class Answer:
    """Hold the answer of the package to a state.

    numbers: the figures of the page, each under the name that it has in the Python text.
    python: a script that computes the same numbers under the same names.
    sentences: the result in words. picture: data that only the drawing needs.
    replay: a run to be stepped through. replays of one state are kept by the server, chunk by chunk.
    """

    numbers: Mapping[str, Any]
    python: str
    sentences: tuple[str, ...] = ()
    picture: Mapping[str, Any] = field(default_factory=dict)
    replay: Replay | None = None


@dataclass(frozen=True)
class Chapter:
    """Describe one chapter of the lab.

    `about` says in one line what it shows; `start` is its initial state and names every setting that a link
    may contain; `offers` has the choices of the page.
    """

    key: str
    title: str
    about: str
    start: Mapping[str, Any]
    answer_to: Callable[[State], Answer]
    offers: Mapping[str, Any] = field(default_factory=dict)

    def answer(self, changes: Mapping[str, Any] | None = None) -> Answer:
        """Return the answer to the starting state with these changes."""
        return self.answer_to(State(self.start, changes or {}))
