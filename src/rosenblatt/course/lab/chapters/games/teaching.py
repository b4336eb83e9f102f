"""You are the teacher: the perceptron answers your challenges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import geometry
from rosenblatt.course.lab.chapters.chapter import Answer
from rosenblatt.course.lab.chapters.games.protocol import play, point_text, promised_margin, sign_text
from rosenblatt.course.lab.page_states import State
from rosenblatt.course.lab.proofs import decide
from rosenblatt.course.lab.python import arguments, assignment
from rosenblatt.course.lab.sentence_numbers import number_text
from rosenblatt.errors import BadInput, counted
from rosenblatt.training.online.learner import Learner

MOST_CHALLENGES = 200


def you_teach(state: State) -> Answer:
    """Present your challenges; the perceptron predicts each label before it is revealed."""
    challenges = state.points("challenges", least=0, most=MOST_CHALLENGES)
    offset, tie = state.flag("offset"), state.choice("tie", ("mistake", "negative", "positive"))
    separator = _separator(state)
    if state.choice("labelling", ("separator", "own")) == "separator":
        found, lines = _labelled_by_separator(challenges, separator, promised_margin(state))
    else:
        found, lines = _labelled_by_you(challenges, state.labels(len(challenges)))
    learner = Learner(offset=offset, tie=tie, n_features=2)
    bound, bound_lines = _bound(state, found, offset)
    numbers = {**found, **play(learner, found["X"], found["y"]), **bound}
    python = [*lines, "", *_learner_lines(offset=offset, tie=tie, n_features=2), *bound_lines]
    sentences = _round_sentences(state, numbers) + _teaching_sentences(state, numbers, len(challenges))
    picture = {"side": "teacher", "separator": (separator / geometry.l2_norm(separator)).tolist()}
    return Answer(numbers, "\n".join(python), tuple(sentences), picture)


def _separator(state: State) -> NDArray[np.float64]:
    separator = np.array(state.point("separator"))
    if not separator.any():
        raise BadInput("separator: w* = (0, 0) separates nothing; drag its end away from the origin")
    return separator


def _labelled_by_separator(
    challenges: NDArray[np.float64], separator: NDArray[np.float64], margin: float
) -> tuple[dict[str, Any], list[str]]:
    """Label challenges by their side of the line of w*; leave out challenges closer than the margin."""
    distances = [geometry.signed_distance(x, separator) for x in challenges]
    presented = [k for k, distance in enumerate(distances) if abs(distance) >= margin]
    found = {
        "presented": presented,
        "X": [challenges[k].tolist() for k in presented],
        "y": [1 if distances[k] > 0 else -1 for k in presented],
    }
    lines = [
        "from rosenblatt import Learner, geometry",
        "",
        assignment("challenges", challenges),
        assignment("separator", separator),
        assignment("margin", margin),
        "distances = [geometry.signed_distance(x, separator) for x in challenges]",
        "presented = [k for k, distance in enumerate(distances) if abs(distance) >= margin]",
        "X = [challenges[k] for k in presented]",
        "y = [1 if distances[k] > 0 else -1 for k in presented]",
    ]
    return found, lines


def _labelled_by_you(
    challenges: NDArray[np.float64], labels: NDArray[Any]
) -> tuple[dict[str, Any], list[str]]:
    found = {"presented": list(range(len(labels))), "X": challenges.tolist(), "y": labels.tolist()}
    lines = [
        "from rosenblatt import Learner, separate",
        "",
        assignment("X", challenges),
        assignment("y", labels),
        "presented = list(range(len(X)))",
    ]
    return found, lines


def _learner_lines(**settings: Any) -> list[str]:
    return [
        f"learner = Learner({arguments(**settings)})",
        "answers, mistakes, weights = [], [], []",
        "for x, label in zip(X, y):",
        "    answers.append(learner.answer(x))  # the answer comes before the label",
        "    mistakes.append(learner.reveal(label))",
        "    weights.append([*learner.weights.tolist(), learner.offset_weight])",
    ]


def _bound(state: State, found: dict[str, Any], offset: bool) -> tuple[dict[str, Any], list[str]]:
    """Return (R/ρ)² if w* defines the labels, otherwise the bound that `separate` proves."""
    last = "print(sum(mistakes), bound)"
    if state.values["labelling"] == "own":
        if not found["X"]:
            return {"bound": None}, ["bound = None", last]
        verdict = decide(found["X"], found["y"], offset)
        call = f"separate(X, y, {arguments(offset=offset)})"
        return {"bound": verdict.mistake_bound}, [f"bound = {call}.mistake_bound", last]
    lifted = "[*x, 1.0]" if offset else "x"
    radius = max((geometry.l2_norm([*x, 1.0] if offset else x) for x in found["X"]), default=0.0)
    bound = {"radius": radius, "bound": geometry.most_mistakes(radius, promised_margin(state))}
    return bound, [
        f"radius = max((geometry.l2_norm({lifted}) for x in X), default=0.0)",
        "bound = geometry.most_mistakes(radius, margin)",
        last,
    ]


def _round_sentences(state: State, numbers: dict[str, Any]) -> list[str]:
    n_rounds = len(numbers["y"])
    if not n_rounds:
        return ["No challenge is presented yet: click into the picture."]
    shown = int(state.values["round"]) or n_rounds
    at = min(shown, n_rounds) - 1
    x, label, made = numbers["X"][at], numbers["y"][at], numbers["mistakes"][at]
    *w, b = numbers["weights"][at]
    offset = f", b {number_text(b)}" if state.values["offset"] else ""
    answer = sign_text(numbers["answers"][at])
    beginning = f"Round {at + 1} of {n_rounds}: challenge {point_text(x)}, answer {answer}"
    if not made:
        return [f"{beginning}, label {sign_text(label)}: right, so w stays {point_text(w)}{offset}."]
    tie = " (a score of 0 is a mistake whatever the label)" if numbers["answers"][at] == label else ""
    return [f"{beginning}, label {sign_text(label)}: a mistake{tie}. w becomes {point_text(w)}{offset}."]


def _teaching_sentences(state: State, numbers: dict[str, Any], n_challenges: int) -> list[str]:
    shown = int(state.values["round"]) or len(numbers["mistakes"])
    mistakes, bound = counted(sum(numbers["mistakes"][:shown]), "mistake"), numbers["bound"]
    left_out = n_challenges - len(numbers["presented"])
    sentences = []
    if bound is None and numbers["y"]:
        where = "" if state.values["offset"] else " through the origin"
        sentences = [f"So far {mistakes}. No line{where} separates your labels, so no bound holds."]
    elif numbers["y"]:
        sentences = [f"So far {mistakes}; such challenges allow at most {number_text(bound)}."]
    if left_out:
        lie = "lies" if left_out == 1 else "lie"
        sentences.append(
            f"{left_out} of your points {lie} within the margin of w* and cannot be presented."
        )
    return sentences
