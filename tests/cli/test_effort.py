"""`fit --effort`: the settings that are compared, the choice, and the rows that are used."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from rosenblatt import load
from rosenblatt.cli.main import main
from rosenblatt.models.prediction_metrics import METRICS, predicted_classes, standard_error


def table(n, seed=0, noise=0.0):
    """Rows whose class depends on a product: no line of the columns separates them."""
    r = np.random.default_rng(seed)
    a, b = r.normal(size=(2, n))
    y = np.where((a * b > 0) ^ (r.random(n) < noise), "same", "other")
    return pd.DataFrame({"a": a, "b": b, "kind": y})


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def fit(path, *words):
    result = run("fit", path, "--target", "kind", "--json", *words)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("effort")
    for name, frame in (("train", table(900)), ("test", table(600, 1)), ("few", table(90))):
        frame.to_csv(folder / f"{name}.csv", index=False)
    line = table(600)
    noise = np.random.default_rng(2).normal(size=600)
    line["kind"] = np.where(line.a + line.b + 0.7 * noise > 0, "up", "down")
    line.to_csv(folder / "line.csv", index=False)
    return folder


def test_the_chosen_settings_lower_the_error_on_other_rows(files):
    chosen = fit(files / "train.csv", "--test", files / "test.csv")
    plain = fit(files / "train.csv", "--test", files / "test.csv", "--effort", "none")
    assert plain["selection"] is None
    assert plain["test"]["error"] > 0.35
    assert chosen["test"]["error"] < 0.15
    assert chosen["selection"]["chosen"].startswith("--numbers piecewise --pairs auto")
    assert [each["settings"] for each in chosen["selection"]["compared"]][:3] == [
        "the default settings", "--rule passive_aggressive_1 --set C=0.01", "--numbers piecewise",
    ]  # fmt: skip


def test_the_options_that_are_printed_train_the_same_model(files, tmp_path):
    chosen = fit(files / "train.csv", "--out", tmp_path / "chosen")["selection"]["chosen"]
    fit(files / "train.csv", "--out", tmp_path / "typed", *chosen.split(), "--effort", "none")
    one, other = load(tmp_path / "chosen"), load(tmp_path / "typed")
    assert np.array_equal(one.coef_, other.coef_)
    assert one.intercept_ == other.intercept_


def test_the_default_settings_are_kept_where_nothing_is_better(files):
    result = run("fit", files / "line.csv", "--target", "kind")
    assert "Compared 6 settings by 3-fold cross-validation on 600 rows.\nKept the default" in result.stderr
    assert "numbers, standardised" in result.stderr


def test_settings_that_the_user_gives_are_not_compared(files):
    def tried(*words):
        selection = fit(files / "train.csv", *words)["selection"]
        return selection and [each["settings"] for each in selection["compared"]]

    assert all("--numbers" not in words for words in tried("--numbers", "rank"))
    assert all("--rule" not in words for words in tried("--set", "C=0.5"))
    assert tried("--numbers", "rank", "--pairs", "a:b", "--rule", "rosenblatt") is None
    assert fit(files / "few.csv")["selection"] is None


def test_held_out_rows_take_no_part_in_the_choice(files, tmp_path):
    frame = pd.read_csv(files / "train.csv")
    args = ("--hold-out", "0.3", "--out", tmp_path / "m")
    before = fit(files / "train.csv", *args)
    from rosenblatt.training.streams.splitting import places

    where = places(frame["kind"].to_numpy().astype(str), 0, 0)
    held = np.flatnonzero(where < 0.3)
    # swapped among the held-out rows, so that each class keeps its rows and their places
    frame.loc[held, ["a", "b"]] = frame.loc[held[::-1], ["a", "b"]].to_numpy() * 3.0
    frame.to_csv(tmp_path / "changed.csv", index=False)
    after = fit(tmp_path / "changed.csv", *args)
    assert before["selection"]["rows"] == 900 - before["held_out"]["examples"] == 900 - len(held)
    assert after["selection"] == before["selection"]


def test_rows_without_a_label_are_dropped_with_a_note(files, tmp_path):
    frame = pd.read_csv(files / "train.csv")
    frame.loc[[3, 500, 899], "kind"] = None
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    for words in ((), ("--hold-out", "0.2")):
        result = run("fit", tmp_path / "gaps.csv", "--target", "kind", *words)
        assert result.exit_code == 0
        assert "Note: 3 rows without a label dropped." in result.stderr


def test_the_metrics_are_those_of_scikit_learn():
    from sklearn import metrics

    r = np.random.default_rng(0)
    numbers, scores = r.integers(0, 2, 300), r.normal(size=300)
    numbers[:100] = 0
    guess = predicted_classes(scores)
    assert METRICS["error"](numbers, scores) == pytest.approx(1 - metrics.accuracy_score(numbers, guess))
    balanced = 1 - metrics.balanced_accuracy_score(numbers, guess)
    assert METRICS["balanced"](numbers, scores) == pytest.approx(balanced)
    assert METRICS["f1"](numbers, scores) == pytest.approx(1 - metrics.f1_score(numbers, guess))
    assert METRICS["auc"](numbers, scores) == pytest.approx(1 - metrics.roc_auc_score(numbers, scores))
    shares = np.column_stack([1 - 1 / (1 + np.exp(-scores)), 1 / (1 + np.exp(-scores))])
    assert METRICS["log_loss"](numbers, shares) == pytest.approx(metrics.log_loss(numbers, shares))


def test_the_standard_error_of_a_difference_is_small_where_predictions_agree():
    r = np.random.default_rng(0)
    numbers = r.integers(0, 2, 2000)
    scores = np.where(r.random(2000) < 0.2, 0.5 - numbers, numbers - 0.5)
    others = scores.copy()
    others[:20] = numbers[:20] - 0.5
    alone = standard_error(METRICS["error"], numbers, scores)
    apart = standard_error(METRICS["error"], numbers, scores, others)
    assert alone == pytest.approx(np.sqrt(0.16 / 2000), rel=0.6)
    assert apart < alone / 4
