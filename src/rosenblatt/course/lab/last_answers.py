"""Cache the most recent answers and replays, so that reopening a page or stepping through it is fast."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

from rosenblatt.course.lab.chapters import Answer, Chapter
from rosenblatt.course.lab.latest import Latest
from rosenblatt.traces.replay_data import Replay

KEPT_ANSWERS = 32
KEPT_REPLAYS = 16


class Answers:
    """Cache the most recent answers; an answer depends only on the state of its chapter."""

    def __init__(self) -> None:
        self._answers: Latest[Answer] = Latest(KEPT_ANSWERS)
        self._replays: Latest[Replay] = Latest(KEPT_REPLAYS)

    def to(self, chapter: Chapter, state: Mapping[str, Any]) -> Answer:
        """Return the answer of a chapter to a state, from the cache if possible."""
        name = json.dumps([chapter.key, {**chapter.start, **state}], sort_keys=True)
        found = self._answers.get(name)
        if found is None:
            found = chapter.answer(state)
            self._answers.put(name, found)
        return found

    def keep(self, replay: Replay) -> str:
        """Store a replay, and return a name under which its chunks can be requested."""
        name = secrets.token_urlsafe(9)
        self._replays.put(name, replay)
        return name

    def chunk(self, name: str, number: int) -> bytes | None:
        """Return a chunk of a replay, or None if it is no longer stored."""
        replay = self._replays.get(name)
        if replay is None or not 0 <= number < replay.n_chunks:
            return None
        return replay.chunk(number)
