"""Kernel runs: equal bits for polynomial kernels, equal mistakes for the Gaussian kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rosenblatt import trace
from rosenblatt.budgets import Oldest
from rosenblatt.course.lectures.worked import products
from rosenblatt.kernels import Gaussian, Laplacian, Polynomial
from rosenblatt.models.algebra import Algebra
from rosenblatt.models.kernel_perceptron import KernelPerceptron
from rosenblatt.rules import RULES
from tests.course.lab.engine.random_cases import for_javascript, labels, points, run_settings

RULE = {"rosenblatt": {}, "margin": {"tau": 0.7, "rate": 0.5}}


def cases(
    draw: np.random.Generator, many: int, sizes: bool, name: str = "polynomial"
) -> list[dict[str, Any]]:
    found = []
    for _ in range(many):
        X = points(draw, sizes=sizes)
        settings = run_settings(draw, *X.shape, searches=False)
        del settings["init"]
        settings["rule"] = str(draw.choice(list(RULE)))
        gamma = float(draw.choice([1.0, 0.5, 0.1]))
        kernel = {"name": "polynomial", "degree": int(draw.integers(1, 5)), "gamma": gamma}
        kernel["c"] = float(draw.choice([0.0, 1.0, 0.3]))
        if name != "polynomial":
            kernel = {"name": name, "gamma": gamma}
        y = labels(draw, len(X)).tolist()
        found.append({"points": X.tolist(), "labels": y, "kernel": kernel, "settings": settings})
    return found


def of_package(kernel: dict[str, Any]) -> Any:
    if kernel["name"] != "polynomial":
        return {"gaussian": Gaussian, "laplacian": Laplacian}[kernel["name"]](kernel["gamma"])
    return Polynomial(kernel["degree"], kernel["gamma"], kernel["c"])


def both(engine: Any, given: list[dict[str, Any]]) -> Any:
    """Each case, the run of the engine, and the arguments of the same run of the package."""
    of_engine = []
    for case in given:
        settings = for_javascript(case["settings"])
        name = settings["rule"]
        of_engine.append({**case, "settings": {**settings, "rule": {"name": name, **RULE[name]}}})
    for case, found in zip(given, engine("kernelTrace", of_engine), strict=True):
        rule = RULES[case["settings"]["rule"]](**RULE[case["settings"]["rule"]])
        yield case, found, {**case["settings"], "rule": rule, "kernel": of_package(case["kernel"])}


def test_polynomial_kernels_have_the_same_bits(engine: Any, draw: Any, many: int) -> None:
    for case, found, settings in both(engine, cases(draw, many, sizes=True)):
        expected = trace(case["points"], case["labels"], **settings)
        for step, by_package in zip(found["steps"], expected, strict=True):
            assert (step["row"], step["mistake"], step["updated"]) == (
                by_package.index,
                by_package.mistake,
                by_package.updated,
            ), case
            assert (step["score"], step["delta"]) == (by_package.score, by_package.coefficient)
            assert step["support"] == by_package.support
            assert np.isclose(step["norm2"], by_package.norm_squared, rtol=1e-9)
        assert found["separated"] == expected.separated
        assert (found["cycle"] and tuple(found["cycle"].values())) == expected.cycle, case


@pytest.mark.parametrize("name", ["gaussian", "laplacian"])
def test_kernels_with_exp_make_the_same_mistakes(name: str, engine: Any, draw: Any, many: int) -> None:
    for case, found, settings in both(engine, cases(draw, many, sizes=False, name=name)):
        expected = trace(case["points"], case["labels"], **settings)
        for step, by_package in zip(found["steps"], expected, strict=False):
            assert step["row"] == by_package.index
            tau = RULE[case["settings"]["rule"]].get("tau", 0.0)
            if step["updated"] != by_package.updated or step["mistake"] != by_package.mistake:
                near = min(abs(step["score"]), abs(abs(step["score"]) - tau))
                assert near < 1e-12, case
                break
            assert abs(step["score"] - by_package.score) < 1e-9
            assert step["delta"] == by_package.coefficient


@pytest.mark.parametrize("budget", [None, 1, 4])
@pytest.mark.parametrize("keep", ["last", "averaged"])
def test_coefficients_and_decisions_are_those_of_the_kernel_perceptron(
    budget: int | None, keep: str, engine: Any, draw: Any, many: int
) -> None:
    given = cases(draw, many // 2, sizes=False)
    for case in given if budget else []:
        case["settings"]["budget"] = budget
    for case, found, settings in both(engine, given):
        X, y = np.array(case["points"]), case["labels"]
        settings["budget"] = budget and Oldest(budget)
        model = KernelPerceptron(keep=keep, **settings, progress=False).fit(X, y)
        assert found["mistakes"] == model.mistakes_
        if keep == "last":
            coefficients = dict(map(tuple, found["coefficients"]))
            present = {row: value for row, value in coefficients.items() if value != 0.0}
            by_package = dict(zip(model.support_.tolist(), model.dual_coef_[0].tolist(), strict=True))
            assert {row: value for row, value in by_package.items() if value != 0.0} == present
        values = model.decision_function(X)
        ours = np.array(found["scores" if keep == "last" else "averaged"])
        assert np.allclose(ours, values, rtol=1e-9, atol=1e-9 * (1.0 + np.abs(values).max()))


def test_monomials_multiply_to_the_kernel(engine: Any, draw: Any, many: int) -> None:
    cases = []
    for _ in range(many):
        X = points(draw, sizes=False)
        kernel = {
            "degree": int(draw.integers(1, 5)),
            "gamma": 0.5,
            "c": float(draw.choice([0.0, 1.0, 0.3])),
        }
        coefficients = (draw.uniform(0.01, 99.0, 70) * draw.choice([-1.0, 1.0], 70)).tolist()
        cases.append(
            {"x": X[0].tolist(), "z": X[1].tolist(), "kernel": kernel, "coefficients": coefficients}
        )
    for case, found in zip(cases, engine("features", cases), strict=True):
        kernel = Polynomial(case["kernel"]["degree"], 0.5, case["kernel"]["c"])
        written_out = kernel.monomials(len(case["x"]))
        assert np.allclose(found["phi"], written_out.map(case["x"]), rtol=1e-12)
        assert [tuple(power) for power in found["powers"]] == written_out.powers
        assert found["value"] == kernel(case["x"], case["z"])
        names = [f"x{'₁₂₃₄₅'[j]}" for j in range(len(case["x"]))]
        as_text = Algebra(written_out.powers, np.array(case["coefficients"]), names)
        if len(as_text) <= 40:
            assert found["text"] == str(as_text)


def test_ordered_products_are_those_of_the_notes(engine: Any, draw: Any, many: int) -> None:
    cases = [
        {"x": points(draw)[0].tolist(), "degree": 2, "constant": [None, 1.0][int(draw.integers(2))]}
        for _ in range(many)
    ]
    for case, found in zip(cases, engine("products", cases), strict=True):
        assert found == list(products(tuple(case["x"]), case["constant"]))
