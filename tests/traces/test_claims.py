"""The two claims of the mistake bound hold at every update of a run."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import NamedTuple
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt import Trace, mistake_bound, rules, trace
from rosenblatt.errors import BadInput
from rosenblatt.proof import novikoff_bound as bounds
from rosenblatt.traces.replay_data import replay
from tests.covering import once_for_arrays

FIRST = np.array([[2.0, 1.0], [0.0, 2.0], [-0.5, -2.0]])
LABELS = [1, -1, 1]


@st.composite
def separable(draw, offset):
    """Points at least 0.05 away (lifted) from the hyperplane of a w* of length 1, labelled by it."""
    features = draw(st.integers(1, 4))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    star = generator.normal(size=features + 1)
    star[-1] *= offset
    star /= np.linalg.norm(star)
    X = 3 * generator.normal(size=(draw(st.integers(4, 25)), features))
    score = X @ star[:-1] + star[-1]
    X, score = X[abs(score) > 0.05], score[abs(score) > 0.05]
    y = np.where(score > 0, 1, -1)
    assume(len(y) > 0)
    return X, y, star[:-1], float(star[-1])


@pytest.mark.parametrize("offset", [True, False])
@given(st.data())
def test_claims_are_about_the_lifted_points_with_an_offset(offset, data):
    X, y, w_star, b_star = data.draw(separable(offset))
    claims = trace(X, y, offset=offset, epochs=2).check_claims(w_star, b_star)
    lifted = np.column_stack([X, np.full(len(X), float(offset))])
    assert claims.radius == pytest.approx(np.linalg.norm(lifted, axis=1).max())
    assert claims.margin == pytest.approx((y * (lifted @ [*w_star, b_star])).min())
    assert claims.bound == pytest.approx((claims.radius / claims.margin) ** 2)


def test_the_claims_of_the_notes_first_example():
    claims = trace(FIRST, LABELS, offset=False, tie="negative", epochs=2).check_claims([1.0, 0.0])
    # w: (0, 0) → (2, 1) → (2, −1)
    assert [(c.step, c.progress, c.growth) for c in claims.claims] == [(0, 2, 5), (1, 0, 0)]
    claims = trace(FIRST, LABELS, offset=False, tie="negative", epochs=2).check_claims([2.0, -1.0])
    assert claims.margin == pytest.approx(1 / math.sqrt(5))
    assert claims.radius == math.sqrt(5)
    assert claims.bound == pytest.approx(25)
    assert str(claims) == (
        "2 mistakes, margin 0.447214, radius 2.23607, bound 25: both claims hold at every mistake"
    )


def test_a_w_star_that_does_not_separate_gives_no_bound():
    claims = trace(FIRST, LABELS, offset=False).check_claims([0.0, 1.0])
    assert claims.margin == -2
    assert claims.bound == math.inf
    assert "does not separate the points (margin -2)" in str(claims)
    assert "no bound follows" in str(claims)


WITH_CLAIMS = [name for name, rule in rules.RULES.items() if hasattr(rule, "claims")]
WITHOUT = [name for name in rules.RULES if name not in WITH_CLAIMS]
some_rate = st.floats(1e-3, 1e3)
some_threshold = st.floats(0.0, 20.0)


@st.composite
def rule_with_claims(draw):
    rule = rules.RULES[draw(st.sampled_from(WITH_CLAIMS))]
    number = {"rate": some_rate, "tau": some_threshold, "tau_positive": some_threshold}
    number["tau_negative"] = some_threshold
    return rule(**{name: draw(number[name]) for name in rule._fields})


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@given(st.data())
def test_both_claims_hold_for_every_rule_that_makes_them(offset, weighted, data):
    """Any rate, any threshold, any start, any weights of the rows: both claims, and the bound they give."""
    X, y, w_star, b_star = data.draw(separable(offset))
    rule = data.draw(rule_with_claims())
    far = st.floats(-1e4, 1e4)
    start = data.draw(st.lists(far, min_size=X.shape[1], max_size=X.shape[1]))
    weight = data.draw(st.lists(st.sampled_from([0.0, 0.1, 1.0, 30.0]), min_size=len(y), max_size=len(y)))
    assume(any(weight) or not weighted)
    steps = trace(
        X, y, rule=rule, offset=offset, init=(start, data.draw(far) if offset else 0.0), epochs=None,
        until="separated", sample_weight=weight if weighted else None, max_steps=400,
    )  # fmt: skip
    claims = steps.check_claims(w_star, b_star)
    assert claims.holds, claims
    assert [c.step for c in claims.claims] == [i for i, s in enumerate(steps) if s.updated]
    assert steps.mistakes <= steps.updates <= claims.bound * (1 + 1e-9)


@pytest.mark.parametrize("rate", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("rule", WITH_CLAIMS)
def test_both_claims_are_as_tight_as_a_run_makes_them(rule, rate):
    """One point on the axis of w*, from 0: the update has agreement 0, so no slack but tau's."""
    rule = rules.RULES[rule](rate=rate)
    claims = trace([[2.0]], [1], rule=rule, offset=False, max_steps=1).check_claims([1.0])
    assert claims.claims[0].progress == claims.least_progress == 2 * rate
    assert claims.claims[0].growth == claims.most_growth - 2 * rate * claims.of_rule.threshold
    stricter = claims.of_rule._replace(rate=0.99 * rate, threshold=0.0)
    assert not replace(claims, of_rule=stricter).growth_holds
    assert not replace(claims, margin=2.01).progress_holds


