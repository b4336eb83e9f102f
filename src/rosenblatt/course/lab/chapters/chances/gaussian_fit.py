"""The Gaussian: the likelihood of μ and σ² given the data, and its maximum."""

from __future__ import annotations

from typing import Any

from rosenblatt.course.foundations import Gaussian
from rosenblatt.course.lab.chapters.chances.observations import FARTHEST, linspace, observations
from rosenblatt.course.lab.chapters.chapter import Answer
from rosenblatt.course.lab.page_states import State
from rosenblatt.course.lab.python import assignment, literal, script
from rosenblatt.course.lab.sentence_numbers import number_text

NARROWEST, WIDEST = 0.05, 9.0
"""Variances."""


def gaussian(state: State) -> Answer:
    """Return the log likelihood of the chosen normal distribution, and the largest possible one."""
    data = observations(state, "data")
    mean = state.number("mean", -FARTHEST, FARTHEST)
    variance = state.number("variance", NARROWEST, WIDEST)
    current, best = Gaussian(mean, variance), Gaussian.fit(data)
    numbers = {
        "log_likelihood": current.log_likelihood(data),
        "best_mean": best.mean,
        "best_variance": best.variance,
        "best_log_likelihood": best.log_likelihood(data),
    }
    return Answer(
        numbers,
        _python(data, mean, variance),
        tuple(_sentences(numbers, data)),
        _picture(current, best, data),
    )


def _picture(current: Gaussian, best: Gaussian, data: list[float]) -> dict[str, Any]:
    along = linspace(-FARTHEST, FARTHEST, 241)
    variances = linspace(NARROWEST, WIDEST, 120)
    return {
        "topic": "gaussian",
        "curve": [[x, y] for x, y in zip(along, current.density(along).tolist(), strict=True)],
        "best": [[x, y] for x, y in zip(along, best.density(along).tolist(), strict=True)],
        "heights": current.density(data).tolist(),
        "means": along[::2],
        "by_mean": [Gaussian(mean, current.variance).log_likelihood(data) for mean in along[::2]],
        "variances": variances,
        "by_variance": [Gaussian(best.mean, variance).log_likelihood(data) for variance in variances],
        "top_by_mean": Gaussian(best.mean, current.variance).log_likelihood(data),
    }


def _sentences(numbers: dict[str, Any], data: list[float]) -> list[str]:
    found, best, mean, variance = map(
        number_text,
        (numbers[name] for name in ("log_likelihood", "best_log_likelihood", "best_mean", "best_variance")),
    )
    lost = numbers["best_log_likelihood"] - numbers["log_likelihood"]
    return [
        f"The log likelihood of the {len(data)} observations is {found}.",
        f"It is largest, {best}, for μ = {mean}, the mean of the data, and σ² = {variance}, their mean "
        "squared distance from it"
        + (": there you are." if lost < 1e-3 else f": {number_text(lost)} more."),
    ]


def _python(data: list[float], mean: float, variance: float) -> str:
    return script(
        "from rosenblatt.course.foundations import Gaussian",
        "",
        assignment("data", data),
        f"current = Gaussian(mean={literal(mean)}, variance={literal(variance)})",
        "log_likelihood = current.log_likelihood(data)",
        "best = Gaussian.fit(data)",
        "best_mean, best_variance = best.mean, best.variance",
        "best_log_likelihood = best.log_likelihood(data)",
        "print(log_likelihood, best, best_log_likelihood)",
    )
