"""The adversarial teacher: it forces 1/ρ² mistakes on the perceptron (in the plane, half as many)."""

from __future__ import annotations

from typing import Any

from rosenblatt import geometry
from rosenblatt.course.lab.chapters.chapter import Answer
from rosenblatt.course.lab.chapters.games.protocol import LONGEST_GAME, promised_margin
from rosenblatt.course.lab.page_states import State
from rosenblatt.course.lab.python import script
from rosenblatt.training.online import example_teachers
from rosenblatt.training.online.learner import Learner


def adversary(state: State) -> Answer:
    """Play the perceptron against the teacher that reveals as little as possible."""
    margin, n_features = promised_margin(state), state.whole("n_features", 2, 10)
    learner = Learner(offset=False, n_features=n_features)
    teacher = example_teachers.Adversarial(margin, n_features)
    progress, lengths, path = [], [], []
    for _ in range(LONGEST_GAME):
        if not example_teachers.play(learner, teacher, rounds=1).rounds:
            break
        w = learner.weights
        progress.append(geometry.inner(teacher.separator, w))
        lengths.append(geometry.l2_norm(w))
        path.append([float(w[0]), float(w[1]) if n_features == 2 else geometry.l2_norm(w[1:])])
    numbers = {
        "mistakes": learner.mistakes,
        "bound": geometry.most_mistakes(1.0, margin),
        "progress": progress,
        "lengths": lengths,
        "weights": learner.weights.tolist(),
    }
    sentences = _adversary_sentences(numbers, margin, n_features)
    python = _adversary_python(margin, n_features)
    return Answer(numbers, python, tuple(sentences), {"side": "adversary", "path": path})


def _adversary_python(margin: float, n_features: int) -> str:
    return script(
        "from rosenblatt import Learner, geometry, teachers",
        "",
        f"margin, n_features = {margin!r}, {n_features}",
        "learner = Learner(offset=False, n_features=n_features)",
        "teacher = teachers.Adversarial(margin, n_features)",
        "progress, lengths = [], []",
        f"for _ in range({LONGEST_GAME}):",
        "    if not teachers.play(learner, teacher, rounds=1).rounds:",
        "        break  # the teacher has no challenge left that would be answered wrongly",
        "    progress.append(geometry.inner(teacher.separator, learner.weights))",
        "    lengths.append(geometry.l2_norm(learner.weights))",
        "mistakes, weights = learner.mistakes, learner.weights.tolist()",
        "bound = geometry.most_mistakes(1.0, margin)",
        "print(mistakes, bound)",
    )


def _adversary_sentences(numbers: dict[str, Any], margin: float, n_features: int) -> list[str]:
    made, bound = numbers["mistakes"], numbers["bound"]
    reached = (
        f"At the end w·w* is {numbers['progress'][-1]:.4g}, at least {made}·ρ = {made * margin:.4g}, "
        f"and ‖w‖ is {numbers['lengths'][-1]:.4g}, at most √{made} = {made**0.5:.4g}"
    )
    if n_features == 2:
        return [
            f"{made} rounds, every one a mistake; the bound is 1/ρ² = {bound:.4g}, and in a plane "
            f"no teacher forces more than 1/(2ρ²) + 1 = {bound / 2 + 1:.4g}. "
            "w swings from side to side of w* until it is so close to w* that no challenge is a mistake.",
            f"{reached}.",
        ]
    return [
        f"{made} rounds, every one a mistake; the bound is 1/ρ² = {bound:.4g}.",
        f"{reached}: no further mistake is possible.",
    ]
