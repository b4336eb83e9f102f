"""`tune` is deterministic, never worse than the default on its held-out rows, and equals the command."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file

from rosenblatt import BadInput, load, tune
from rosenblatt.models.tuning import DEFAULT, Tried, rank_results, settings_to_try, suits
from rosenblatt.rules import PassiveAggressive1, Rosenblatt
from tests.cli.runner import succeed

FEW = [DEFAULT, {"rule": Rosenblatt(), "keep": "averaged"}]


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    return X, np.where(X[:, 0] + rng.normal(0, 0.7, 300) > 0, "yes", "no")


def facts(tuning):
    return [(str(one), one.epochs, one.error, one.deviation) for one in tuning.tried]


@pytest.mark.parametrize("how", [{"hold_out": 0.3}, {"folds": 3}])
def test_the_same_seed_gives_the_same_choice_on_any_number_of_threads(noisy, how):
    first, again = (tune(*noisy, settings=FEW, epochs=4, n_jobs=jobs, **how) for jobs in (1, 2))
    assert facts(first) == facts(again)
    assert first.model.coef_.tobytes() == again.model.coef_.tobytes()
    assert first.best.error <= min(one.error for one in first.tried if one.settings == DEFAULT)


def test_errors_equal_those_of_rows_that_were_not_learned_from(noisy):
    """One of the settings by hand: the same held-out rows, the same pass, the same error."""
    from sklearn.model_selection import StratifiedShuffleSplit

    from rosenblatt import Perceptron

    X, y = noisy
    best = tune(X, y, settings=FEW, epochs=4, hold_out=0.25, random_state=3).best
    ((train, held),) = StratifiedShuffleSplit(1, test_size=0.25, random_state=3).split(X, y)
    model = Perceptron(**best.settings, epochs=best.epochs, random_state=3).fit(X[train], y[train])
    assert np.mean(model.predict(X[held]) != y[held]) == pytest.approx(best.error)


def test_the_default_is_tried_first_and_all_that_is_tried_can_be_learned():
    assert settings_to_try(2)[0] == DEFAULT
    assert settings_to_try(5)[0] == DEFAULT | {"multiclass": "ultraconservative"}
    assert sum(map(suits, settings_to_try(5))) > 20


def test_a_table_becomes_numbers_first(noisy):
    X, y = noisy
    table = pd.DataFrame(X, columns=list("abcd")).assign(colour=np.where(y == "yes", "red", "blue"))
    tuning = tune(table, y, settings=FEW, epochs=2)
    assert tuning.best.error == 0.0
    assert (tuning.model.predict(table) == y).all()


@pytest.mark.parametrize(
    ("wrong", "part"),
    [({"hold_out": 1.5}, "hold_out"), ({"folds": 1}, "folds"), ({"epochs": 0}, "epochs")],
)
def test_a_meaningless_setting_is_refused(noisy, wrong, part):
    with pytest.raises(BadInput, match=part):
        tune(*noisy, settings=FEW, **wrong)


@pytest.mark.parametrize("name", ["rows.csv", "rows.svm"])
def test_the_command_that_is_printed_learns_the_model_that_is_written(noisy, name, tmp_path, monkeypatch):
    """A table is compared as by fit --effort thorough, other files by `compare_settings`."""
    import rosenblatt.models.tuning as tuning

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tuning, "settings_to_try", lambda *_: FEW)
    X, y = noisy
    pd.DataFrame(X, columns=list("abcd")).assign(y=y).to_csv("rows.csv", index=False)
    dump_svmlight_file(X, (y == y[0]).astype(int), "rows.svm")
    report = json.loads(succeed("tune", name, "--epochs", "3", "--json").stdout)
    part = succeed("tune", name, "--epochs", "3", "--out", "a.safetensors", "--quiet")
    assert report["command"] in part.stdout.replace(" --out a.safetensors", "")
    succeed(*shlex.split(report["command"])[1:], "--out", "b.safetensors")
    assert load("a.safetensors").coef_.tobytes() == load("b.safetensors").coef_.tobytes()
    errors = [one.get("value", one.get("error")) for one in report["tried"]]
    assert errors[name == "rows.svm" :] == sorted(errors[name == "rows.svm" :])


def test_tune_and_fit_with_effort_thorough_choose_the_same_settings(tmp_path, monkeypatch):
    """The sign of a number whose size says nothing: its rank tells, its value drowns in the largest."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x = rng.choice([-1.0, 1.0], 300) * np.exp(4 * rng.normal(size=300))
    pd.DataFrame({"x": x, "z": rng.normal(size=300), "y": np.where(x > 0, "up", "down")}).to_csv(
        "rows.csv", index=False
    )
    report = json.loads(succeed("tune", "rows.csv", "--json").stdout)
    fitted = json.loads(succeed("fit", "rows.csv", "--effort", "thorough", "--json").stdout)["selection"]
    assert report["command"] == f"rosenblatt fit rows.csv {fitted['chosen']} --effort none"
    assert sorted(fitted["compared"], key=lambda one: one["value"]) == report["tried"]
    tried = {one["settings"].partition(" --rule")[0] for one in report["tried"]}
    assert {"--numbers rank", "--numbers piecewise", "--numbers bins --pairs auto"} <= tried
    assert "--numbers" in report["command"]


def test_few_rows_are_compared_by_folds_and_the_default_stays_unless_another_is_better(noisy):
    tuning = tune(*noisy, settings=[*FEW, {"keep": "last"}], epochs=3)
    assert [len(one.of_folds) for one in tuning.tried] == [5, 5, 5]
    least = min(tuning.tried, key=lambda one: one.error)
    apart = np.subtract(tuning.best.of_folds, least.of_folds)
    assert apart.mean() <= apart.std(ddof=1) / np.sqrt(5) + 1e-12
    assert tuning.best.error <= next(one.error for one in tuning.tried if one.settings == DEFAULT)


def test_a_grid_reaches_the_parameters_of_a_rule(noisy):
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from rosenblatt import Perceptron

    model = make_pipeline(StandardScaler(), Perceptron(rule=PassiveAggressive1(), random_state=0))
    grid = GridSearchCV(model, {"perceptron__rule__C": [0.01, 1.0]}, cv=2).fit(*noisy)
    assert grid.best_estimator_[-1].rule == PassiveAggressive1(C=grid.best_params_["perceptron__rule__C"])
    assert Perceptron(rule="passive_aggressive_1").set_params(rule__C=0.5, epochs=3).rule.C == 0.5
    with pytest.raises(BadInput, match=r"rule__tau: 'rosenblatt' has no such parameter; it has rule__rate"):
        Perceptron().set_params(rule__tau=1.0)


def test_the_choice_is_never_worse_than_the_default_however_its_folds_scatter():
    """The second is within the (large) noise of its difference from the least, the default is not."""
    rule = {"rule": Rosenblatt(), "keep": "last"}
    of_folds = [(0.21, 0.20, 0.22), (0.05, 0.50, 0.20), (0.20, 0.19, 0.21)]
    tried = [Tried(rule, 1, sum(folds) / 3, 0.0, 0.0, folds) for folds in of_folds]
    assert rank_results(tried)[0] is tried[2]
