"""`AutoPerceptron`: the model of `rosenblatt fit`, from tables and texts in memory."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from rosenblatt import AutoPerceptron, Features, Perceptron, load, save
from rosenblatt.cli.main import main
from rosenblatt.errors import BadInput
from tests.contract import assert_fails, contract, excuses


def product_table(n, seed=0):
    """Rows with numbers, gaps and categories, whose class depends on a product."""
    r = np.random.default_rng(seed)
    a, b = r.normal(size=(2, n)).round(6)
    city = r.choice(["Rome", "Oslo", "Bern"], n)
    y = np.where((a * b > 0) ^ (r.random(n) < 0.05) | (city == "Oslo") & (a > 1), "same", "other")
    a[r.random(n) < 0.05] = np.nan
    return pd.DataFrame({"a": a, "b": b, "city": city}), pd.Series(y, name="kind")


def text_rows(n, seed=0):
    r = np.random.default_rng(seed)
    good, bad, other = (
        ["fine", "great", "lovely"],
        ["poor", "bad", "awful"],
        [f"word{i}" for i in range(50)],
    )
    y = r.integers(0, 2, n)
    texts = [" ".join([*r.choice(other, 5), *r.choice(good if k else bad, 1)]) for k in y.tolist()]
    return pd.Series(texts, name="review"), pd.Series(np.where(y, "good", "bad"), name="kind")


def iris_rows():
    data = load_iris(as_frame=True)
    return data.data, pd.Series(data.target_names[data.target], name="kind")


SETS = {"table": lambda: product_table(900), "text": lambda: text_rows(400), "classes": iris_rows}
LARGE = {"several blocks": lambda: product_table(90_000)}


CURVES_PER_CLASS = (
    "with more than two classes, each class has its own curve from decision values to probabilities, so "
    "the class with the largest probability is not always the one with the largest decision value, which "
    "is predicted; with effort='none' there are no probabilities, and the check passes"
)
FAMILY = [AutoPerceptron(), AutoPerceptron(effort="none")]


def expected_failures(estimator):
    return {"check_classifiers_train": CURVES_PER_CLASS} if estimator.effort == "quick" else {}


@contract(FAMILY, expected_failures)
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@excuses(FAMILY, expected_failures)
def test_every_expected_failure_of_a_check_fails(estimator, check):
    assert_fails(estimator, check)


def test_labels_that_are_measurements_are_refused():
    with pytest.raises(BadInput, match=r"Unknown label type: continuous \(0.5 in row 1\)"):
        AutoPerceptron(effort="none").fit([[1.0], [2.0]], [0.0, 0.5])


@pytest.mark.parametrize("name", [*SETS, *LARGE])
def test_the_model_is_that_of_the_command_bit_for_bit(name, tmp_path):
    X, y = (SETS | LARGE)[name]()
    pd.concat([X, y], axis=1).to_csv(tmp_path / "train.csv", index=False)
    words = ["fit", str(tmp_path / "train.csv"), "--target", "kind", "--out", str(tmp_path / "model")]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    theirs, mine = load(tmp_path / "model"), AutoPerceptron().fit(X, y)
    record = mine._record
    assert theirs.coef_.tobytes() == record.state.returned_weights()[..., :-1].tobytes()
    assert theirs.mistakes_ == record.mistakes > 0
    reading = json.loads(json.dumps(record.reading))
    assert {name: theirs.reading_[name] for name in reading if name != "format"} == {
        name: value for name, value in reading.items() if name != "format"
    }
    assert theirs.get_params()["rule"] == record.parameters["rule"]
    assert mine.classes_.tolist() == theirs.classes_.tolist()


def test_a_list_of_texts_gives_the_decision_values_of_a_series():
    X, y = text_rows(400)
    model, of_list = AutoPerceptron().fit(X.rename("text"), y), AutoPerceptron().fit(X.tolist(), y.tolist())
    others = text_rows(50, 1)[0]
    np.testing.assert_array_equal(
        model.decision_function(others), of_list.decision_function(others.tolist())
    )
    assert (model.predict(others) == text_rows(50, 1)[1]).all()


def test_probabilities_come_from_the_compared_folds():
    X, y = product_table(900)
    model = AutoPerceptron().fit(X, y)
    assert len(model.selection_.errors) == 6
    others, labels = product_table(900, 1)
    share = log_loss(labels, model.predict_proba(others), labels=model.classes_)
    assert share < 0.6 * np.log(2)
    assert share < 1.05 * log_loss(labels, model.calibrate(others, labels).predict_proba(others))


def test_it_works_with_cross_validation_and_grid_search():
    X, y = iris_rows()
    assert cross_val_score(AutoPerceptron(effort="none"), X, y, cv=3).mean() > 0.9
    assert cross_val_score(AutoPerceptron(), X, y, cv=3, scoring="neg_log_loss").mean() > -0.6
    search = GridSearchCV(AutoPerceptron(effort="none"), {"keep": ["averaged", "last"]}, cv=2).fit(X, y)
    assert search.best_params_["keep"] in ("averaged", "last")
    copy = clone(AutoPerceptron(metric="auc", text=("review",)))
    assert copy.metric == "auc"
    assert copy.text == ("review",)


@pytest.mark.parametrize("name", SETS)
def test_a_saved_model_predicts_the_same(name, tmp_path):
    X, y = SETS[name]()
    model = AutoPerceptron(n_jobs=1).fit(X, y)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.get_params() == model.get_params()
    assert again.columns_ == model.columns_
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("bits", [None, 12])
def test_a_saved_pipeline_of_features_predicts_the_same(bits, tmp_path):
    X, y = product_table(300)
    X["review"] = text_rows(300)[0]
    model = make_pipeline(
        Features(bits=bits, pairs=(("a", "city"),), characters=(2, 3)),
        Perceptron(keep="averaged", random_state=0),
    ).fit(X, y)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert [name for name, _ in again.steps] == ["features", "perceptron"]
    assert again[0].get_params() == model[0].get_params()
    np.testing.assert_array_equal(again[0].get_feature_names_out(), model[0].get_feature_names_out())
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    result = CliRunner().invoke(main, ["predict", str(tmp_path / "model"), "-"])
    assert "use it from Python" in result.stderr


def test_another_pipeline_cannot_be_saved(tmp_path):
    model = make_pipeline(Features(), AutoPerceptron())
    with pytest.raises(BadInput, match="use pickle for other objects and pipelines"):
        save(model, tmp_path / "model")


def test_bool_labels_come_back_as_bools(tmp_path):
    X, y = product_table(300)
    model = AutoPerceptron(effort="none").fit(X, y == "same")
    assert model.classes_.dtype == bool
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").predict(X[:3]).dtype == bool


@pytest.mark.parametrize(("wrong", "message"), [
    ({"effort": "much"}, "effort"), ({"metric": "mse"}, "metric"),
])  # fmt: skip
def test_unknown_values_are_refused(wrong, message):
    with pytest.raises(BadInput, match=message):
        AutoPerceptron(**wrong).fit(*product_table(100))


def test_missing_and_too_few_labels_are_refused():
    X, y = product_table(100)
    with pytest.raises(BadInput, match="1 labels are missing"):
        AutoPerceptron().fit(X, [None, *y[1:]])
    with pytest.raises(BadInput, match="99 labels for 100 rows"):
        AutoPerceptron().fit(X, y[1:])


def test_an_array_needs_as_many_columns_as_in_fit():
    X, y = iris_rows()
    model = AutoPerceptron().fit(X.to_numpy(), y)
    np.testing.assert_array_equal(model.predict(X.to_numpy()), model.predict(X.to_numpy().tolist()))
    with pytest.raises(BadInput, match="X has 2 features, but AutoPerceptron is expecting 4"):
        model.predict(X.to_numpy()[:, :2])


def test_class_weights_are_those_of_perceptron_and_of_the_command(tmp_path):
    X, y = product_table(300)
    X, plain = X[["b"]], {"effort": "none", "rule": "passive_aggressive_1"}
    pd.concat([X, y], axis=1).to_csv(tmp_path / "train.csv", index=False)
    for given, word in (("balanced", "balanced"), ({"same": 7.0}, "same=7")):
        mine = AutoPerceptron(class_weight=given, **plain).fit(X, y)
        words = ["--class-weight", word, "--effort", "none", "--rule", plain["rule"]]
        files = [str(tmp_path / "train.csv"), "--out", str(tmp_path / "model")]
        assert CliRunner().invoke(main, ["fit", *files, "--target", "kind", *words]).exit_code == 0
        rows = Features().fit_transform(X)
        other = Perceptron(
            rule=plain["rule"], keep="averaged", class_weight=given, random_state=0
        ).fit(rows, y)  # fmt: skip
        weights = mine._record.state.returned_weights()[..., :-1].tobytes()
        assert weights == other.coef_.tobytes() == load(tmp_path / "model").coef_.tobytes()
    assert (mine.predict(X) == "same").mean() > (
        AutoPerceptron(**plain).fit(X, y).predict(X) == "same"
    ).mean()


def test_the_comparison_uses_class_weights():
    X, y = product_table(600)
    model, plain = AutoPerceptron(class_weight={"same": 9.0}).fit(X, y), AutoPerceptron().fit(X, y)
    assert model.selection_.errors != plain.selection_.errors
    with pytest.raises(BadInput, match="'odd' is not a class; the classes are other, same"):
        AutoPerceptron(class_weight={"odd": 9.0}).fit(X, y)
