"""Traces of runs with a kernel: the run of `fit`, and the properties of each step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rosenblatt import KernelPerceptron, KernelTrace, Trace, kernels, trace
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import as_rows
from rosenblatt.traces import kernel_recorder

BITS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def smallest(X, Z):
    """Σ min(xₖ, zₖ): the kernel of histograms, a function of one's own."""
    return np.minimum(X[:, None, :], Z[None, :, :]).sum(axis=2)


XOR = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
LABELS = np.array([-1, 1, 1, -1])
SQUARE = kernels.Polynomial(2, 1.0, 0.0)
UNTIL = {"epochs": None, "until": "separated"}


whole = st.integers(-2, 2).map(float)
real = st.floats(-3.0, 3.0, allow_subnormal=False)


@st.composite
def labelled_rows(draw, least=0.0):
    """Few rows of small numbers, none between 0 and `least`, some twice, and labels of both classes."""
    number = draw(st.sampled_from([whole, real])).map(lambda x: x if abs(x) >= least else 0.0)
    rows = draw(st.lists(st.tuples(number, number), min_size=2, max_size=8))
    rows += draw(st.lists(st.sampled_from(rows), max_size=2))
    others = st.lists(st.sampled_from([-1, 1]), min_size=len(rows) - 2, max_size=len(rows) - 2)
    return np.array(rows), np.array([-1, 1, *draw(others)])


KERNELS = [
    {"kernel": "linear"},
    {"kernel": "polynomial", "degree": 2, "gamma": 1.0},
    {"kernel": SQUARE},
    {"kernel": "gaussian", "gamma": 0.7},
    {"kernel": "laplacian", "gamma": 0.4},
    {"kernel": lambda X, Z: (X @ Z.T + 0.5) ** 3},
]
choices = st.fixed_dictionaries(
    {
        "rule": st.sampled_from(["rosenblatt", "margin", "uneven_margin", "passive_aggressive"]),
        "order": st.sampled_from(["given", "shuffled"]),
        "tie": st.sampled_from(["mistake", "negative", "positive"]),
        "offset": st.booleans(),
        "epochs": st.integers(1, 4),
        "keep": st.sampled_from(["last", "averaged", "voted"]),
        "random_state": st.integers(0, 3),
    }
)


@given(labelled_rows(), st.sampled_from(KERNELS), choices, st.booleans())
def test_the_recorded_run_equals_that_of_fit_to_the_last_bit(data, kernel, chosen, sparse):
    X, y = data
    rows = csr_array(X) if sparse else X
    steps = trace(rows, y, **kernel, **chosen)
    model = KernelPerceptron(**kernel, **chosen).fit(rows, y)
    model.set_params(keep="last")
    assert steps.mistakes == model.mistakes_
    assert steps.updates == model.updates_
    assert len(steps) == model.examples_seen_
    assert [sum(s.mistake for s in steps if s.epoch == e.epoch) for e in model.history_] == [
        e.mistakes for e in model.history_
    ]
    assert steps.support.tolist() == model.support_.tolist()
    assert steps.coefficients.tolist() == model.dual_coef_[0].tolist()
    assert steps.separated == model.converged_


@given(labelled_rows(), st.sampled_from(KERNELS), choices)
def test_each_step_equals_the_sum_over_the_support(data, kernel, chosen):
    X, y = data
    lengths2 = np.square(X).sum(axis=1)
    assume(((lengths2 == 0.0) | (lengths2 > 1e-300)).all())  # 1/‖x‖² of less overflows, which is refused
    steps = trace(X, y, **kernel, **chosen)
    squares = steps.squares()
    largest = max(1.0, float(np.abs(squares).max())) * (1 + len(steps)) ** 2
    for number, step in enumerate(steps):
        before = steps.scores(X[[step.index]], after=number)[0]
        rows, sums = steps.sum_after(number + 1)
        assert step.score == pytest.approx(before, abs=1e-9 * largest)
        assert step.agreement == step.y * step.score
        grown = step.y * step.coefficient * squares[step.index]
        assert step.agreement_after == pytest.approx(step.agreement + grown, abs=1e-9 * largest)
        assert step.support == len(rows)
        gram = steps.products(as_rows(X), rows)[rows]
        assert step.norm_squared == pytest.approx(sums @ gram @ sums, abs=1e-8 * largest)
        assert step.updated or step.coefficient == 0.0


# ---------------------------------------------------------------- cycles


@given(labelled_rows())
def test_whole_numbers_cycle_where_the_perceptron_over_points_does(data):
    X, y = np.rint(data[0]), data[1]
    assert trace(X, y, kernel="linear", **UNTIL).cycle == trace(X, y, offset=False, **UNTIL).cycle


def test_a_run_that_is_cut_short_in_a_pass_is_not_treated_as_a_cycle():
    # after 4 of 5 steps w is 0 again, as it was before the first
    X, y = np.vstack([XOR, [[3.0, 1.0]]]), [*LABELS, 1]
    assert trace(X, y, kernel="linear", max_steps=4, **UNTIL).cycle is None


# ---------------------------------------------------------------- limits


