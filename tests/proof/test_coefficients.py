"""`overlap`: which coefficients of a regression are infinite, with proofs (Albert and Anderson 1984)."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

from rosenblatt import overlap, verify
from rosenblatt.errors import BadInput, ProofRejected
from rosenblatt.proof import coefficient_signs
from rosenblatt.proof.parts import Collinearity, Growth, Maximality, QuasiSeparation
from rosenblatt.proof.proof import Proof


def lifted(X, y, offset):
    """The rows yᵢ(xᵢ, 1) of two classes."""
    rows = np.column_stack([X, np.ones(len(X))]) if offset else np.asarray(X, float)
    return rows * np.where(np.asarray(y) == np.max(y), 1.0, -1.0)[:, None]


def limits_by_lp(rows):
    """The limit of each coefficient from the smallest and the largest wⱼ with rows·w ≥ 0 and |w| ≤ 1."""
    n, p = rows.shape
    _, sizes, vectors = np.linalg.svd(rows)
    kernel = vectors[(sizes > 1e-9 * max(sizes[0], 1e-9)).sum() :]
    found = []
    for j in range(p):
        goal = np.eye(p)[j]
        ends = [
            linprog(sign * goal, A_ub=-rows, b_ub=np.zeros(n), bounds=[(-1, 1)] * p, method="highs").x[j]
            for sign in (1, -1)
        ]
        is_below, is_above = ends[0] < -1e-7, ends[1] > 1e-7
        if len(kernel) and np.abs(kernel[:, j]).max() > 1e-9:
            found.append("not identified")
        else:
            found.append(
                "±inf"
                if is_below and is_above
                else "-inf"
                if is_below
                else "+inf"
                if is_above
                else "finite"
            )
    return found


def random_design(seed, k):
    """Small whole or real numbers, zero cells, dependent columns; labels nearly by a hyperplane."""
    rng = np.random.default_rng([seed, k])
    d, n, high = rng.integers(1, 5), rng.integers(3, 25), rng.integers(1, 4)
    X = rng.integers(-high, high + 1, (n, d)).astype(float) if k % 3 else rng.normal(size=(n, d))
    if k % 4 == 0:
        X[:, -1] = rng.random(n) < 0.3
    scores = X @ rng.integers(-2, 3, d) + rng.integers(-1, 2)
    y = np.where(scores == 0, rng.integers(0, 2, n), scores > 0).astype(int)
    if k % 2:
        y = np.where(rng.random(n) < 0.15, 1 - y, y)
    if len(set(y)) < 2:
        y[0] = 1 - y[0]
    return X, y, bool(k % 5)


def checked_limits(X, y, offset=True, **more):
    """The limits of the coefficients, which `verify` finds in the proof too."""
    found = overlap(X, y, offset, **more)
    limits = [each.limit for each in found.coefficients]
    facts = verify(found.proof.to_json(), X, y)
    assert list(facts.coefficients) == limits
    assert facts.kind == found.kind
    assert facts.maximal == (found.kind == "quasi-separable")
    assert found.most_rows == len(found.rows)
    return found, limits


# ---------------------------------------------------------------- against linear programs


@pytest.mark.parametrize("part", range(4))
def test_limits_equal_those_of_two_linear_programs_for_each_coefficient(part):
    seen = set()
    for k in range(40 * part, 40 * part + 40):
        X, y, offset = random_design(1, k)
        _, limits = checked_limits(X, y, offset)
        assert limits == limits_by_lp(lifted(X, y, offset)), (k, X.tolist(), y.tolist())
        seen |= set(limits)
    assert seen >= {"finite", "+inf", "-inf", "±inf"}


def assert_consistent_with_firthmodels(seed, numbers):
    """The limits are equal, except where its one linear program misses an infinite coefficient."""
    peer = pytest.importorskip("firthmodels", reason="needs firthmodels").detect_separation
    compared = missed = 0
    for k in numbers:
        X, y, offset = random_design(seed, k)
        found, limits = checked_limits(X, y, offset)
        if "not identified" in limits:
            continue  # it refuses these
        theirs = peer(X, y, fit_intercept=offset)
        assert theirs.separation == (not found.finite)
        for ours, sign in zip(limits, theirs.directions.tolist(), strict=True):
            compared += 1
            if ours == "finite" or sign == 0:
                missed += (ours == "finite") != (sign == 0)
                assert sign == 0
            else:
                assert ours in ("±inf", "+inf" if sign > 0 else "-inf")
    assert missed < 0.1 * compared
    return missed


def test_firthmodels_agrees_except_where_its_linear_program_misses_coefficients():
    assert_consistent_with_firthmodels(2, range(200))


@pytest.mark.matrix
def test_firthmodels_agrees_on_a_thousand_designs():
    assert assert_consistent_with_firthmodels(3, range(1200)) > 0


MISSED = (
    [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, -1.0, -1.0], [1.0, -1.0, -1.0]],
    [1, 1, 1, 1, 0],
)
"""The directions with no row on the wrong side are the cone of (1, 1, 0) and (1, 0, 1)."""


def test_a_coefficient_that_one_linear_program_misses_is_infinite():
    """Konis' program maximises Σ yᵢxᵢ·w = 2w₂ + w₃ with |w| ≤ 1, which gives (1, 1, 0): w₃ seems finite."""
    X, y = MISSED
    _, limits = checked_limits(X, y, offset=False)
    assert limits == ["+inf", "+inf", "+inf"]
    rows = lifted(X, y, False)
    program = linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(5), bounds=[(-1, 1)] * 3, method="highs")
    assert program.x.tolist() == [1, 1, 0]


