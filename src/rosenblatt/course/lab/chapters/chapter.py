"""The interface of a chapter: its state, which a link can contain, and the answer to a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.course.lab.page_states import State
from rosenblatt.traces.replay_data import Replay


@dataclass(frozen=True)
class Answer:
    """Hold the results that the package computes for the state of a page.

    numbers: the numbers on the page, under the names that they have in the Python text.
    python: a script that computes the same numbers under the same names.
    sentences: the results in words. picture: data that only the drawing needs.
    replay: a run to step through; the server stores it and sends it in chunks.
    """

    numbers: Mapping[str, Any]
    python: str
    sentences: tuple[str, ...] = ()
    picture: Mapping[str, Any] = field(default_factory=dict)
    replay: Replay | None = None


@dataclass(frozen=True)
class Chapter:
    """Describe one chapter of the lab.

    `about` is a one-line description. `start` is the initial state and contains every setting that a link
    may contain. `offers` contains the choices on the page.
    """

    key: str
    title: str
    about: str
    start: Mapping[str, Any]
    answer_to: Callable[[State], Answer]
    offers: Mapping[str, Any] = field(default_factory=dict)

    def answer(self, changes: Mapping[str, Any] | None = None) -> Answer:
        """Return the answer to the initial state with these changes."""
        return self.answer_to(State(self.start, changes or {}))