def test_updates_that_are_no_mistakes_are_in_the_proof_of_a_rule_with_a_threshold():
    steps = trace(FIRST, LABELS, rule=rules.Margin(tau=3.0), offset=False, epochs=3)
    claims = steps.check_claims([2.0, -1.0])
    assert steps.updates > steps.mistakes
    assert [c.step for c in claims.claims] == [i for i, s in enumerate(steps) if s.updated]
    assert claims.bound == pytest.approx((5 + 2 * 3) * 5)  # (R² + 2τ)/γ²
    assert str(claims).endswith("both claims hold at every update")


@pytest.mark.parametrize("rule", once_for_arrays(WITHOUT))
def test_a_rule_whose_bound_is_proved_otherwise_is_refused_with_the_reason(rule):
    steps = trace(FIRST, LABELS, rule=rule, offset=False)
    why = rules.RULES[rule].no_claims()
    with pytest.raises(BadInput, match=f"not hold for '{rule}': {re.escape(why)}; they hold for"):
        steps.check_claims([2.0, -1.0])
    with pytest.raises(BadInput, match=re.escape(why)):
        mistake_bound(FIRST, LABELS, rule=rule)
    head = replay(steps).head
    assert not head["claims_apply"]
    assert head["overview"]["progress"] is None
    assert why in head["proof_note"]


@given(st.data())
def test_trace_replay_and_bound_agree_on_every_rule_with_claims(data):
    X, y, *_ = data.draw(separable(True))
    assume(len(set(y)) == 2)  # mistake_bound calls a single class +1
    rule, offset = data.draw(rule_with_claims()), data.draw(st.booleans())
    weight = data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=len(y), max_size=len(y)))
    start = [float(number) for number in data.draw(st.lists(st.integers(-5, 5), min_size=4, max_size=4))]
    run = {"rule": rule, "offset": offset, "init": start[: X.shape[1]], "sample_weight": weight}
    steps = trace(X, y, **run, max_steps=50)
    head = replay(steps).head
    with mock.patch.object(bounds, "PATIENCE", 0.01):  # of the real run, which is not what is asked here
        found = mistake_bound(X, y, **run, progress=False)
    if not found.separable:
        assert head["proof"] is None
        return
    proof = head["proof"]
    assert proof["radius"] == pytest.approx(found.radius)
    low, high = found.bound
    assert low * (1 - 1e-9) <= proof["bound"] <= high * (1 + 1e-9)
    if not any(run["init"]):
        assert proof["bound"] == pytest.approx(high)
    claims = steps.check_claims(proof["weights"], proof["offset"])
    assert claims.bound == pytest.approx(proof["bound"])
    assert (claims.least_progress, claims.most_growth) == pytest.approx(
        (proof["progress"], proof["growth"])
    )
    assert found.mistakes <= found.updates <= found.bound[1]


def test_if_the_largest_margin_is_an_interval_replay_and_mistake_bound_have_the_bound_of_the_same_w():
    X = [
        [-0.57, 0.47, 1.255],
        [1.062, -0.744, -1.285],
        [0.964, -1.814, -1.006],
        [1.993, 0.725, 2.532],
        [1.727, -1.639, -0.5],
    ]
    labels = [-1, 1, -1, 1, -1]
    found = mistake_bound(X, labels, offset=False, progress=False)
    low, high = found.bound
    assert high > low * (1 + 1e-5)
    head = replay(trace(X, labels, offset=False, epochs=1)).head
    assert head["proof"]["bound"] == pytest.approx(high)
    assert head["proof_note"].endswith("w* has length 1 and a margin within these bounds.")