# ---------------------------------------------------------------- published examples


COMPLETE = ([[1, 3], [2, 2], [3, -1], [3, -1], [5, 2], [6, 4], [10, 1], [11, 0]], [0, 0, 0, 0, 1, 1, 1, 1])
"""UCLA OARC, "What is complete or quasi-complete separation in logistic regression?\""""


def test_the_textbook_example_of_complete_separation():
    """X1 separates alone, so X2 may have either sign."""
    found, limits = checked_limits(*COMPLETE)
    assert (found.separation, limits) == ("complete", ["+inf", "±inf", "-inf"])


@pytest.mark.parametrize(
    ("X", "y", "offset", "separation", "limits"),
    [
        ([[1], [2], [3], [4], [5], [6]], [0, 0, 0, 1, 1, 1], True, "complete", ["+inf", "-inf"]),
        ([[1], [1], [2], [2], [3], [3]], [0, 1, 0, 1, 0, 1], True, "absent", ["finite", "finite"]),
        ([[1], [2], [3], [4], [5], [6]], [0, 0, 0, 1, 1, 1], False, "absent", ["finite"]),
        ([[4], [5], [6], [1], [2], [3]], [0, 0, 0, 1, 1, 1], True, "complete", ["-inf", "+inf"]),
        ([[0], [0], [1], [1]], [0, 1, 1, 1], True, "quasi-complete", ["+inf", "finite"]),
        ([[0], [0], [1], [1]], [0, 0, 1, 0], True, "quasi-complete", ["+inf", "-inf"]),
    ],
)
def test_documented_examples(X, y, offset, separation, limits):
    """The first four are those of firthmodels' documentation and tests; the others are 2×2 tables."""
    found, ours = checked_limits(X, y, offset)
    assert (found.separation, ours) == (separation, limits)


def test_a_level_without_events_is_infinite_relative_to_the_reference():
    """Levels a (reference), b, c in dummy coding. Without an event in a, everything is relative to it."""
    dummies = {"a": [0, 0], "b": [1, 0], "c": [0, 1]}
    X = [dummies[level] for level in "aabbcc"]
    assert checked_limits(X, [0, 1, 0, 1, 1, 1])[1] == ["finite", "+inf", "finite"]
    assert checked_limits(X, [0, 0, 0, 1, 0, 1])[1] == ["+inf", "+inf", "-inf"]


