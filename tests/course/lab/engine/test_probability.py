"""Curves, distributions and Bayes' rule of the first lecture, as the package computes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.course.foundations import (
    Bernoulli,
    Boxes,
    Gaussian,
    JointGaussian,
    PolynomialCurve,
    Uniform,
    bayes_rule,
)
from tests.course.lab.engine.random_cases import for_javascript, labels, points, run_settings

AT = np.linspace(-1.3, 1.3, 9)


def curve_cases(draw: np.random.Generator, many: int, degrees: int = 13) -> list[dict[str, Any]]:
    found = []
    for _ in range(many):
        n = int(draw.integers(1, 16))
        xs = np.round(np.linspace(-1, 1, n) if draw.integers(2) else draw.uniform(-1.3, 1.3, n), 2)
        ys = np.round(np.sin(np.pi * xs) + 0.2 * draw.standard_normal(n), 2)
        l2 = float(draw.choice([0.0, 1e-6, 1e-3, 1.0]))
        case = {"xs": xs.tolist(), "ys": ys.tolist(), "degree": int(draw.integers(0, degrees)), "l2": l2}
        found.append(case | {"at": AT.tolist()})
    return found


def test_a_curve_of_least_squares_is_that_of_the_package(engine: Any, draw: Any, many: int) -> None:
    given = curve_cases(draw, many)
    for case, found in zip(given, engine("curve", given), strict=True):
        x, y = np.array(case["xs"]), np.array(case["ys"])
        model = PolynomialCurve(degree=case["degree"], l2=case["l2"]).fit(x[:, None], y)
        largest = np.abs(model.coef_).max() + 1.0
        # the package rounds a coefficient to 0 if it contributes nothing to the curve at the data
        reach = np.abs(x).max() ** np.arange(len(model.coef_))
        assert np.allclose(found["coefficients"] * reach, model.coef_ * reach, atol=1e-9 * largest), case
        near = np.abs(AT) <= np.abs(x).max()
        expected = model.predict(AT[near][:, None])
        assert np.allclose(np.array(found["values"])[near], expected, atol=1e-7 * largest)
        assert np.isclose(found["trainingError"], model.training_error_, rtol=1e-6, atol=1e-12)


def test_cross_validation_gives_the_errors_of_leaving_one_out(engine: Any, draw: Any, many: int) -> None:
    given, candidates = [], [0.0, 1e-4, 1e-2, 1.0]
    for case in curve_cases(draw, many // 5, degrees=5):
        if len(set(case["xs"])) > 6:
            settings = {"degree": case["degree"], "candidates": candidates, "folds": 99}
            given.append({"xs": case["xs"], "ys": case["ys"], "settings": settings})
    for case, found in zip(given, engine("chooseL2", given), strict=True):
        x, y = np.array(case["xs"])[:, None], np.array(case["ys"])
        model = PolynomialCurve(case["settings"]["degree"], "auto", candidates, 99, random_state=0).fit(
            x, y
        )
        errors = [step.held_out**0.5 for step in model.validation_curve_]
        assert np.allclose([each["error"] for each in found["heldOut"]], errors, rtol=1e-6)
        assert found["l2"] == model.l2_


@pytest.mark.parametrize("kind", ["bernoulli", "uniform", "gaussian"])
def test_likelihoods_are_those_of_the_package(kind: str, engine: Any, draw: Any, many: int) -> None:
    given = []
    for _ in range(many):
        n = int(draw.integers(2, 30))
        data = draw.integers(0, 2, n).tolist() if kind == "bernoulli" else draw.normal(size=n).tolist()
        parameters = [float(draw.uniform(-3, 0)), float(draw.uniform(0.1, 4))]
        own = [float(draw.choice([0.0, 1.0, draw.random()]))] if kind == "bernoulli" else parameters
        given.append({"kind": kind, "data": data, "given": own, "at": [-1.0, 0.0, 1.0, 2.5]})
    of_package = {"bernoulli": Bernoulli, "uniform": Uniform, "gaussian": Gaussian}[kind]
    for case, found in zip(given, engine("distribution", given), strict=True):
        own, best = of_package(*case["given"]), of_package.fit(case["data"])
        assert np.isclose(found["likelihood"], own.log_likelihood(case["data"]), rtol=1e-12)
        assert np.isclose(found["best"], best.log_likelihood(case["data"]), rtol=1e-12)
        assert np.isclose(found["mean"], best.mean, rtol=1e-12, atol=1e-15)
        assert np.isclose(found["variance"], best.variance, rtol=1e-12)
        heights = own.probability if kind == "bernoulli" else own.density
        assert np.allclose(found["heights"], heights(case["at"]), rtol=1e-12)
        if kind == "gaussian":
            from scipy.stats import norm

            assert np.allclose(found["below"], norm.cdf(case["at"], own.mean, own.deviation), rtol=1e-12)


def test_the_joint_gaussian_is_that_of_the_package(engine: Any, draw: Any, many: int) -> None:
    given = [
        {
            "points": draw.normal(size=(int(draw.integers(3, 20)), 2)).tolist(),
            "at": draw.normal(size=2).tolist(),
        }
        for _ in range(many)
    ]
    for case, found in zip(given, engine("joint", given), strict=True):
        fitted = JointGaussian.fit(case["points"])
        assert np.allclose(found["mean"], fitted.mean, rtol=1e-12)
        assert np.allclose(found["covariance"], fitted.covariance, rtol=1e-9)
        assert np.isclose(found["correlation"], fitted.correlation[0, 1], rtol=1e-9)
        assert np.isclose(found["density"], fitted.density(case["at"]), rtol=1e-6)
        assert np.isclose(found["best"], fitted.log_likelihood(case["points"]), rtol=1e-9)
        apart = JointGaussian(fitted.mean, np.diag(fitted.variance))
        assert np.isclose(found["apart"], apart.log_likelihood(case["points"]), rtol=1e-9)
        (s11, s12), (_, s22) = fitted.covariance
        assert np.isclose(found["given"]["variance"], s22 - s12**2 / s11, rtol=1e-6)
        expected = fitted.mean[1] + s12 / s11 * (case["at"][0] - fitted.mean[0])
        assert np.isclose(found["given"]["mean"], expected, rtol=1e-9)


def test_boxes_and_balls_have_the_same_fractions(engine: Any, draw: Any, many: int) -> None:
    colours, given = ["red", "green", "blue"], []
    for _ in range(many):
        counts = draw.integers(0, 6, (int(draw.integers(1, 5)), 3))
        counts[:, 0] += 1
        names = [f"box {k}" for k in range(len(counts))]
        picks = draw.integers(1, 9, len(counts))
        given.append(
            {
                "contents": {
                    name: dict(zip(colours, row.tolist(), strict=True))
                    for name, row in zip(names, counts, strict=True)
                },
                "prior": {name: f"{pick}/{picks.sum()}" for name, pick in zip(names, picks, strict=True)},
                "drawn": draw.choice(colours, int(draw.integers(0, 5))).tolist(),
                "replacement": bool(draw.integers(2)),
            }
        )
    for case, found in zip(given, engine("boxes", given), strict=True):
        boxes = Boxes(case["contents"], case["prior"])
        assert found["joint"] == [str(share) for share in boxes.joint().values()]
        if not case["drawn"]:
            assert found["posterior"] == [str(share) for share in boxes.prior.values()]
            continue
        total = boxes.marginal(*case["drawn"], replacement=case["replacement"])
        assert found["total"] == str(total)
        if total:
            posterior = boxes.posterior(*case["drawn"], replacement=case["replacement"])
            assert found["posterior"] == [str(share) for share in posterior.values()]


def test_bayes_rule_is_exact(engine: Any, draw: Any, many: int) -> None:
    given = []
    for _ in range(many):
        counts = draw.integers(1, 9, int(draw.integers(1, 5)))
        names = [str(k) for k in range(len(counts))]
        prior = [[name, f"{count}/{counts.sum()}"] for name, count in zip(names, counts, strict=True)]
        likelihood = [[name, repr(round(float(draw.random()), 2))] for name in names]
        likelihood[0][1] = repr(round(float(draw.uniform(0.01, 1.0)), 2))  # all 0 would be refused
        given.append({"prior": prior, "likelihood": likelihood})
    for case, found in zip(given, engine("bayesRule", given), strict=True):
        expected = bayes_rule(dict(case["prior"]), dict(case["likelihood"]))
        assert found == [str(share) for share in expected.values()]


def test_errors_by_pass_are_those_of_training_that_long(engine: Any, draw: Any, many: int) -> None:
    given = []
    for _ in range(many // 10):
        X, Z = points(draw, 2, most=15), points(draw, 2, most=15)
        settings = run_settings(draw, *X.shape, searches=False) | {"until": None}
        train = {"points": X.tolist(), "labels": labels(draw, len(X)).tolist()}
        test = {"points": Z.tolist(), "labels": labels(draw, len(Z)).tolist()}
        given.append({"train": train, "test": test, "settings": settings})
    of_engine = [{**case, "settings": for_javascript(case["settings"])} for case in given]
    for case, found in zip(given, engine("errorsByPass", of_engine), strict=True):
        assert len(found) == case["settings"]["epochs"]
        for record in found:
            for keep in ("last", "averaged", "voted"):
                settings = {**case["settings"], "epochs": int(record["pass"]), "progress": False}
                model = Perceptron(keep=keep, **settings)
                model.fit(np.array(case["train"]["points"]), case["train"]["labels"])
                for part in ("train", "test"):
                    answers = model.predict(np.array(case[part]["points"]))
                    assert record[part][keep] == np.mean(answers != case[part]["labels"])
