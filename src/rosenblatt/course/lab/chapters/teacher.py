"""Teacher and learner, from either side: challenge, prediction, label, update after a mistake."""

from __future__ import annotations

from typing import Any

from rosenblatt.course.lab.chapters.chapter import Answer, Chapter
from rosenblatt.course.lab.chapters.games.adversary import adversary
from rosenblatt.course.lab.chapters.games.learning import you_learn
from rosenblatt.course.lab.chapters.games.protocol import LONGEST_GAME
from rosenblatt.course.lab.chapters.games.teaching import you_teach
from rosenblatt.course.lab.page_states import State

START: dict[str, Any] = {
    "side": "teacher",
    "margin": 0.15,
    "offset": False,
    "tie": "mistake",
    "challenges": [
        *([-0.6, 0.1], [0.2, 0.3], [0.6, 0.0], [0.1, -0.9]),
        *([-0.7, 0.6], [0.0, -0.5], [-0.3, 0.9], [0.7, -0.6]),
    ],
    "labelling": "separator",
    "separator": [0.8, 0.6],
    "labels": [-1, 1, 1, -1, -1, -1, 1, 1],
    "round": 0,
    "seed": 1,
    "your_answers": [],
    "your_w": [1.0, 0.0],
    "revealed": False,
    "n_features": 3,
}
SIDES = {"teacher": you_teach, "learner": you_learn, "adversary": adversary}


def answer(state: State) -> Answer:
    """Return the replay of the game from the chosen side."""
    side = state.choice("side", list(SIDES))
    state.whole("round", 0, LONGEST_GAME)
    return SIDES[side](state)


TEACHER = Chapter("teacher", "Teacher against learner", "Play either side, or watch.", START, answer)