# ---------------------------------------------------------------- several steps and exact fallbacks


def test_nested_separations_are_found_step_by_step():
    """Each step's direction separates rows that were on the hyperplane of the step before it."""
    X = [[1, 0, 0], [-1, 1, 0], [2, -1, 1], [3, 5, -1], [0, 0, 0], [0, 0, 0], [0, 1, -1]]
    y = [1, 1, 1, 1, 0, 1, 1]
    found, limits = checked_limits(X, y)
    assert limits == limits_by_lp(lifted(X, y, True))
    assert found.rows.tolist() == [0, 1, 2, 3, 6]
    w, b = found.direction
    assert (np.sign(lifted(X, y, True) @ np.append(w, b)) >= 0).all()


def test_without_floating_point_the_limits_are_the_same(monkeypatch):
    designs = [random_design(4, k) for k in range(30)]
    before = [checked_limits(*design)[1] for design in designs]

    def too_many_iterations(*_):
        raise RuntimeError

    monkeypatch.setattr("scipy.optimize.nnls", too_many_iterations)
    assert [checked_limits(*design)[1] for design in designs] == before
    monkeypatch.undo()
    monkeypatch.setattr(coefficient_signs, "DIRECTION_BITS", ())
    assert [checked_limits(*design)[1] for design in designs] == before


@pytest.mark.parametrize("exponent", [-300, 300])
def test_columns_of_very_different_scales_have_the_same_limits(exponent):
    for k in range(20):
        X, y, offset = random_design(5, k)
        scaled = X.copy()
        scaled[:, 0] = np.ldexp(X[:, 0], exponent)
        assert checked_limits(scaled, y, offset)[1] == checked_limits(X, y, offset)[1]


def test_sparse_rows_have_the_same_limits_and_unused_columns_are_not_identified():
    for k in range(20):
        X, y, offset = random_design(6, k)
        wide = np.zeros((len(X), 3 * X.shape[1]))
        wide[:, ::3] = X
        dense, sparse = (checked_limits(kind, y, offset)[1] for kind in (wide, csr_array(wide)))
        assert sparse == dense
        assert set(dense[1 : wide.shape[1] : 3]) == {"not identified"}


def test_an_exact_step_that_is_too_long_leaves_only_its_coefficient_open(monkeypatch):
    X, y = COMPLETE
    decide = coefficient_signs.SignSearch._decide

    def refuse(search, j, sign):
        if j == 0:
            search._clock.afford(1e9)
        return decide(search, j, sign)

    monkeypatch.setattr(coefficient_signs.SignSearch, "_decide", refuse)
    assert checked_limits(X, y, time_limit=1000)[1] == ["not finite", "±inf", "-inf"]


def test_without_time_every_limit_is_open():
    X, y, _ = random_design(1, 4)
    found = overlap(X, y, time_limit=0)
    assert {each.limit for each in found.coefficients} == {None}
    assert found.most_rows == len(y)
    assert verify(found.proof, X, y).kind == "undecided"


# ---------------------------------------------------------------- proofs


def quasi():
    """Rows 0, 1 and 2 overlap on a line; the others are separated, in several directions."""
    X = [[0, 0, 0], [1, 2, 0], [0.5, 1, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1], [2, 0, 3]]
    return np.array(X, float), np.array([0, 0, 1, 1, 0, 1, 1])


CASES = {
    "quasi": quasi(),
    "complete": tuple(map(np.array, COMPLETE)),
    "dependent": (
        np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 1.0], [3.0, 6.0, 0.0], [1.0, 2.0, 0.0]]),
        np.array([0, 1, 0, 1]),
    ),
}
WEAKER = {
    "finite": {"finite", None},
    "not identified": {"not identified", "not finite", "±inf", "finite", None},
}