def test_from_a_start_other_than_zero_the_bound_of_the_shown_w_is_in_the_interval_of_mistake_bound():
    """The largest margin is known to 0.3 %, so the angle between its w* and w₀ is not known exactly."""
    X = [
        [0.1403576, -7.42468705, -1.91464869],
        [5.63631433, 1.45465774, -0.46870534],
        [4.33236648, 3.26728702, 0.4191237],
        [-4.09351597, 7.09003644, -4.84672302],
        [4.94693627, 4.5173826, 2.77614175],
        [-1.47343768, -2.81939744, -4.55679355],
        [1.08669858, -4.17799918, -2.2262968],
        [1.29132391, -0.13612826, -2.72931047],
        [2.78296317, 2.52083237, 0.71702662],
        [2.67184877, 2.4094423, -1.011708],
        [-0.08914283, -1.22355153, 1.80402641],
    ]
    labels = [1, -1, -1, -1, -1, 1, 1, 1, -1, -1, 1]
    weight = [0.5, 1.0, 0.5, 0.5, 2.0, 0.5, 0.5, 0.5, 0.5, 1.0, 1.0]
    run = {"init": [0.0, 0.0, 1.0], "sample_weight": weight}
    low, high = mistake_bound(X, labels, **run, progress=False).bound
    proof = replay(trace(X, labels, **run, epochs=1)).head["proof"]
    assert low < proof["bound"] < high
    star = np.append(proof["weights"], proof["offset"])
    points = np.array(weight)[:, None] * np.column_stack([X, np.ones(len(X))])
    margin, radius2 = (labels * (points @ star)).min(), (points**2).sum(axis=1).max()
    # the largest t with t·margin + w₀·w* = √(1 + t·radius²)
    roots = np.roots([margin**2, 2 * margin * star[2] - radius2, star[2] ** 2 - 1])
    assert proof["bound"] == pytest.approx(max(roots))


class Own(NamedTuple):
    """Rosenblatt's rule once more, with the claims that it makes."""

    pace: float = 2.0

    def claims(self) -> rules.TwoClaims:
        return rules.TwoClaims(self.pace)


class Silent(NamedTuple):
    """The same rule, without a word about its proof."""

    pace: float = 2.0


for own in (Own, Silent):
    rules.threshold.of(own)(lambda rule, memory, label, x2: 0.0)
    rules.step.of(own)(lambda rule, memory, agreement, x2, w2: (rule.pace, 1.0, memory))


def test_a_rule_of_your_own_states_what_it_claims(tmp_path):
    steps = trace(FIRST, LABELS, rule=Own(), offset=False)
    claims = steps.check_claims([2.0, -1.0])
    assert claims == trace(FIRST, LABELS, rule=rules.Rosenblatt(2.0), offset=False).check_claims(
        [2.0, -1.0]
    )
    steps.to_jsonl(tmp_path / "own.jsonl")
    assert Trace.from_jsonl(tmp_path / "own.jsonl").check_claims([2.0, -1.0]) == claims
    with pytest.raises(BadInput, match=r"'Silent': it has no method `claims`"):
        trace(FIRST, LABELS, rule=Silent(), offset=False).check_claims([2.0, -1.0])


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("offset", "arguments", "problem"),
    [
        (True, ([1.0],), "w_star: 1 weights for 2 features"),
        (True, ([1.0, 2.0, 3.0],), "w_star: 3 weights for 2 features"),
        (False, ([1.0, 2.0], 0.5), "b_star: this run has no offset"),
        (False, ([0.0, 0.0],), "w_star: the zero vector separates nothing"),
        (True, ([0.0, 0.0], 0.0), "w_star: the zero vector separates nothing"),
        (True, ([math.nan, 1.0],), "w_star"),
        (True, ([1.0, 1.0], math.inf), "b_star"),
    ],
)
def test_a_separator_that_is_none_is_refused(offset, arguments, problem):
    with pytest.raises(BadInput, match=problem):
        trace(FIRST, LABELS, offset=offset).check_claims(*arguments)


@pytest.mark.parametrize("offset", [False, True])
def test_without_a_separator_the_claims_are_about_the_largest_margin(offset):
    steps = trace([[2.0, 1.0], [0.0, 2.0], [1.0, -1.0]], [1, -1, 1], offset=offset)
    found = steps.check_claims()
    assert found.holds
    for angle in np.linspace(0.0, 2.0 * np.pi, 50):
        for b in (-1.0, 0.0, 1.0) if offset else (0.0,):
            other = steps.check_claims([np.cos(angle), np.sin(angle)], b)
            assert other.margin <= found.margin + 1e-9


def test_without_a_separating_line_no_claims_can_be_checked():
    steps = trace([[0.0], [1.0], [2.0]], [1, -1, 1], epochs=2)
    with pytest.raises(BadInput, match="no hyperplane separates the points"):
        steps.check_claims()
