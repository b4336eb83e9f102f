"""Several classes: the same weights, mistakes and predictions as `Perceptron`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt.kernels import Gaussian, Polynomial
from tests.course.lab.engine.random_cases import for_javascript, points, run_settings

METHODS = [
    ("one_vs_rest", None),
    ("ultraconservative", "worst"),
    ("ultraconservative", "uniform"),
    ("ultraconservative", "proportional"),
]


def cases(draw: np.random.Generator, many: int, sizes: bool = True) -> list[dict[str, Any]]:
    found = []
    for _ in range(many):
        X = points(draw, most=10, sizes=sizes)
        y = draw.integers(0, int(draw.integers(2, 5)), len(X))
        y[:2] = [0, 1]
        settings = run_settings(draw, *X.shape, searches=False)
        keep = str(draw.choice(["last", "averaged"]))
        settings = {name: settings[name] for name in ("order", "epochs", "until", "random_state")} | {
            "keep": keep
        }
        probes = [*X.tolist(), *points(draw, X.shape[1]).tolist()]
        found.append({"points": X.tolist(), "labels": y.tolist(), "settings": settings, "probes": probes})
    return found


@pytest.mark.parametrize(("method", "sharing"), METHODS)
def test_several_classes_learn_as_in_the_package(
    method: str, sharing: str | None, engine: Any, draw: Any, many: int
) -> None:
    given = cases(draw, many, sizes=sharing != "proportional")
    more = {"method": method} | ({"sharing": sharing} if sharing else {})
    of_engine = [{**case, "settings": {**for_javascript(case["settings"]), **more}} for case in given]
    apart = 0
    for case, found in zip(given, engine("classes", of_engine), strict=True):
        settings = {"multiclass": method} | ({"sharing": sharing} if sharing else {}) | case["settings"]
        X, y = np.array(case["points"]), case["labels"]
        model = Perceptron(**settings, progress=False).fit(X, y)
        ours = np.array([[*column["w"], column["b"]] for column in found["weights"]])
        theirs = np.column_stack([model.coef_, model.intercept_])
        if sharing == "proportional" and not np.allclose(ours, theirs, rtol=1e-9, atol=1e-9):
            apart += 1  # leads that are equal up to rounding decide which classes share a mistake
            continue
        assert found["mistakes"] == model.mistakes_, case
        assert found["mistakesPerClass"] == model.mistakes_per_class_.tolist()
        assert (found["passes"], found["converged"]) == (model.epochs_, model.converged_)
        if sharing == "proportional":  # the shares are real numbers
            assert np.allclose(ours, theirs, rtol=1e-9, atol=1e-9)
        else:
            assert ours.tobytes() == theirs.tobytes(), case
            answers = [each["answer"] for each in found["answers"]]
            assert answers == model.predict(np.array(case["probes"])).tolist(), case
            values = model.decision_function(np.array(case["probes"]))
            scores = np.array(found["scores"])
            if values.ndim == 1:  # two classes have one perceptron; the score of the first class is 0
                assert not scores[:, 0].any()
                scores = scores[:, 1]
            size = 1.0 + np.abs(case["probes"]).max() * np.abs(theirs).max()
            assert np.allclose(scores, values, rtol=1e-9, atol=1e-9 * size)
    assert apart <= many // 20


@pytest.mark.parametrize("kernel", [Polynomial(2, 1.0, 1.0), Gaussian(0.7)])
def test_kernels_against_the_rest_learn_as_in_the_package(
    kernel: Any, engine: Any, draw: Any, many: int
) -> None:
    given = cases(draw, many // 2, sizes=False)
    named = {"name": "gaussian", "gamma": 0.7}
    if isinstance(kernel, Polynomial):
        named = {"name": "polynomial", "degree": 2, "gamma": 1.0, "c": 1.0}
    more = {"method": "kernel", "kernel": named}
    of_engine = [{**case, "settings": {**for_javascript(case["settings"]), **more}} for case in given]
    for case, found in zip(given, engine("classes", of_engine), strict=True):
        model = KernelPerceptron(kernel=kernel, **case["settings"], progress=False)
        model.fit(np.array(case["points"]), case["labels"])
        assert found["mistakes"] == model.mistakes_, case
        assert found["mistakesPerClass"] == model.mistakes_per_class_.tolist()
        assert (found["passes"], found["converged"]) == (model.epochs_, model.converged_)


def test_keslers_points_are_separable_if_linear_scores_fit(engine: Any, draw: Any, many: int) -> None:
    given = cases(draw, min(many, 300))
    for case, found in zip(given, engine("kesler", given), strict=True):
        one = np.eye(max(case["labels"]) + 1)
        classes = sorted(set(case["labels"]))
        expected = [
            np.kron(one[c] - one[rival], [*x, 1.0])
            for x, c in zip(case["points"], case["labels"], strict=True)
            for rival in classes
            if rival != c
        ]
        used = [c * (len(case["points"][0]) + 1) for c in classes]
        columns = np.concatenate([np.arange(first, first + len(case["points"][0]) + 1) for first in used])
        assert np.array_equal(np.array(found), np.array(expected)[:, columns])