@pytest.mark.parametrize("name", CASES)
def test_no_change_of_any_field_proves_another_limit(name, nested_json):
    X, y = CASES[name]
    proof = overlap(X, y).proof
    truth, plain = verify(proof, X, y), json.loads(proof.to_json())
    refusals = 0
    for path in nested_json.places(plain):
        for value in nested_json.changes(nested_json.at(plain, path)) if path else ():
            try:
                facts = verify(nested_json.replace_at(plain, path, value), X, y)
            except ProofRejected as error:
                refusals += len(str(error)) > 15
                continue
            if facts.offset != truth.offset:
                continue
            for found, true in zip(facts.coefficients, truth.coefficients, strict=False):
                assert found in WEAKER.get(true, {true, "not finite", None}), path
    assert refusals > 40


def part_of(proof, kind):
    return next(part for part in proof.parts if isinstance(part, kind))


def test_a_growth_needs_the_part_that_determines_the_separated_rows():
    X, y = quasi()
    proof = overlap(X, y).proof
    growth = part_of(proof, Growth)
    with pytest.raises(ProofRejected, match="determines which rows are separated"):
        verify(dataclasses.replace(proof, parts=(growth,)), X, y)
    for wrong in (growth._replace(sign=-growth.sign), growth._replace(column=3), growth._replace(sign=0)):
        with pytest.raises(ProofRejected):
            verify(dataclasses.replace(proof, parts=(*proof.parts, wrong)), X, y)


def test_a_maximality_is_about_all_rows_on_the_hyperplane():
    X, y = quasi()
    proof = overlap(X, y).proof
    direction, part = part_of(proof, QuasiSeparation), part_of(proof, Maximality)
    with pytest.raises(ProofRejected, match="on the hyperplane"):
        verify(dataclasses.replace(proof, parts=(part,)), X, y)
    narrow = part._replace(columns=part.columns[:-1])
    with pytest.raises(ProofRejected):
        verify(dataclasses.replace(proof, parts=(direction, narrow)), X, y)
    assert verify(dataclasses.replace(proof, parts=(direction, part)), X, y).maximal


@pytest.mark.parametrize("relation", [{}, {0: 0}, {0: 1}, {0: 2, 1: -1, 3: 1}, {9: 1}, {-1: 1}])
def test_a_collinearity_that_does_not_hold_is_refused(relation):
    X, y = CASES["dependent"]
    proof = overlap(X, y).proof
    assert verify(dataclasses.replace(proof, parts=(Collinearity({0: 2, 1: -1}),)), X, y).coefficients[
        :2
    ] == (
        "not identified",
        "not identified",
    )
    with pytest.raises(ProofRejected):
        verify(dataclasses.replace(proof, parts=(Collinearity(relation),)), X, y)


# ---------------------------------------------------------------- multinomial


def pair_rows(X, y, offset):
    """The rows (e_c − e_k) ⊗ (x, 1) without the columns of the first class, one by one."""
    classes = sorted(set(y))
    units = np.eye(len(classes))
    rows = np.column_stack([X, np.ones(len(X))]) if offset else X
    return np.array(
        [
            np.kron(units[own] - units[k], x)[rows.shape[1] :]
            for x, label in zip(rows, y, strict=True)
            for own in [classes.index(label)]
            for k in range(len(classes))
            if k != own
        ]
    )


def test_multinomial_limits_equal_those_of_linear_programs():
    seen = set()
    for k in range(40):
        rng = np.random.default_rng([7, k])
        X, _, offset = random_design(7, k)
        scores = X @ rng.integers(-2, 3, (X.shape[1], 3)) + rng.integers(-1, 2, 3)
        y = np.array(list("abc"))[scores.argmax(axis=1)]
        y[:3] = list("abc") if k % 2 else y[:3]
        if len(set(y)) < 3:
            continue
        found, limits = checked_limits(X, y, offset)
        assert limits == limits_by_lp(pair_rows(X, y, offset)), k
        assert {each.of_class for each in found.coefficients} == {"b", "c"}
        seen.add(found.separation)
    assert seen == {"complete", "quasi-complete", "absent"}


