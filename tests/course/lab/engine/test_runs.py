"""Runs of the engine equal those of the package: equal mistakes, and equal bits for rules that add rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rosenblatt import Perceptron, trace
from rosenblatt.rules import RULES
from tests.course.lab.engine.random_cases import for_javascript, labels, points, run_settings

STEPS = ("row", "mistake", "updated", "w", "b")
ADDING = {
    "rosenblatt": {},
    "rosenblatt with a rate": {"rate": 0.3},
    "margin": {"tau": 0.7, "rate": 0.5},
}
BY_LOSS = {
    "passive_aggressive": {},
    "passive_aggressive_1": {"C": 0.4},
    "passive_aggressive_2": {"C": 0.7},
    "arow": {"covariance": "full"},
    "arow with a diagonal": {"covariance": "diagonal", "r": 0.5},
}


def cases(
    draw: np.random.Generator, many: int, searches: bool = True, sizes: bool = True
) -> list[dict[str, Any]]:
    found = []
    for _ in range(many):
        X = points(draw, sizes=sizes)
        settings = run_settings(draw, *X.shape, searches)
        found.append({"points": X.tolist(), "labels": labels(draw, len(X)).tolist(), "settings": settings})
    return found


def given_to_javascript(cases: list[dict[str, Any]], rule: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**case, "settings": {**for_javascript(case["settings"]), "rule": rule}} for case in cases]


def run(case: dict[str, Any], rule: Any, **more: Any) -> Any:
    return trace(case["points"], case["labels"], rule=rule, **{**case["settings"], **more})


def bits(numbers: Any) -> bytes:
    return np.asarray(numbers, np.float64).tobytes()


@pytest.mark.parametrize("name", ADDING)
def test_rules_that_add_rows_have_the_same_bits(name: str, engine: Any, draw: Any, many: int) -> None:
    kind, given = name.split()[0], cases(draw, many)
    rule = RULES[kind](**ADDING[name])
    for case, found in zip(
        given, engine("trace", given_to_javascript(given, {"name": kind, **ADDING[name]})), strict=True
    ):
        expected = run(case, rule)
        of_package = [
            {
                "row": step.index,
                "mistake": step.mistake,
                "updated": step.updated,
                "w": list(step.weights),
                "b": step.offset,
            }
            for step in expected
        ]
        assert [{key: step[key] for key in STEPS} for step in found["steps"]] == of_package, case
        assert bits([*found["w"], found["b"]]) == bits([*expected.weights, expected.offset])
        assert [np.sign(step["score"]) for step in found["steps"]] == [
            np.sign(step.score) for step in expected
        ]
        assert found["separated"] == expected.separated
        assert found["passes"] == (expected[-1].epoch if len(expected) else 0)
        assert (found["cycle"] and tuple(found["cycle"].values())) == expected.cycle
        assert found["text"] == (expected.cycle and expected.cycle.sentence(case["settings"]["epochs"]))


@pytest.mark.parametrize("name", BY_LOSS)
def test_rules_with_real_steps_make_the_same_mistakes(name: str, engine: Any, draw: Any, many: int) -> None:
    # after such a step a margin is 1 up to rounding, so a search may find another row; and points of very
    # different lengths make Σ ill-conditioned
    kind = name.split()[0]
    given = cases(draw, many, searches=False, sizes=kind != "arow")
    rule = RULES[kind](**BY_LOSS[name])
    apart = 0
    for case, found in zip(
        given, engine("trace", given_to_javascript(given, {"name": kind, **BY_LOSS[name]})), strict=True
    ):
        expected = run(case, rule)
        largest = 1.0 + max(abs(x) for row in case["points"] for x in row)
        for step, by_package in zip(found["steps"], expected, strict=False):
            scale = largest * (1.0 + np.abs([*by_package.weights, by_package.offset]).max())
            assert step["row"] == by_package.index
            is_other_update = kind == "arow" and step["updated"] != by_package.updated  # it changes Σ
            if step["mistake"] != by_package.mistake or is_other_update:
                # only where the score is 0, or the margin 1, up to rounding
                assert min(abs(by_package.score), abs(abs(by_package.score) - 1.0)) < 1e-12 * scale
                apart += 1
                break
            assert np.allclose(
                [*step["w"], step["b"]],
                [*by_package.weights, by_package.offset],
                rtol=1e-9,
                atol=1e-9 * scale / largest,
            )
    assert apart <= many // 10


def test_a_run_without_end_is_found_to_be_a_cycle(engine: Any, draw: Any, many: int) -> None:
    given = cases(draw, many)
    endless = {"until": "separated", "epochs": None, "max_steps": 300}
    for case in given:
        case["settings"] |= endless
    for case, found in zip(
        given, engine("trace", given_to_javascript(given, {"name": "rosenblatt"})), strict=True
    ):
        expected = run(case, "rosenblatt")
        assert len(found["steps"]) == len(expected)
        assert (found["cycle"] and tuple(found["cycle"].values())) == expected.cycle
        assert found["separated"] == expected.separated
        assert found["text"] == (expected.cycle and expected.cycle.sentence())


@pytest.mark.parametrize("name", ADDING)
def test_averaging_voting_and_pocket_equal_the_package(
    name: str, engine: Any, draw: Any, many: int
) -> None:
    kind, given = name.split()[0], cases(draw, many, searches=False)
    rule = RULES[kind](**ADDING[name])
    for case in given:
        case["probes"] = [*case["points"], *points(draw, len(case["points"][0])).tolist()]
    for case, found in zip(
        given, engine("averages", given_to_javascript(given, {"name": kind, **ADDING[name]})), strict=True
    ):
        X, y, probes = np.array(case["points"]), case["labels"], np.array(case["probes"])
        settings = {**case["settings"], "rule": rule, "progress": False}
        mean = Perceptron(keep="averaged", **settings).fit(X, y)
        assert bits([*found["mean"]["w"], found["mean"]["b"]]) == bits([*mean.coef_[0], mean.intercept_[0]])
        assert np.sign(found["mean"]["scores"]).tolist() == np.sign(mean.decision_function(probes)).tolist()
        voted = Perceptron(keep="voted", **settings).fit(X, y)
        assert found["voted"]["survival"] == voted.survival_.tolist()
        assert found["voted"]["votes"] == voted.decision_function(probes).tolist()
        pocket = Perceptron(keep="pocket", **settings).fit(X, y)
        assert bits([*found["pocket"]["w"], found["pocket"]["b"]]) == bits(
            [*pocket.coef_[0], pocket.intercept_[0]]
        )


def test_the_running_sum_adds_the_weights_after_each_step(engine: Any, draw: Any, many: int) -> None:
    given = cases(draw, min(many, 500))
    for case in given:  # whole numbers, so that no sum is rounded
        case["points"], case["probes"] = np.round(np.clip(case["points"], -9, 9)).tolist(), []
        case["settings"]["init"] = "zeros"
    for found in engine("averages", given_to_javascript(given, {"name": "rosenblatt"})):
        total = np.zeros(len(found["mean"]["w"]) + 1)
        for step, running in zip(found["vectors"], found["sums"], strict=True):
            total += [*step["w"], step["b"]]
            assert [*running["w"], running["b"]] == total.tolist()
