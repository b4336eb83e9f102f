"""The last answers and replays, so that a page that is opened again, or stepped through, does not wait."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

from rosenblatt.course.lab.chapters import Answer, Chapter
from rosenblatt.course.lab.latest import Latest
from rosenblatt.sight.traces.replay import Replay

KEPT_ANSWERS = 32
KEPT_REPLAYS = 16


class Answers:
    """What was answered lately. An answer depends on its state alone, so it can be given twice."""

    def __init__(self) -> None:
        self._answers: Latest[Answer] = Latest(KEPT_ANSWERS)
        self._replays: Latest[Replay] = Latest(KEPT_REPLAYS)

    def to(self, chapter: Chapter, state: Mapping[str, Any]) -> Answer:
        """The answer of a chapter to a state."""
        name = json.dumps([chapter.key, {**chapter.start, **state}], sort_keys=True)
        found = self._answers.get(name)
        if found is None:
            found = chapter.answer(state)
            self._answers.put(name, found)
        return found

    def keep(self, replay: Replay) -> str:
        """A name under which the chunks of a replay can be asked for."""
        name = secrets.token_urlsafe(9)
        self._replays.put(name, replay)
        return name

    def chunk(self, name: str, number: int) -> bytes | None:
        """A chunk of a replay, if it is still kept."""
        replay = self._replays.get(name)
        if replay is None or not 0 <= number < replay.n_chunks:
            return None
        return replay.chunk(number)
