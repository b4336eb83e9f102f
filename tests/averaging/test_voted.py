"""The committee: every vector has as many votes as steps that it survived."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rosenblatt import Perceptron
from rosenblatt.rules import Alma, Forgetting, Margin, UnevenMargin
from rosenblatt.training import scoring
from tests.averaging import naive_keepers
from tests.rules import naive_rules as naive
from tests.rules import problems
from tests.rules.rule_runs import train_perceptron

TIES = st.sampled_from(["mistake", "negative", "positive"])
BLOCKS = st.sampled_from([1, 64, 200, 1 << 25])


def votes(naive, naive_keepers, looks, start, Z, offset=True, tie="mistake"):
    """Σ survival × sign for each row of Z, from all vectors, one by one."""
    members = naive_keepers.committee(looks, start)
    return [naive_keepers.vote(members, z, naive.exact_dot, tie) for z in naive.lifted(Z, offset)]


@given(draw=st.data(), offset=st.booleans(), tie=TIES, block_bytes=BLOCKS)
def test_each_vector_votes_by_its_exact_sign_as_often_as_it_survived(draw, offset, tie, block_bytes):
    """Whole numbers, many scores of exactly 0, zero rows; times 0.1, many that rounding would make 0 or
    not. In blocks of one member or of all."""
    X, y = problem = draw.draw(problems.small_integers())
    X = X * draw.draw(st.sampled_from([1.0, 0.1]))
    ones = st.sampled_from([-1.0, 0.0, 1.0])
    start = draw.draw(st.lists(ones, min_size=problem.width, max_size=problem.width))
    start[-1] *= offset  # there is no b without an offset
    rule, formula = draw.draw(
        st.sampled_from(
            [
                ("rosenblatt", naive.rosenblatt),
                (Margin(tau=2.0), partial(naive.margin, tau=2.0)),
                (UnevenMargin(2.0, 1.0), partial(naive.uneven_margin, tau_positive=2.0, tau_negative=1.0)),
            ]
        )
    )
    layout = draw.draw(st.sampled_from(["dense64", "csr64"]))
    epochs = draw.draw(st.integers(1, 3))
    Z = np.vstack([X, 0 * X[:1], -X[:2], X[:1] + X[1:2]])
    looks = list(naive.looks(formula, X, y, epochs, offset, tie, start))
    model = Perceptron(
        rule=rule, keep="voted", order="given", epochs=epochs, offset=offset, tie=tie,
        init=(start[:-1], start[-1]),
    ).fit(problems.laid_out(X, layout), y)  # fmt: skip
    assert model.survival_.tolist() == [s for _, s in naive_keepers.committee(looks, start)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "BLOCK_BYTES", block_bytes)
        got = model.decision_function(problems.laid_out(Z, layout))
    assert got.tolist() == votes(naive, naive_keepers, looks, start, Z, offset, tie)


@pytest.mark.parametrize(
    ("rule", "name"), [(Forgetting(200.0), "forgetting"), (Alma(0.02), "alma")], ids=["forgetting", "alma"]
)
def test_vectors_of_very_unlike_scale_vote_by_their_sign(rule, name):
    """Hundreds of updates that each shrink w; the members' scores run over more than a double's range."""
    X, _ = problems.noisy(n=60, seed=3)
    y = np.where(np.random.default_rng(2).random(60) < 0.5, -1, 1)
    Z, _ = problems.noisy(n=20, seed=5)
    formula = partial(getattr(naive, name), **rule._asdict())
    looks = list(naive.looks(formula, X, y, 15))
    model = train_perceptron(rule, X, y, epochs=15, keep="voted")
    assert len(model.survival_) > 300
    assert model.decision_function(Z).tolist() == votes(naive, naive_keepers, looks, [0.0] * 6, Z)


def test_a_column_that_a_sparse_row_names_many_times_counts_once_with_their_sum():
    """Twenty thousand times 0.1 is one number before it is added to a million; one by one it would come
    out otherwise. The score of that vector on z is exactly 0, and must be found so."""
    many, million, far, near = 20_000, 1e6, 2.0**21, 2.0**20
    total, one_by_one = 0.0, million
    for _ in range(many):
        total, one_by_one = total + 0.1, one_by_one + 0.1
    added = million + total
    assert added != one_by_one
    columns = np.append(np.zeros(many, np.int32), np.int32(1))
    values, ends = np.append(np.full(many, 0.1), near), np.array([0, many + 1], np.int32)
    model = Perceptron(keep="voted", offset=False)
    model.partial_fit(csr_array([[million, -far]]), [1], classes=[-1, 1])
    model.partial_fit(csr_array((values, columns, ends), shape=(1, 2)), [1])
    assert model.survival_.tolist() == [0, 1, 1]  # vectors (million, −far) and (added, near − far)
    z = np.array([[near, added]])
    assert model.decision_function(z).tolist() == [-2.0]  # −1 of the first, −1 of the second by tie
    assert model.decision_function(-z).tolist() == [0.0]  # +1 of the first, −1 of the second by tie
