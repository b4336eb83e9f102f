"""Largest margins, proofs that no line separates, mistake bounds, the linear program, and teachers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rosenblatt import Learner, geometry, mistake_bound, separate, trace
from rosenblatt.errors import BadInput
from rosenblatt.kernels import Polynomial
from rosenblatt.rules import RULES, TwoClaims
from rosenblatt.teachers import Adversarial, play
from tests.course.lab.engine.random_cases import for_javascript, labels, points, run_settings


def cases(draw: np.random.Generator, many: int, d: int | None = 2, most: int = 12) -> list[dict[str, Any]]:
    """Half of the cases are labelled by a line."""
    found = []
    for _ in range(many):
        X = points(draw, d, most=most)
        y = labels(draw, len(X))
        if draw.integers(2):
            w = draw.normal(size=X.shape[1])
            side = np.where(X @ w > np.median(X @ w), 1, -1)
            y = y if len(set(side)) < 2 else side
        settings = {"offset": bool(draw.integers(2))}
        found.append({"points": X.tolist(), "labels": y.tolist(), "settings": settings})
    return found


@pytest.mark.parametrize("d", [2, None])
def test_the_largest_margin_is_the_proven_one(d: int | None, engine: Any, draw: Any, many: int) -> None:
    given = cases(draw, many, d)
    kinds = set()
    for case, found in zip(given, engine("separate", given), strict=True):
        X, y, offset = np.array(case["points"]), case["labels"], case["settings"]["offset"]
        verdict = separate(X, y, offset=offset, progress=False)
        assert verdict.separable is not None
        assert found["separable"] == verdict.separable, case
        assert found["verified"]
        kinds.add(verdict.separable)
        if verdict.separable:
            low, high = verdict.margin
            assert low * (1 - 1e-15) <= found["margin"] <= high * (1 + 1e-15), case
            scale = 1.0 + np.abs(X).max()
            distances = y * (X @ found["w"] + found["b"])
            assert abs(distances.min() - found["margin"]) < 1e-9 * scale
            assert abs(np.linalg.norm(found["w"]) - 1.0) < 1e-12
            lifted = np.column_stack([X, np.ones(len(X))]) if offset else X
            bound = mistake_bound(lifted, y, offset=False, progress=False).bound
            assert bound[0] * (1 - 1e-12) <= int(found["mostMistakes"]) + 1
            assert int(found["mostMistakes"]) <= bound[1] * (1 + 1e-12)
        else:
            shares = {int(each["row"]): float(Fraction(each["weight"])) for each in found["weights"]}
            signed = {row: weight * y[row] for row, weight in shares.items()}
            total = sum(weight * X[row] for row, weight in signed.items())
            assert np.allclose(total, 0.0, atol=1e-9 * (1 + np.abs(X).max()))
    assert kinds == {True, False}


def test_forged_proofs_are_rejected(engine: Any, draw: Any, many: int) -> None:
    given = cases(draw, min(many, 500))
    assert all(found == [False, False, False] for found in engine("forgeries", given))


def test_margins_in_the_feature_space_of_a_kernel_are_the_proven_ones(
    engine: Any, draw: Any, many: int
) -> None:
    given = cases(draw, many // 5, d=2, most=6)
    for case in given:
        case["points"] = np.round(np.clip(case["points"], -4, 4), 1).tolist()
        case["settings"] = {"kernel": {"name": "polynomial", "degree": int(draw.integers(1, 4)), "c": 1.0}}
    for case, found in zip(given, engine("separate", given), strict=True):
        X, y = np.array(case["points"]), np.array(case["labels"])
        kernel = Polynomial(case["settings"]["kernel"]["degree"], 1.0, 1.0)
        gram = np.array([kernel(X, x) for x in X]) * np.outer(y, y)
        shares = np.zeros(len(y))
        for each in found["weights"]:
            shares[int(each["row"])] = float(Fraction(each["weight"]))
        along = gram @ shares
        assert abs(shares.sum() - 1.0) < 1e-12
        scale = np.abs(gram).max()
        # the conditions of Karush, Kuhn and Tucker
        assert along.min() >= found["margin"] ** 2 - 1e-9 * scale
        assert abs(shares @ along - found["margin"] ** 2) < 1e-9 * scale
        if found["separable"]:
            assert int(found["mostMistakes"]) <= kernel_bound(X, y, kernel)


def kernel_bound(X: Any, y: Any, kernel: Any) -> float:
    bound = mistake_bound(X, y, kernel=kernel, progress=False).bound
    return np.inf if bound is None else bound[1] * (1 + 1e-9)


def test_the_linear_program_has_the_optimal_value(engine: Any, draw: Any, many: int) -> None:
    from scipy.optimize import linprog

    given = [case for case in cases(draw, many) if np.abs(case["points"]).max() < 1e3]
    for case, found in zip(given, engine("linearProgram", given), strict=True):
        X, y, offset = np.array(case["points"]), np.array(case["labels"]), case["settings"]["offset"]
        d = X.shape[1]
        rows = np.column_stack([-y[:, None] * X, -y * offset, np.ones(len(y))])
        goal = np.append(np.zeros(d + 1), -1.0)
        bounds = [(-1, 1)] * d + [(None, None), (0, None)]
        best = -linprog(goal, rows, np.zeros(len(y)), bounds=bounds).fun
        assert abs(float(Fraction(found["m"])) - best) < 1e-6 * (1 + np.abs(X).max())
        verdict = separate(X, y, offset=offset, progress=False)
        assert found["separable"] == verdict.separable, case
        if best > 1e-12 * (
            1 + np.abs(X).max()
        ):  # else the separator, rounded to doubles, need not separate
            assert (y * (X @ found["w"] + found["b"]) > 0).all()


def test_three_methods_are_compared_on_the_same_points(engine: Any, draw: Any, many: int) -> None:
    given = cases(draw, min(many, 300))
    for case, found in zip(given, engine("comparison", given), strict=True):
        assert [each["name"] for each in found] == ["perceptron", "linear_program", "largest_margin"]
        verdict = separate(case["points"], case["labels"], progress=False)
        perceptron, program, best = found
        for each in (program, best):
            assert (each["w"] is not None) == verdict.separable
            assert each["wrong"] == []
        if verdict.separable:
            assert best["margin"] >= program["margin"] - 1e-9 * (1.0 + best["margin"])
            assert best["margin"] >= perceptron["margin"] - 1e-9 * (1.0 + best["margin"])


@pytest.mark.parametrize(("rule", "given"), [("rosenblatt", {"rate": 0.3}), ("margin", {"tau": 0.7})])
def test_claims_are_those_of_the_package(
    rule: str, given: dict[str, float], engine: Any, draw: Any, many: int
) -> None:
    runs = []
    for _ in range(many):
        X = points(draw)
        settings = run_settings(draw, *X.shape)
        star, b = draw.normal(size=X.shape[1]), float(draw.normal()) if settings["offset"] else 0.0
        runs.append(
            {
                "points": X.tolist(),
                "labels": labels(draw, len(X)).tolist(),
                "settings": settings,
                "star": star.tolist(),
                "starB": b,
            }
        )
    of_engine = [
        {**case, "settings": {**for_javascript(case["settings"]), "rule": {"name": rule, **given}}}
        for case in runs
    ]
    for case, found in zip(runs, engine("claims", of_engine), strict=True):
        steps = trace(case["points"], case["labels"], rule=RULES[rule](**given), **case["settings"])
        claims = steps.check_claims(case["star"], case["starB"])
        scale = 1.0 + claims.radius
        assert abs(found["margin"] - claims.margin) < 1e-9 * scale
        assert abs(found["radius"] - claims.radius) < 1e-9 * scale
        assert found["holds"] == claims.holds or claims.margin < 1e-9 * scale
        assert np.isclose(found["bound"], claims.bound, rtol=1e-6), case
        assert len(found["updates"]) == len(claims.claims)
        for ours, theirs in zip(found["updates"], claims.claims, strict=True):
            assert ours["step"] == theirs.step
            assert abs(ours["progress"] - theirs.progress) < 1e-9 * scale
            assert abs(ours["growth"] - theirs.growth) < 1e-9 * scale**2


def test_the_bound_from_any_start_is_that_of_the_package(engine: Any, draw: Any, many: int) -> None:
    given = []
    for _ in range(many):
        along = float(draw.normal())
        given.append(
            {
                "radius": float(draw.uniform(0.1, 9)),
                "margin": float(draw.choice([0.0, -1.0, draw.uniform(0.001, 1)])),
                "rate": float(draw.uniform(0.1, 2)),
                "threshold": float(draw.choice([0.0, 1.0])),
                "startAlong": along,
                "startNorm2": along**2 + float(draw.uniform(0, 9)),
            }
        )
    for case, found in zip(given, engine("mostUpdates", given), strict=True):
        rule = TwoClaims(case["rate"], case["threshold"])
        numbers = case["radius"], case["margin"], case["startAlong"], case["startNorm2"]
        assert np.isclose(found, rule.most_updates(*numbers), rtol=1e-12)


def test_the_adversary_forces_as_many_mistakes_as_in_the_package(engine: Any, draw: Any, many: int) -> None:
    given = []
    for _ in range(many // 2):
        settings = {
            "offset": bool(draw.integers(2)),
            "tie": str(draw.choice(["mistake", "negative", "positive"])),
        }
        margin = round(float(draw.uniform(0.15, 0.9)), 2)
        given.append(
            {"margin": margin, "nFeatures": int(draw.integers(1, 5)), "settings": settings, "rounds": 60}
        )
    for case, found in zip(given, engine("game", given), strict=True):
        learner = Learner(**case["settings"])
        game = play(learner, Adversarial(case["margin"], case["nFeatures"]), case["rounds"])
        assert found["rounds"] == found["mistakes"] == game.rounds, case
        assert np.isclose(found["bound"], game.bound[-1], rtol=1e-9)
        for x in found["xs"]:
            assert abs(geometry.l2_norm(x) - 1.0) <= 1e-12
            assert abs(x[0]) >= case["margin"]


def test_wrong_input_is_explained(engine: Any) -> None:
    cases = [
        {"driver": "separate", "given": {"points": [[0, 1], [1, 1]], "labels": [1, 1], "settings": {}}},
        {"driver": "trace", "given": {"points": [[0, 1], [1]], "labels": [1, -1], "settings": {}}},
        {"driver": "trace", "given": {"points": [[0]], "labels": [2], "settings": {}}},
        {"driver": "trace", "given": {"points": [[0]], "labels": [1], "settings": {"rule": "none"}}},
        {"driver": "trace", "given": {"points": [[0]], "labels": [1], "settings": {"order": [3]}}},
        {"driver": "game", "given": {"margin": 2, "nFeatures": 2, "settings": {}, "rounds": 2}},
    ]
    expected = [
        "BadInput: labels: all points are of one class; add one of the other",
        "BadInput: points, row 1: 1 numbers, row 0 has 2",
        "BadInput: labels, row 0: expected −1 or +1, got 2",
        "BadInput: rule: expected one of rosenblatt, margin, passive_aggressive, passive_aggressive_1, "
        "passive_aggressive_2, arow, got none",
        "BadInput: order: there is no row 3; the rows are 0 … 0",
        "BadInput: margin: expected a number between 0 and 1, got 2",
    ]
    assert engine("message", cases) == expected
    with pytest.raises(BadInput, match="margin"):
        Adversarial(2.0)
