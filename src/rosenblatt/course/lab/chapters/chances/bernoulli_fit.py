"""Bernoulli trials: the likelihood of p given the observed zeros and ones, and its maximum."""

from __future__ import annotations

import math
from typing import Any

from rosenblatt.course.foundations import Bernoulli
from rosenblatt.course.lab.chapters.chances.observations import linspace
from rosenblatt.course.lab.chapters.chapter import Answer
from rosenblatt.course.lab.page_states import State
from rosenblatt.course.lab.python import assignment, literal, script
from rosenblatt.course.lab.sentence_numbers import number_text
from rosenblatt.errors import BadInput, counted

MOST_TRIALS = 200


def bernoulli(state: State) -> Answer:
    """Return the log likelihood of the chosen p, and the relative frequency of ones."""
    trials = _trials(state)
    p, seed = state.number("p", 0.0, 1.0), state.whole("seed", 0, 999)
    current, best = Bernoulli(p), Bernoulli.fit(trials)
    numbers = {
        "ones": sum(trials),
        "mean": current.mean,
        "variance": current.variance,
        "log_likelihood": current.log_likelihood(trials),
        "best_p": best.p,
        "best_log_likelihood": best.log_likelihood(trials),
    }
    shares = linspace(0.0, 1.0, 101)
    picture = {
        "topic": "bernoulli",
        "next": int(current.sample(len(trials) + 1, random_state=seed)[-1]),
        "shares": shares,
        "by_p": [Bernoulli(share).log_likelihood(trials) for share in shares],
    }
    return Answer(numbers, _python(trials, p), tuple(_sentences(numbers, len(trials), p)), picture)


def _trials(state: State) -> list[int]:
    trials = state.numbers("trials", MOST_TRIALS)
    if not trials:
        raise BadInput("trials: there are none yet; add a 1 or a 0, or toss the coin")
    if any(value not in (0, 1) for value in trials):
        raise BadInput("trials: expected 0 and 1 only")
    return [int(value) for value in trials]


def _sentences(numbers: dict[str, Any], n_trials: int, p: float) -> list[str]:
    found = numbers["log_likelihood"]
    says = f"log likelihood is {number_text(found)}" if math.isfinite(found) else "likelihood is 0"
    return [
        f"{counted(numbers['ones'], 'one')} in {counted(n_trials, 'trial')}. "
        f"For p = {number_text(p)} the {says}.",
        f"The log likelihood is largest at the share of ones, p = {numbers['ones']}/{n_trials} = "
        f"{number_text(numbers['best_p'])}: {number_text(numbers['best_log_likelihood'])}.",
    ]


def _python(trials: list[int], p: float) -> str:
    return script(
        "from rosenblatt.course.foundations import Bernoulli",
        "",
        assignment("trials", trials),
        "ones = sum(trials)",
        f"current = Bernoulli(p={literal(p)})",
        "mean, variance = current.mean, current.variance",
        "log_likelihood = current.log_likelihood(trials)",
        "best = Bernoulli.fit(trials)",
        "best_p, best_log_likelihood = best.p, best.log_likelihood(trials)",
        "print(log_likelihood, best, best_log_likelihood)",
    )