def test_an_endless_run_requires_a_limit(monkeypatch):
    monkeypatch.setattr(kernel_recorder, "MOST_STEPS", 30)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8, 1)), [1, -1] * 4
    with pytest.raises(BadInput, match=r"not finished after 24 steps; limit them with max_steps=30"):
        trace(X, y, kernel="linear", **UNTIL)


@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ({"kernel": "rbf"}, "'rbf' is called 'gaussian' here"),
        ({"kernel": "gaussian", "init": [1.0, 0.0]}, "init: with a kernel w starts at zero"),
        ({"kernel": "gaussian", "order": "worst_mistake"}, "use order='shuffled' or 'given'"),
        ({"kernel": "gaussian", "rule": "alma"}, "'alma' has no dual form here"),
        ({"kernel": lambda X, Z: X @ Z.T + np.nan}, "it must be finite for all"),
    ],
)
def test_an_invalid_value_is_refused_with_a_message(given_, sentence):
    with pytest.raises(BadInput) as refusal:
        trace(XOR, LABELS, **given_)
    assert sentence in str(refusal.value)


# ---------------------------------------------------------------- files


@given(labelled_rows(), st.sampled_from(KERNELS[:5]), choices)
@settings(max_examples=20)
def test_a_run_comes_back_from_its_file(tmp_path_factory, data, kernel, chosen):
    path = tmp_path_factory.mktemp("runs") / "run.jsonl"
    steps = trace(*data, **kernel, **chosen)
    steps.to_jsonl(path)
    again = KernelTrace.from_jsonl(path)
    assert again == steps
    assert again.kernel == steps.kernel
    assert again.scores(data[0]).tolist() == steps.scores(data[0]).tolist()


# ---------------------------------------------------------------- the proof


# (x·x)² is ‖φ(x)‖², and its square stands in the claims: below 1e-38 that is no normal number any more
@given(labelled_rows(least=1e-38), st.sampled_from(KERNELS[:5]), st.booleans())
def test_both_claims_hold_at_every_mistake_if_the_classes_are_separable(data, kernel, offset):
    X, y = data
    steps = trace(X, y, **kernel, offset=offset, until="separated", epochs=30)
    found = steps.widest()
    if not found.low > 0.0:
        with pytest.raises(BadInput, match="no w\\* to check against"):
            steps.check_claims()
        return
    claims = steps.check_claims()
    assert claims.holds
    assert len(claims.claims) == steps.mistakes <= claims.bound * (1 + 1e-9)
    assert found.low * (1 - 1e-9) <= claims.margin <= found.high * (1 + 1e-9)


def test_the_margin_equals_that_of_the_separator_given():
    steps = trace(XOR, LABELS, kernel=SQUARE, **UNTIL)
    widest = steps.check_claims(coefficients=LABELS)
    assert (widest.margin, widest.radius) == (pytest.approx(math.sqrt(2)), 2.0)
    crooked = steps.check_claims(coefficients=[-1, 0, 0, 0])
    assert crooked.margin == 0.0
    assert crooked.bound == math.inf


def test_max_steps_ends_it_in_the_middle_of_a_pass():
    whole_run = trace(BITS, LABELS, kernel="polynomial", degree=2, gamma=1.0, **UNTIL)
    for most in (0, 1, 6, 7):
        cut = trace(BITS, LABELS, kernel="polynomial", degree=2, gamma=1.0, **UNTIL, max_steps=most)
        assert cut.steps == whole_run.steps[:most]
        assert not cut.separated
        assert cut.settings["max_steps"] == most


def test_a_file_cannot_hold_a_function_but_takes_it_back(tmp_path):
    steps = trace(np.abs(XOR), [1, 1, 1, -1], kernel=smallest, epochs=2)
    steps.to_jsonl(tmp_path / "run.jsonl")
    again = KernelTrace.from_jsonl(tmp_path / "run.jsonl")
    assert again == steps
    with pytest.raises(BadInput, match="'smallest' is a user-defined function"):
        again.scores(XOR)
    again.kernel = smallest
    assert again.scores(XOR).tolist() == steps.scores(XOR).tolist()


def test_the_two_kinds_of_files_are_distinguished(tmp_path):
    trace(XOR, LABELS, kernel=SQUARE).to_jsonl(tmp_path / "kernel.jsonl")
    trace(XOR, LABELS).to_jsonl(tmp_path / "line.jsonl")
    with pytest.raises(BadInput, match=r"a run with a kernel; read it with KernelTrace\.from_jsonl"):
        Trace.from_jsonl(tmp_path / "kernel.jsonl")
    with pytest.raises(BadInput, match=r"a run without a kernel; read it with Trace\.from_jsonl"):
        KernelTrace.from_jsonl(tmp_path / "line.jsonl")


@pytest.mark.parametrize(
    ("coefficients", "sentence"),
    [
        ([1.0], "1 for 4 rows"),
        ([0.0] * 4, "length 0 in feature space"),
        ([math.inf, 0, 0, 0], "finite numbers"),
    ],
)
def test_a_separator_that_is_none_is_refused(coefficients, sentence):
    with pytest.raises(BadInput, match=sentence):
        trace(XOR, LABELS, kernel=SQUARE).check_claims(coefficients)
