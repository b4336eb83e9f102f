"""Common parts of the games: the protocol, the promised margin, and text."""

from __future__ import annotations

from typing import Any

from rosenblatt.course.lab.page_states import State
from rosenblatt.course.lab.sentence_numbers import number_text
from rosenblatt.training.online.learner import Learner

NARROWEST, WIDEST = 0.05, 0.7
LONGEST_GAME = 500
"""Rounds. 1/NARROWEST² = 400 mistakes, and every round against the adversary is one."""


def promised_margin(state: State) -> float:
    """Return ρ, the promised smallest distance of a challenge from the line of w*."""
    return state.number("margin", NARROWEST, WIDEST)


def play(learner: Learner, X: list[list[float]], y: list[int]) -> dict[str, Any]:
    """Play all rounds (challenge, prediction, label, update); return the mistakes and all (w, b).

    >>> play(Learner(offset=False, n_features=2), [[2.0, 1.0], [0.0, 2.0]], [1, -1])["weights"]
    [[2.0, 1.0, 0.0], [2.0, -1.0, 0.0]]
    """
    answers, mistakes, weights = [], [], []
    for x, label in zip(X, y, strict=True):
        answers.append(learner.answer(x))
        mistakes.append(learner.reveal(label))
        weights.append([*learner.weights.tolist(), learner.offset_weight])
    return {"answers": answers, "mistakes": mistakes, "weights": weights}


def sign_text(label: int) -> str:
    """Return the sign of a label.

    >>> sign_text(-1)
    '−'
    """
    return "+" if label > 0 else "−"


def point_text(values: list[float]) -> str:
    """Return a point or vector as text with four digits, without rounding errors near 0.

    >>> point_text([5.5e-17, -1 / 3])
    '(0, −0.3333)'
    """
    return f"({', '.join(number_text(round(value, 9)) for value in values)})"
