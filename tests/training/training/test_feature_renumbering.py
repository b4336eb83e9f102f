"""Renumbering features for locality changes no bit of the learned weights."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import Perceptron, rules
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Batch, as_rows
from rosenblatt.training import feature_renumbering
from rosenblatt.training.initial_states import begin
from rosenblatt.training.run import Plan

N, D = 120, 400


def hashed_rows(seed=0):
    """Features come by Zipf's law and lie anywhere, as hashed words do. Some labels are wrong."""
    generator = np.random.default_rng(seed)
    ranks = np.exp(generator.random((N, 9)) * np.log(D)) - 1
    columns = generator.permutation(D)[ranks.astype(int)]
    X = sp.csr_matrix(
        (generator.standard_normal(N * 9).astype(np.float32), columns.ravel(), np.arange(0, N * 9 + 1, 9)),
        shape=(N, D),
    )
    X.sum_duplicates()
    y = np.where(X @ generator.standard_normal(D) > 0, 1, -1)
    y[::17] *= -1
    return X, y


X, Y = hashed_rows()


@pytest.fixture
def renumbers(monkeypatch):
    """As many features and entries as are too few to pay, and whether anything was renumbered."""
    seen, unspied = [], feature_renumbering.renumber_features

    def spy(rows):
        seen.append(rows)
        return unspied(rows)

    monkeypatch.setattr(feature_renumbering, "renumber_features", spy)
    monkeypatch.setattr(feature_renumbering, "is_scattered", lambda rows: True)

    def switch(on):
        monkeypatch.setattr(feature_renumbering, "FEWEST_FEATURES", 1 if on else 1 << 62)
        monkeypatch.setattr(feature_renumbering, "FEWEST_ENTRIES", 1)
        seen.clear()
        return seen

    return switch


def fit_bytes(sample_weight=None, **settings):
    model = Perceptron(random_state=0, **settings).fit(X, Y, sample_weight)
    (column,) = model._state.columns
    return (
        column.weights.tobytes(), column.returned_weights().tobytes(), column.tally.tobytes(),
        model.exact_decisions_,
        [record._replace(seconds=0.0) for record in model.history_], model.decision_function(X).tobytes(),
    )  # fmt: skip


SETTINGS = [
    {},
    {"keep": "averaged", "order": "given", "sample_weight": np.arange(N) % 3},
    {"keep": "pocket", "track_error": True},
    {"rule": "margin", "keep": "averaged", "validation": 0.2},
    {"rule": "passive_aggressive_1", "keep": "averaged", "init": np.linspace(-1.0, 1.0, D)},
    {"until": "separated", "epochs": 300, "offset": False},
    {"callbacks": lambda record: record.epoch == 5},
    {"order": np.arange(N)[::-2]},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda given: ", ".join(given) or "plain")
def test_renumbered_features_change_no_bit_of_what_is_learned(renumbers, settings):
    renumbers(on=False)
    plain = fit_bytes(**settings)
    seen = renumbers(on=True)
    assert fit_bytes(**settings) == plain
    assert seen


@pytest.mark.parametrize(
    "settings",
    [{"epochs": 3}, {"keep": "voted"}, {"rule": "romma"}, {"order": "first_mistake"}],
    ids=lambda given: ", ".join(given),
)
def test_few_passes_committees_shrinking_rules_and_searches_keep_the_numbers(renumbers, settings):
    seen = renumbers(on=True)
    Perceptron(**{"epochs": 10, **settings}, random_state=0).fit(X, Y)
    assert not seen


def test_errors_name_features_as_the_user_does(renumbers):
    seen = renumbers(on=True)
    bad = X.copy()
    bad.data[bad.indptr[50] + 1] = np.nan
    with pytest.raises(BadInput, match=f"NaN in row 50, column {bad.indices[bad.indptr[50] + 1]};"):
        Perceptron(random_state=0).fit(bad, Y)
    assert seen


def test_features_are_numbered_in_order_of_appearance_and_rows_preserve_their_order():
    rows = as_rows(X)
    found, numbers = feature_renumbering.renumber_features(rows)
    assert np.array_equal(numbers.features[found.indices], rows.indices)
    firsts = [int(np.flatnonzero(rows.indices == feature)[0]) for feature in numbers.features]
    assert firsts == sorted(firsts)
    assert found.n_features == np.unique(X.indices).size


# ---------------------------------------------------------------- memory that is not needed


def resident():
    """Bytes of memory that this process has touched."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc what was touched")
@pytest.mark.parametrize("keep", ["last", "averaged", "pocket"])
def test_a_run_from_zero_touches_the_weights_of_features_that_it_meets_and_no_others(keep):
    def fit(n_features):
        few = sp.csr_matrix((np.ones(40), np.arange(40) * 50, np.arange(41)), shape=(40, n_features))
        batch = Batch(as_rows(few), np.where(np.arange(40) % 2, 1, -1).astype(np.int8), np.empty(0))
        state = begin(n_features, "rosenblatt", keep)
        for _ in state.on(batch, Plan(epochs=1)).one_pass("given"):
            pass
        state.check_overflow()
        return state

    fit(2_000)  # what is compiled takes memory too
    before = resident()
    state = fit(1 << 24)
    assert state.updates == 40
    assert resident() - before < 0.5 * state.current().nbytes  # other threads allocate memory too


def test_the_rules_that_are_renumbered_for_never_shrink():
    for name in rules.RULES:
        rule = rules.as_rule(name)
        if rules.facts(rule).is_additive:
            _, shrink, memory = rules.step(rule, None, -0.5, 2.0, 3.0)
            assert (shrink, memory) == (1.0, None)
