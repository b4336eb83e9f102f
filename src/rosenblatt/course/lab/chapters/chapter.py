"""What a chapter of the lab is: a state that a link can carry, and the answer of the package to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.course.lab.page_states import State
from rosenblatt.sight.traces.replay import Replay


@dataclass(frozen=True)
class Answer:
    """What the package says to a state.

    numbers: the figures of the page, each under the name that it has in the Python text.
    python: the same in Python; run, it leaves the same numbers under the same names.
    sentences: what it comes to, in words. picture: what only the drawing needs.
    replay: a run to be stepped through. replays of one state are kept by the server, chunk by chunk.
    """

    numbers: Mapping[str, Any]
    python: str
    sentences: tuple[str, ...] = ()
    picture: Mapping[str, Any] = field(default_factory=dict)
    replay: Replay | None = None


@dataclass(frozen=True)
class Chapter:
    """One chapter: `about` says in a line what it shows; `start` is the state it opens with and names every
    setting that a link may carry; `offers` is what the page lets one choose from."""

    key: str
    title: str
    about: str
    start: Mapping[str, Any]
    answer_to: Callable[[State], Answer]
    offers: Mapping[str, Any] = field(default_factory=dict)

    def answer(self, changes: Mapping[str, Any] | None = None) -> Answer:
        """The answer to the starting state with these changes."""
        return self.answer_to(State(self.start, changes or {}))
