"""The walk on a device, with its kernel emulated in numpy: what the host does around it is the same run."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt import KernelPerceptron
from rosenblatt.loops.blocked import FREE, IN_DOUBT, MISTAKE, NEEDS_ROW, RIGHT, WALKED
from rosenblatt.rules import Margin, PassiveAggressive, Rosenblatt, UnevenMargin
from tests.covering import case_id, covering
from tests.training.dual import kernel_problems
from tests.training.dual import kernel_problems as problems
from tests.training.dual.dual_runs import updates

torch = pytest.importorskip("torch")

from rosenblatt.gpu import dual_lesson  # noqa: E402
from rosenblatt.gpu.torch_backend import OnDevice  # noqa: E402

FIXED = [
    "rosenblatt",
    Rosenblatt(rate=0.5),
    Margin(tau=0.7),
    Margin(rate=2.0, tau=1.0),
    UnevenMargin(tau_positive=2.0, tau_negative=0.25),
]
KERNELS = [
    {"kernel": "gaussian", "gamma": 0.4},
    {"kernel": "polynomial", "degree": 3, "gamma": 0.5},
    {"kernel": "polynomial", "degree": 2, "gamma": 1.0},
    {"kernel": "laplacian", "gamma": 0.3},
    {"kernel": "linear"},
]


def emulate_walk(
    scores, gram, place, across, labels, roots, importance, start, settled, mass, terms, parameters
):
    """What `gpu.triton_walks.walk_on_device` does, one column and one row at a time."""
    columns, n = scores.shape
    error, rounding, underflow, rate, tau_positive, tau_negative = parameters.tolist()
    S, G, P, A, R = (there.numpy() for there in (scores, gram, place, across, roots))
    result = np.full((columns, n + 5), -7, np.int32)  # a device does not clear its memory
    for c in range(columns):
        at, first, status, made = int(start[c]), int(settled[c]), WALKED, 0
        mistakes = false_positives = 0
        while at < n:
            y, s = float(labels[c, at]), S[c, at]
            tau = tau_positive if y > 0 else tau_negative
            doubt = (error + (float(terms[c]) + n + 8) * rounding) * float(mass[c]) * R[at] + underflow
            if first == FREE:
                far = tau == 0 or rounding == 0 or abs(y * s - tau) > doubt + rounding * tau
                if not (abs(s) > doubt and far):
                    status = IN_DOUBT
                    break
                mistake = y * s < 0
                acts = mistake or (tau > 0 and y * s <= tau)
            else:
                mistake, acts = first == MISTAKE, first != RIGHT
            if acts and at < n - 1 and P[at] < 0:
                status = NEEDS_ROW
                break
            first = FREE
            mistakes += mistake
            false_positives += mistake and y < 0
            if acts:
                change = rate * (1.0 if importance is None else float(importance[at])) * y
                S[c, at + 1 :] += change * G[P[at], A[at + 1 :]]
                result[c, 5 + made] = at
                made += 1
                terms[c] += 2
                mass[c] += abs(change) * R[at]
            at += 1
        result[c, :5] = status, at, made, mistakes, false_positives
    return torch.from_numpy(result)


@pytest.fixture
def walks(monkeypatch):
    """Every walk is emulated; the list has (columns, rows, rows of the Gram matrix) of each."""
    asked = []

    def walk(scores, gram, *rest):
        asked.append((*scores.shape, gram.shape[0]))
        return emulate_walk(scores, gram, *rest)

    monkeypatch.setattr(OnDevice, "can_walk", lambda backend, rule: True)
    monkeypatch.setattr(dual_lesson, "walk_on_device", walk)
    return asked


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of so many rows, of which only those in sight have a row of the Gram matrix made, or with
    whole=True blocks of a Gram matrix of all rows."""

    def size(block, all_rows=0, whole=False):
        monkeypatch.setattr(OnDevice, "block", block)
        monkeypatch.setattr(OnDevice, "largest_block", 2 * block)
        monkeypatch.setattr(OnDevice, "has_room", lambda backend, size: whole)
        monkeypatch.setattr(dual_lesson, "ALL_ROWS", all_rows)

    return size


