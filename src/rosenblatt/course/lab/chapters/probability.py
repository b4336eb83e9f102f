"""Probability: Bayes' rule with boxes and balls, distributions and their likelihoods."""

from __future__ import annotations

from typing import Any

from rosenblatt.course.lab.chapters.chances.bernoulli_fit import bernoulli
from rosenblatt.course.lab.chapters.chances.boxes import boxes_and_balls
from rosenblatt.course.lab.chapters.chances.gaussian_fit import gaussian
from rosenblatt.course.lab.chapters.chances.joint import joint
from rosenblatt.course.lab.chapters.chances.uniform_fit import uniform
from rosenblatt.course.lab.chapters.chapter import Answer, Chapter
from rosenblatt.course.lab.page_states import State

START: dict[str, Any] = {
    "topic": "boxes",
    "counts": [[2, 3, 1], [3, 1, 0]],
    "picks": [1, 1],
    "drawn": ["red"],
    "replacement": True,
    "seed": 1,
    "data": [-1.8, -0.4, 0.3, 1.1, 1.6, 3.4],
    "mean": 0.0,
    "variance": 1.0,
    "trials": [1, 0, 1, 1, 0, 1, 1, 0],
    "p": 0.5,
    "marks": [-2.0, -1.0, 1.0, 1.0, 3.0],
    "low": -4.0,
    "high": 4.0,
    "whole": False,
    "points": [
        *([-2.5, -1.5], [-1.5, -1.8], [-1.0, 0.2], [0.0, -0.3]),
        *([0.4, 0.9], [1.2, 0.1], [2.0, 1.9], [3.1, 1.4]),
    ],
}
TOPICS = {
    "boxes": boxes_and_balls,
    "bernoulli": bernoulli,
    "uniform": uniform,
    "gaussian": gaussian,
    "joint": joint,
}


def answer(state: State) -> Answer:
    """Return the answer for the chosen topic."""
    return TOPICS[state.choice("topic", list(TOPICS))](state)


PROBABILITY = Chapter("probability", "Probability", "Bayes’ rule and maximum likelihood.", START, answer)
