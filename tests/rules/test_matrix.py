"""Rules, keepers, layouts of rows, types and orders together: the compiled loop equals the naive one.

Every two of them meet in ``make test``, all of them in ``make test-matrix``.
"""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import rules
from tests.averaging import naive_keepers
from tests.covering import all_pairs
from tests.rules import naive_rules as naive
from tests.rules import problems
from tests.rules.conftest import EVERY_RULE
from tests.rules.rule_runs import train_perceptron, weights

LAYOUTS = {"dense64": None, "csr32": np.int64, "csr64": np.int32, "dense32": None}


@pytest.mark.parametrize(
    ("both", "keep", "layout", "order", "offset"),
    all_pairs(
        list(EVERY_RULE), ["last", "voted", "averaged", "pocket"], list(LAYOUTS), ["given", "listed"],
        [True, False],
    ),
    indirect=["both"],
)  # fmt: skip
def test_compiled_equals_naive(both, keep, layout, order, offset):
    rule, formula = both
    X, y = problems.fitting(rule, n=50, seed=7, density=0.6)
    Z, _ = problems.noisy(n=30, seed=8, density=0.6)
    index = LAYOUTS[layout]
    X, Z = (problems.laid_out(rows, layout, index) for rows in (X, Z))
    if index is not None:
        assert X.indices.dtype == index
    rows = None if order == "given" else np.random.default_rng(9).permutation(50).tolist()
    looks = list(naive.looks(formula, X, y, epochs=4, offset=offset, order=rows))
    model = train_perceptron(
        rule, X, y, epochs=4, offset=offset, keep=keep, order="given" if rows is None else rows
    )
    assert model.mistakes_ == sum(look.mistake for look in looks)
    assert model.false_positives_ == sum(look.mistake and y[look.row] < 0 for look in looks)
    assert model.updates_ == sum(look.updated for look in looks)
    assert model.examples_seen_ == len(looks) == 200
    if keep == "voted":
        committee = naive_keepers.committee(looks, start=[0.0] * 6)
        assert model.survival_.tolist() == [survival for _, survival in committee]
        votes = [naive_keepers.vote(committee, z, naive.exact_dot) for z in naive.lifted(Z, offset)]
        assert model.decision_function(Z).tolist() == votes
        return
    want = {
        "last": lambda: looks[-1].w,
        "averaged": lambda: naive_keepers.mean(looks),
        "pocket": lambda: naive_keepers.pocket(
            looks, [0.0] * 6, naive_keepers.errors_on(naive, X, y, offset)
        ),
    }[keep]()
    if keep in ("last", "pocket") and rules.facts(rule).is_fixed:
        assert weights(model).tolist() == want
    else:
        np.testing.assert_allclose(weights(model), want, rtol=1e-9, atol=1e-9 * np.abs(want).max())