def here_and_there(X, y, weight=None, **parameters):
    """The run on the host and the run on the device, in the same order."""
    parameters = {"epochs": 3, "random_state": 0, **parameters}
    return [
        KernelPerceptron(device=device, **parameters).fit(X, y, sample_weight=weight)
        for device in ("cpu", "torch:cpu")
    ]


def same(here, there, X, updates):
    """The same run, its clocks and the answers."""
    assert updates(there) == updates(here)
    assert there.mistakes_per_class_.tolist() == here.mistakes_per_class_.tolist()
    assert (there.updates_, there.examples_seen_) == (here.updates_, here.examples_seen_)
    assert [(e.mistakes, e.updates) for e in there.history_] == [
        (e.mistakes, e.updates) for e in here.history_
    ]
    for clock in ("mistakes", "false_positives", "updates", "terms"):
        one, other = ([int(r.clock[clock][0]) for r in m._state.records] for m in (here, there))
        assert one == other
    masses = [[float(r.clock["mass"][0]) for r in m._state.records] for m in (here, there)]
    np.testing.assert_allclose(masses[0], masses[1], rtol=1e-9)
    assert there.support_.tolist() == here.support_.tolist()
    assert (there.predict(X) == here.predict(X)).all()
    for keep in ("last", "averaged"):
        one, other = (m.set_params(keep=keep).dual_coef_ for m in (here, there))
        assert (one == other).all()


# ---------------------------------------------------------------- the same run


BLOCKS = {  # rows of a block, rows up to which all values are made, and room for the whole Gram matrix
    "large": (4096, 4096, False),
    "of 4": (4, 0, False),
    "of 16": (16, 0, False),
    "of 10, some made": (10, 5, False),
    "of 4, Gram": (4, 0, True),
    "Gram": (4096, 0, True),
}


def rows(data, n_classes):
    """Rows that overlap, or whole numbers with many exact ties."""
    generator = np.random.default_rng(3)
    if data == "whole":
        y = np.r_[np.arange(n_classes), generator.integers(0, n_classes, 90 - n_classes)]
        return generator.integers(-2, 3, (90, 2)).astype(float), y
    return kernel_problems.noisy(n=90, n_classes=n_classes, seed=n_classes)


@pytest.mark.parametrize(
    ("blocks", "rule", "parameters", "tie", "weights", "n_classes", "offset", "data"),
    covering(
        list(BLOCKS), FIXED, KERNELS, ["mistake", "negative", "positive"],
        ["none", "rows", "rows and classes"], [2, 4], [False, True], ["real", "whole"],
    ),
    ids=case_id,
)  # fmt: skip
def test_the_run_equals_that_of_the_host(
    blocks, rule, parameters, tie, weights, n_classes, offset, data, walks, small_blocks
):
    block, all_rows, whole = BLOCKS[blocks]
    small_blocks(block, all_rows, whole)
    X, y = rows(data, n_classes)
    weight = None if weights == "none" else np.random.default_rng(1).integers(0, 3, 90) / 2
    settings = {"class_weight": "balanced"} if "classes" in weights else {}
    here, there = here_and_there(X, y, weight, tie=tie, rule=rule, offset=offset, **settings, **parameters)
    same(here, there, X, updates)
    assert max(n for _, n, _ in walks) <= 2 * block
    if whole:
        assert {made for _, _, made in walks} == {90}
    elif not all_rows:  # those that are needed
        assert any(made < n for _, n, made in walks)
    if weight is not None:
        assert not set(there.support_.tolist()) & set(np.flatnonzero(weight == 0).tolist())
    elif rule == "rosenblatt" and (data == "real" or parameters in (KERNELS[2], KERNELS[4])):
        assert there.exact_decisions_ == here.exact_decisions_ == 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.data(),
    n_classes=st.integers(2, 3),
    rule=st.sampled_from(FIXED),
    scale=st.sampled_from([1, 0.1]),
)
def test_small_data_with_duplicates(data, n_classes, rule, scale, walks, small_blocks):
    """With scale 0.1 a score that should be 0 is not: the host settles it by the plain loop."""
    block, all_rows = data.draw(st.sampled_from([2, 3, 50])), data.draw(st.sampled_from([0, 3, 4096]))
    small_blocks(block, all_rows, whole=data.draw(st.booleans()))
    X, y = data.draw(problems.small_integers(n_classes=n_classes))
    here, there = here_and_there(X * scale, y, rule=rule, kernel="polynomial", degree=2, gamma=1.0)
    same(here, there, X * scale, updates)


