"""Second-order rules where other rules go: many classes, files, named features that come late, the command
line. AROW in its two forms stands for all of them, since their loops are made of the same parts."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from click.testing import CliRunner
from numba import config
from sklearn.datasets import dump_svmlight_file

from rosenblatt import Learner, Perceptron, load, rules, save
from rosenblatt.cli.main import main
from rosenblatt.errors import BadInput
from tests.rules import naive_confident as naive
from tests.rules import problems

FORMS = [rules.Arow(0.7), rules.Arow(0.7, "full")]


@pytest.fixture(params=FORMS, ids=["diagonal", "full"])
def rule(request):
    return request.param


@pytest.fixture(scope="module")
def data():
    return problems.noisy(n=60, d=5, density=0.7)


@pytest.mark.parametrize(
    "rule", [*FORMS, rules.SecondOrder(0.5), rules.SecondOrder(0.5, "full"), rules.Adagrad(0.5)]
)
def test_a_named_feature_that_comes_late_begins_at_the_prior(rule, data):
    X, y = data
    X = np.where(np.arange(X.shape[1]) <= np.arange(len(X))[:, None] // 5, X, 0.0)
    learner = Learner(rule=rule)
    for x, label in zip(X, y.tolist(), strict=True):
        learner.learn({f"x{j}": value for j, value in enumerate(x) if value}, label)
    wanted = naive.vectors(rule, X, y)[-1]
    for j, w in enumerate(wanted[:-1]):
        assert learner.weights[f"x{j}"] == pytest.approx(w, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("rule", "damage"),
    [
        (FORMS[0], lambda memory: memory.variance.__setitem__(0, 0.0)),
        (FORMS[1], lambda memory: memory.matrix.__setitem__((1, 1), -1.0)),
        (FORMS[1], lambda memory: memory.matrix.__setitem__((0, 1), 7.0)),
    ],
)
def test_a_file_with_a_covariance_that_is_none_is_refused(rule, damage, data, tmp_path):
    model = Perceptron(rule=rule, order="given").fit(*data)
    damage(model._state.columns[0].memory)
    save(model, tmp_path / "model")
    with pytest.raises(
        BadInput, match=r"damaged: .*memory: (a variance is not above 0|Σ is not symmetric)"
    ):
        load(tmp_path / "model")


@pytest.mark.parametrize("cls", [rules.Arow, rules.SecondOrder])
def test_a_matrix_of_too_many_features_is_refused_with_its_size(cls):
    rows, size = sp.eye_array(20_000, format="csr")[:4], r"for 20,000 features 3.2 GB for each class"
    with pytest.raises(BadInput, match=rf"covariance: 'full' .*{size}.* 4,096; use covariance='diagonal'"):
        Perceptron(rule=cls(covariance="full")).fit(rows, [0, 1, 0, 1])
    with pytest.raises(BadInput, match=size):
        Learner(rule=cls(covariance="full"), n_features=20_000)


@pytest.mark.skipif(config.DISABLE_JIT, reason="text is parsed by compiled code")
def test_the_command_line_takes_its_words(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = data
    dump_svmlight_file(X, y, "rows.svm", zero_based=False)
    words = "--rule arow --set r=0.7 --set covariance=full --keep last --epochs 2 --order given --quiet"
    done = CliRunner().invoke(main, ["fit", "rows.svm", "--out", "m", *words.split()])
    assert done.exit_code == 0, done.output
    model = Perceptron(rule=FORMS[1], order="given", epochs=2).fit(sp.csr_array(X), y)
    # rows of a file and of a csr_array have other indices: a processor may sum them in another order
    np.testing.assert_allclose(load("m").coef_, model.coef_, rtol=1e-12)
    facts = json.loads(CliRunner().invoke(main, ["inspect", "m", "--json"]).output)
    assert facts["rule_parameters"] == {"r": 0.7, "covariance": "full"}
    wrong = CliRunner().invoke(main, ["fit", "rows.svm", "--rule", "arow", "--set", "covariance=half"])
    assert "--set covariance: expected 'diagonal' or 'full', got 'half'" in wrong.output
