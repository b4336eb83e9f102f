"""The uniform distribution of real numbers or of integers."""

from __future__ import annotations

from typing import Any

from rosenblatt.course.foundations import DiscreteUniform, Uniform
from rosenblatt.course.lab.chapters.chances.observations import FARTHEST, linspace, observations
from rosenblatt.course.lab.chapters.chapter import Answer
from rosenblatt.course.lab.page_states import State
from rosenblatt.course.lab.python import assignment, literal, script
from rosenblatt.course.lab.sentence_numbers import number_text
from rosenblatt.errors import BadInput


def uniform(state: State) -> Answer:
    """Return the log likelihood of the chosen interval, and the smallest interval with all data."""
    whole = state.flag("whole")
    data = observations(state, "marks")
    low, high = (state.number(name, -FARTHEST, FARTHEST) for name in ("low", "high"))
    if whole and any(value != int(value) for value in (*data, low, high)):
        raise BadInput(
            "marks: expected whole numbers; drag the marks and the ends to whole numbers, or "
            "allow any number"
        )
    if low > high or (low == high and not whole):
        raise BadInput(f"high: it must be above low, {low:g}; drag the ends apart")
    ends = (int(low), int(high)) if whole else (low, high)
    kind: Any = DiscreteUniform if whole else Uniform
    current, best = kind(*ends), kind.fit(data)
    numbers = {
        "mean": current.mean,
        "variance": current.variance,
        "log_likelihood": current.log_likelihood(data),
        "best_low": best.low,
        "best_high": best.high,
        "best_log_likelihood": best.log_likelihood(data),
    }
    python = _python(data, ends, kind.__name__)
    return Answer(
        numbers, python, tuple(_sentences(numbers, data, ends)), _picture(current, best, data, whole)
    )


def _picture(current: Any, best: Any, data: list[float], whole: bool) -> dict[str, Any]:
    highs = (
        [float(value) for value in range(int(current.low), 7)]
        if whole
        else linspace(current.low, FARTHEST, 121)[1:]
    )
    kind = type(current)
    height = current.probability if whole else current.density
    return {
        "topic": "uniform",
        "height": height(current.low),
        "best_height": best.probability(best.low) if whole else best.density(best.low),
        "heights": height(data).tolist(),
        "highs": highs,
        "by_high": [kind(current.low, int(high) if whole else high).log_likelihood(data) for high in highs],
    }


def _sentences(numbers: dict[str, Any], data: list[float], ends: tuple[float, float]) -> list[str]:
    outside = sum(not ends[0] <= value <= ends[1] for value in data)
    found = {name: number_text(value) for name, value in numbers.items()}
    says = (
        f"{outside} of the {len(data)} observations outside: an impossible outcome has likelihood 0."
        if outside
        else f"The log likelihood of the {len(data)} observations is {found['log_likelihood']}."
    )
    return [
        f"Mean {found['mean']}, variance {found['variance']}. {says}",
        f"The log likelihood is largest, {found['best_log_likelihood']}, from the smallest observation, "
        f"{found['best_low']}, to the largest, {found['best_high']}.",
    ]


def _python(data: list[float], ends: tuple[float, float], kind: str) -> str:
    return script(
        f"from rosenblatt.course.foundations import {kind}",
        "",
        assignment("data", data),
        f"current = {kind}(low={literal(ends[0])}, high={literal(ends[1])})",
        "mean, variance = current.mean, current.variance",
        "log_likelihood = current.log_likelihood(data)",
        f"best = {kind}.fit(data)",
        "best_low, best_high = best.low, best.high",
        "best_log_likelihood = best.log_likelihood(data)",
        "print(log_likelihood, best, best_log_likelihood)",
    )