@pytest.mark.parametrize("order", ["given", [5, 5, 0, 3, 5, 1, 2, 3, 0, 0, 7, 6, 4, 5]], ids=case_id)
def test_a_row_may_be_looked_at_twice_in_a_block(order, walks, small_blocks):
    X, y = problems.noisy(n=8, seed=2)
    for block, whole in product((3, 100), (False, True)):
        small_blocks(block, whole=whole)
        here, there = here_and_there(X, y, order=order, epochs=6, **KERNELS[1])
        same(here, there, X, updates)


def test_training_continues_from_the_current_state(walks, small_blocks):
    small_blocks(16)
    X, y = problems.noisy(n=90, n_classes=3, seed=4)
    models = [KernelPerceptron(device=d, random_state=0, **KERNELS[0]) for d in ("cpu", "torch:cpu")]
    for part in (slice(0, 30), slice(30, 75), slice(75, 90)):
        for model in models:
            model.partial_fit(X[part], y[part], classes=[0, 1, 2])
    assert updates(models[1]) == updates(models[0])
    warm = [
        KernelPerceptron(device=d, random_state=0, epochs=2, warm_start=True, **KERNELS[0]).fit(X, y)
        for d in ("cpu", "torch:cpu")
    ]
    here, there = (model.fit(X, y) for model in warm)
    assert updates(there) == updates(here)


def test_one_column_may_be_done_while_others_wait_for_the_host(walks, small_blocks):
    """Class 2 is far from all others and soon right; classes 0 and 1 are the same points."""
    small_blocks(100)
    generator = np.random.default_rng(0)
    X = np.repeat(generator.integers(-3, 4, (25, 2)) * 0.1, 2, axis=0)
    X = np.vstack([X, X + 40.0])
    y = np.r_[np.tile([0, 1], 25), np.full(50, 2)]
    for tie in ("mistake", "positive"):
        here, there = here_and_there(X, y, order="given", tie=tie, offset=True, **KERNELS[0])
        same(here, there, X, updates)


def test_every_walk_moves_on(walks, small_blocks):
    """No more walks than one for each row in doubt, each row that was lacking, and each block."""
    small_blocks(32)
    X, y = problems.noisy(n=200, n_classes=3, seed=0, wrong=0.5)
    model = KernelPerceptron(device="torch:cpu", epochs=2, **KERNELS[0]).fit(X, y)
    blocks = 2 * (1 + 200 // 32) + 2
    assert len(walks) <= blocks + 2 * 200 + model.exact_decisions_


# ---------------------------------------------------------------- what the device is asked to do


def test_only_a_gpu_and_only_rules_with_a_fixed_coefficient_walk_there():
    assert not OnDevice("cpu").can_walk(Rosenblatt())
    assert not OnDevice("cuda").can_walk(PassiveAggressive())


def test_a_rule_that_uses_the_score_runs_on_the_cpu(monkeypatch):
    monkeypatch.setattr(dual_lesson, "walk_on_device", None)  # would not survive a call
    X, y = problems.noisy(n=40, seed=0)
    here, there = here_and_there(X, y, rule="passive_aggressive_1", **KERNELS[0])
    assert [(row, look) for row, _, look in updates(there)[0]] == [
        (row, look) for row, _, look in updates(here)[0]
    ]
