"""Signs and sums of doubles, fractions, and the shuffles of the package."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt import geometry
from tests.course.lab.engine.random_cases import points


def doubles(draw: np.random.Generator, n: int) -> list[float]:
    """Doubles of all sizes, also denormal ones, and zeros."""
    found = draw.normal(size=n) * 2.0 ** draw.integers(-1074, 1000, n).astype(np.float64)
    found[draw.random(n) < 0.1] = 0.0
    return found.tolist()


def test_a_sum_of_products_is_rounded_once(engine: Any, draw: Any, many: int) -> None:
    cases = []
    for _ in range(many):
        u, v = doubles(draw, 4), doubles(draw, 4)
        if draw.integers(2):  # nearly cancels
            u, v = [*u, *u], [*v, *(-np.array(v) * (1 + draw.choice([0.0, 2.0**-52]))).tolist()]
        if all(abs(a * b) < 1e300 for a, b in zip(u, v, strict=True)):
            cases.append({"u": u, "v": v})
    for case, found in zip(cases, engine("nearestDouble", cases), strict=True):
        exact = sum(
            (Fraction(a) * Fraction(b) for a, b in zip(case["u"], case["v"], strict=True)), Fraction(0)
        )
        expected = float(exact) or math.copysign(5e-324, exact) * (exact != 0)
        assert found == expected, case


def test_the_sign_of_a_score_is_exact_and_its_bound_holds(engine: Any, draw: Any, many: int) -> None:
    cases = []
    for _ in range(many):
        X = points(draw)
        w = points(draw, X.shape[1])[0]
        x = X[0]
        if draw.integers(2) and len(x) > 1:  # a point near the line
            w[-1] = 0.0
            w[0] = x[-1]
            w[-1] = -x[0] * (1.0 + draw.integers(-2, 3) * 2.0**-52)
            w[1:-1] = 0.0
        cases.append({"w": w.tolist(), "b": float(draw.choice([0.0, 1e-17, -0.1])), "x": x.tolist()})
    uncertain = 0
    for case, found in zip(cases, engine("sums", cases), strict=True):
        exact = Fraction(case["b"]) + sum(
            Fraction(w) * Fraction(x) for w, x in zip(case["w"], case["x"], strict=True)
        )
        assert found["sign"] == np.sign(found["value"]) == (exact > 0) - (exact < 0)
        assert abs(Fraction(found["fast"]) - exact) <= Fraction(found["bound"])
        uncertain += found["wasExact"]
        if found["wasExact"]:
            assert found["value"] == float(exact)
    assert uncertain > len(cases) // 20


def test_fractions_calculate_like_those_of_python(engine: Any, draw: Any, many: int) -> None:
    def number() -> str:
        kind = draw.integers(3)
        if kind == 0:
            return f"{draw.integers(-50, 51)}/{draw.integers(1, 60)}"
        return (
            repr(round(float(draw.normal()), 3))
            if kind == 1
            else f"{draw.integers(-9, 10)}e{draw.integers(-9, 10)}"
        )

    cases = [{"a": number(), "b": number()} for _ in range(many)]
    for case, found in zip(cases, engine("fractions", cases), strict=True):
        a, b = Fraction(case["a"]), Fraction(case["b"])
        other = a / b if b else b
        assert found["found"] == [str(each) for each in (a + b, a - b, a * b, other)]
        assert found["numbers"] == [float(a), float(other)]
        assert found["compare"] == (a > b) - (a < b)
        assert found["floor"] == str(math.floor(a))
        square, root = a * a + b * b, Fraction(found["root"])
        step = Fraction(math.ulp(found["root"]))
        assert max(Fraction(0), root - step / 2) ** 2 <= square <= (root + step / 2) ** 2


def test_a_double_as_a_fraction_is_its_binary_value(engine: Any, draw: Any, many: int) -> None:
    cases = [{"x": x} for x in doubles(draw, many)]
    for case, found in zip(cases, engine("exactly", cases), strict=True):
        assert Fraction(found) == Fraction(case["x"])


def test_shuffles_are_those_of_numpy(engine: Any, draw: Any, many: int) -> None:
    cases = [
        {
            "seeds": draw.integers(0, 2 ** int(draw.integers(1, 45)), 2).tolist(),
            "n": int(draw.integers(1, 60)),
        }
        for _ in range(many)
    ]
    for case, found in zip(cases, engine("shuffle", cases), strict=True):
        rows = np.arange(case["n"])
        np.random.default_rng(case["seeds"]).shuffle(rows)
        assert found == rows.tolist()
    for case, found in zip(cases, engine("uniform", cases), strict=True):
        assert found == [np.random.default_rng(case["seeds"]).uniform(-1, 3)] * case["n"]


def test_the_seed_of_a_run_is_that_of_the_package(engine: Any, draw: Any, many: int) -> None:
    cases = [{"randomState": int(seed)} for seed in draw.integers(0, 2**32, min(many, 1000))]
    for case, found in zip(cases, engine("runSeed", cases), strict=True):
        assert found == np.random.RandomState(case["randomState"]).randint(2**31 - 1)


def test_norms_and_distances_equal_those_of_the_package(engine: Any, draw: Any, many: int) -> None:
    cases = []
    for _ in range(many):
        x, z = points(draw, sizes=False)[:2], None
        z = x[1] if x[1].any() else x[1] + 1.0
        cases.append(
            {"x": (x[0] if x[0].any() else x[0] + 2.0).tolist(), "z": z.tolist(), "b": float(draw.normal())}
        )
    for case, found in zip(cases, engine("geometry", cases), strict=True):
        x, z, b = case["x"], case["z"], case["b"]
        length = geometry.l2_norm(x) * geometry.l2_norm(z)
        expected = {
            "l1": geometry.l1_norm(x),
            "l2": geometry.l2_norm(x),
            "inner": geometry.inner(x, z),
            "angle": geometry.angle(x, z),
            "cosine": geometry.inner(x, z) / length,
            "onVector": geometry.project_on_vector(x, z),
            "foot": geometry.project(x, z, b),
            "distance": geometry.signed_distance(x, z, b),
        }
        for name, value in expected.items():
            assert np.allclose(found[name], value, rtol=1e-9, atol=1e-9 * (1 + length)), (name, case)


def test_positive_definite_means_that_all_eigenvalues_are_positive(
    engine: Any, draw: Any, many: int
) -> None:
    cases = []
    for _ in range(many):
        half = draw.integers(-3, 4, (3, 3)).astype(np.float64)
        shift = float(draw.choice([0.0, 0.5, -0.5]))
        cases.append({"matrix": (half @ half.T + shift * np.eye(3)).tolist()})
    for case, found in zip(cases, engine("positiveDefinite", cases), strict=True):
        least = float(np.linalg.eigvalsh(case["matrix"])[0])
        assert found == (least > 1e-9)
    for case, found in zip(cases, engine("ellipse", cases), strict=True):
        matrix = np.array(case["matrix"])[:2, :2]
        values, vectors = np.linalg.eigh(matrix)
        assert np.allclose(found["axes"], np.sqrt(np.maximum(values[::-1], 0.0)), atol=1e-6)
        if values[1] - values[0] > 1e-9:
            along = [math.cos(found["angle"]), math.sin(found["angle"])]
            assert abs(abs(vectors[:, 1] @ along) - 1.0) < 1e-9