def test_a_multinomial_proof_is_about_its_data_only():
    X = [[0.0], [1.0], [1.0], [2.0], [0.0], [2.0]]
    y = ["a", "b", "c", "b", "b", "a"]
    proof = overlap(X, y).proof
    plain = json.loads(proof.to_json())
    assert plain["multinomial"] is True
    for other_X, other_y in ((X, y[::-1]), ([[9.0], *X[1:]], y), (X[1:], y[1:]), (X, [*y[:-1], "d"])):
        with pytest.raises(ProofRejected):
            verify(proof, other_X, other_y)
    for change in (
        {"multinomial": False},
        {"classes": ["a", "c", "b"]},
        {"offset": False},
        {"n_features": 2},
    ):
        with pytest.raises(ProofRejected):
            verify(plain | change, X, y)
    assert Proof.from_json(proof.to_json()) == proof


def test_labels_with_too_many_classes_are_refused_before_memory_is_used():
    with pytest.raises(BadInput, match="20,000 classes"):
        overlap(np.ones((20_000, 1)), np.arange(20_000))


# ---------------------------------------------------------------- statsmodels


@pytest.fixture
def statsmodels():
    return pytest.importorskip("statsmodels.api", reason="needs statsmodels")


def test_models_of_statsmodels_are_read_with_their_names(statsmodels):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"age": [1.0, 2, 3, 4, 1, 3, 2], "treated": [0.0, 0, 0, 0, 1, 1, 1]})
    y, X = [0, 1, 0, 1, 1, 1, 1], statsmodels.add_constant(table)
    expected = [("const", "finite", None), ("age", "finite", None), ("treated", "+inf", None)]
    binomial = statsmodels.families.Binomial
    cloglog = binomial(statsmodels.families.links.CLogLog())
    models = [
        statsmodels.Logit(y, X), statsmodels.Probit(y, X), statsmodels.GLM(y, X, family=binomial()),
        statsmodels.GLM(y, X, family=cloglog),
    ]  # fmt: skip
    for model in models:
        found = overlap(model)
        assert [tuple(each) for each in found.coefficients] == expected
        assert verify(found, model).coefficients == ("finite", "finite", "+inf")


def test_counts_of_a_binomial_model_are_rows_of_both_labels(statsmodels):
    X = statsmodels.add_constant(np.array([0.0, 1.0, 2.0]))
    counts = np.array([[1, 3], [2, 2], [4, 0]])
    model = statsmodels.GLM(counts, X, family=statsmodels.families.Binomial())
    assert overlap(model).finite
    model = statsmodels.GLM([[0, 3], [2, 2], [4, 0]], X, family=statsmodels.families.Binomial())
    assert [each.limit for each in overlap(model).coefficients] == ["-inf", "+inf"]


def test_a_multinomial_model_of_statsmodels_has_its_classes(statsmodels):
    X = statsmodels.add_constant(np.array([0.0, 0, 0, 1, 1, 0, 1]))
    y = np.array(["a", "b", "c", "a", "b", "c", "a"])
    found = overlap(statsmodels.MNLogit(y, X))
    assert [tuple(each) for each in found.coefficients] == [
        ("const", "finite", "b"), ("x1", "finite", "b"), ("const", "finite", "c"), ("x1", "-inf", "c"),
    ]  # fmt: skip


def test_other_models_of_statsmodels_are_refused(statsmodels):
    X, y = statsmodels.add_constant(np.arange(4.0)), [0, 1, 0, 1]
    with pytest.raises(BadInput, match="OLS"):
        overlap(statsmodels.OLS(y, X))
    cauchit = statsmodels.families.Binomial(statsmodels.families.links.Cauchy())
    with pytest.raises(BadInput, match="link Cauchy"):
        overlap(statsmodels.GLM(y, X, family=cauchit))
    with pytest.raises(BadInput, match="statsmodels alone"):
        overlap([[0.0], [1.0]])
