"""You are the learner: a hidden w* labels challenges; your answers are compared with the perceptron's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import geometry
from rosenblatt.course.lab.chapters.chapter import Answer
from rosenblatt.course.lab.chapters.games.protocol import play, point_text, promised_margin, sign_text
from rosenblatt.course.lab.page_states import State
from rosenblatt.course.lab.python import assignment, script
from rosenblatt.course.lab.sentence_numbers import number_text
from rosenblatt.errors import BadInput
from rosenblatt.training.online.learner import Learner

ROUNDS = 20
DRAWN = 4000  # candidate points; enough of them keep any margin that the page allows


def hidden_game(seed: int, margin: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a direction w*, and challenges: points of the unit disc at least `margin` from the line of w*.

    >>> hidden, X = hidden_game(seed=1, margin=0.2)
    >>> len(X), bool((abs(X @ hidden) >= 0.2).all())
    (20, True)
    """
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0.0, 2.0 * np.pi)
    hidden = np.array([np.cos(angle), np.sin(angle)])
    X = rng.uniform(-1.0, 1.0, (DRAWN, 2)).round(2)
    X = X[(np.abs(X @ hidden) >= margin) & (np.hypot(*X.T) <= 1.0)][:ROUNDS]
    return hidden, X


def you_learn(state: State) -> Answer:
    """Return your mistakes and the perceptron's mistakes on challenges that a hidden w* labels."""
    margin, seed = promised_margin(state), state.whole("seed", 0, 2**31 - 1)
    yours = _your_answers(state)
    your_w = state.point("your_w")
    hidden, X = hidden_game(seed, margin)
    labels = [1 if x @ hidden > 0 else -1 for x in X[: len(yours)]]
    its = play(Learner(offset=False, n_features=2), X[: len(yours)].tolist(), labels)
    numbers: dict[str, Any] = {
        "challenges": X[: len(yours) + 1].tolist(),
        "labels": labels,
        "your_mistakes": [given != label for given, label in zip(yours, labels, strict=True)],
        "by_your_w": [1 if geometry.inner(your_w, x) > 0 else -1 for x in X[: len(yours) + 1]],
        "its_answers": its["answers"],
        "its_mistakes": its["mistakes"],
        "its_w": its["weights"][-1][:2] if yours else [0.0, 0.0],
        "bound": geometry.most_mistakes(1.0, margin),
    }
    over = len(yours) == ROUNDS
    shown = state.flag("revealed") or over
    if shown:
        numbers["hidden"] = hidden.tolist()
    python = _python(seed, margin, yours, your_w, shown)
    picture = {"side": "learner", "rounds": ROUNDS}
    return Answer(numbers, python, tuple(_sentences(numbers, yours, over)), picture)


def _your_answers(state: State) -> list[int]:
    given = state.numbers("your_answers", most=ROUNDS)
    wrong = [value for value in given if value not in (-1, 1)]
    if wrong:
        raise BadInput(f"your_answers: got {wrong[0]:g}, expected -1 or +1 for each challenge")
    return [int(value) for value in given]


def _python(seed: int, margin: float, yours: list[int], your_w: list[float], shown: bool) -> str:
    return script(
        "import numpy as np",
        "from rosenblatt import Learner, geometry",
        "",
        f"margin = {margin!r}",
        f"rng = np.random.default_rng({seed})",
        "angle = rng.uniform(0.0, 2.0 * np.pi)",
        "hidden = np.array([np.cos(angle), np.sin(angle)])",
        f"X = rng.uniform(-1.0, 1.0, ({DRAWN}, 2)).round(2)",
        f"X = X[(np.abs(X @ hidden) >= margin) & (np.hypot(*X.T) <= 1.0)][:{ROUNDS}]",
        "",
        assignment("your_answers", yours),
        assignment("your_w", your_w),
        "challenges = X[: len(your_answers) + 1].tolist()",
        "labels = [1 if x @ hidden > 0 else -1 for x in X[: len(your_answers)]]",
        "your_mistakes = [given != label for given, label in zip(your_answers, labels)]",
        "by_your_w = [1 if geometry.inner(your_w, x) > 0 else -1 for x in challenges]",
        "",
        "learner = Learner(offset=False, n_features=2)",
        "its_answers, its_mistakes = [], []",
        "for x, label in zip(X, labels):",
        "    its_answers.append(learner.answer(x))",
        "    its_mistakes.append(learner.reveal(label))",
        "its_w = learner.weights.tolist()",
        "bound = geometry.most_mistakes(1.0, margin)",
        *(["hidden = hidden.tolist()"] if shown else []),
        "print(sum(your_mistakes), sum(its_mistakes), bound)",
    )


def _sentences(numbers: dict[str, Any], yours: list[int], over: bool) -> list[str]:
    sentences = []
    if yours:
        right = "right" if yours[-1] == numbers["labels"][-1] else "a mistake"
        last = numbers["challenges"][len(yours) - 1]
        sentences.append(
            f"Challenge {len(yours)}, {point_text(last)}: you predicted {sign_text(yours[-1])}, the label "
            f"is {sign_text(numbers['labels'][-1])}: {right}. "
            f"The perceptron predicted {sign_text(numbers['its_answers'][-1])}."
        )
        sentences.append(
            f"Your mistakes: {sum(numbers['your_mistakes'])}. "
            f"The perceptron's: {sum(numbers['its_mistakes'])} (the first answer, at w = 0, is one). "
            f"Its bound: {number_text(numbers['bound'])}."
        )
    if over:
        return [*sentences, f"The game is over. The hidden w* is {point_text(numbers['hidden'])}."]
    return [
        *sentences,
        f"Challenge {len(yours) + 1} of {ROUNDS} is {point_text(numbers['challenges'][-1])}: + or −?",
    ]
