"""Held-out rows, folds, probabilities and thresholds on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.training.streams.splitting import places
from tests.cli.runner import run_command, succeed


def fit_facts(*words):
    return json.loads(succeed("fit", *words, "--json").stdout)


@pytest.fixture(scope="module", autouse=True)
def workdir(tmp_path_factory):
    """Rows of two classes that overlap, one of them rare, and of three classes."""
    folder = tmp_path_factory.mktemp("rows")
    r = np.random.default_rng(0)
    for name, classes in (("two.csv", ["no", "yes"]), ("three.csv", ["a", "b", "c"])):
        rare = r.choice(len(classes), size=400, p=[0.8, 0.2] if len(classes) == 2 else None)
        X = np.round(r.normal(size=(400, 3)) + 1.2 * np.eye(3)[rare], 3)
        lines = (",".join(map(str, row)) + f",{classes[k]}" for row, k in zip(X, rare, strict=True))
        (folder / name).write_text("x,y,z,kind\n" + "\n".join(lines) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


def test_rows_held_out_are_a_part_of_each_class_and_are_not_learned_from():
    found = fit_facts("two.csv", "--hold-out", 0.25)
    held_out = found["held_out"]
    assert found["examples"] + held_out["examples"] == 400
    whole = fit_facts("two.csv", "--test", "two.csv")["test"]
    for each, all_rows in zip(held_out["per_class"], whole["per_class"], strict=True):
        assert abs(each["rows"] - 0.25 * all_rows["rows"]) < 1.0
    assert fit_facts("two.csv", "--hold-out", 0.25)["held_out"] == held_out, "the seed decides"
    assert fit_facts("two.csv", "--hold-out", 0.25, "--seed", 1)["held_out"] != held_out


def test_each_part_of_a_file_has_its_own_order_of_rows():
    y = np.repeat(["no", "yes"], 50)
    assert places(y, 0, 0).tolist() == places(y, 0, 0).tolist()
    assert not set(places(y, 0, 0)) & {*places(y, 0, 1), *places(y, 1, 0)}


def test_folds_answer_every_row_once_and_leave_the_model_of_all_rows():
    found = fit_facts("three.csv", "--folds", 4, "--out", "folds.safetensors")
    alone = fit_facts("three.csv", "--out", "alone.safetensors")
    assert found["folds"]["examples"] == 400 == found["examples"]
    errors = np.array(found["folds"]["errors"])
    assert len(errors) == 4
    assert found["folds"]["standard_error"] == pytest.approx(errors.std(ddof=1) / 2)
    assert found["mistakes"] == alone["mistakes"]
    assert Path("folds.safetensors").read_bytes() == Path("alone.safetensors").read_bytes()


def test_the_error_stands_beside_that_of_the_commonest_class():
    lines = succeed("fit", "two.csv", "--test", "two.csv", "--quiet").output
    assert "Majority-class baseline: error 0." in lines
    assert "AUC 0." in lines
    rows = Path("two.csv").read_text().splitlines()
    lonely = [row for row in rows if row.endswith("yes")][:1]
    Path("noise.csv").write_text("\n".join([rows[0], *lonely, *(r for r in rows if r.endswith(",no"))]))
    succeed("fit", "two.csv", "--out", "two.safetensors", "--quiet")
    assert (
        "Warning: the model is no better than the baseline"
        in succeed("evaluate", "two.safetensors", "noise.csv").output
    )


@pytest.mark.parametrize("method", ["platt", "isotonic"])
@pytest.mark.parametrize("rows", ["two.csv", "three.csv"])
def test_probabilities_are_learned_from_rows_not_learned_from_and_stored(rows, method):
    found = fit_facts(rows, "--probabilities", method, "--folds", 3, "--out", "m.safetensors")
    assert found["probabilities"] == method
    assert 0.0 < found["folds"]["brier"] < 0.6
    lines = succeed("predict", "m.safetensors", rows, "--probabilities").output.splitlines()
    assert lines[0].split("\t") == ["answer", *found["classes"]]
    told_ = np.array([line.split("\t")[1:] for line in lines[1:]], float)
    assert told_.shape == (400, len(found["classes"]))
    assert np.allclose(told_.sum(axis=1), 1.0)
    assert "Brier score" in succeed("evaluate", "m.safetensors", rows).output


def test_a_model_without_probabilities_says_how_to_have_them():
    succeed("fit", "two.csv", "--out", "plain.safetensors", "--quiet")
    refused = run_command("predict", "plain.safetensors", "two.csv", "--probabilities")
    assert refused.exit_code == 64
    assert "fit --probabilities" in refused.output


@pytest.mark.parametrize(
    ("wish", "kept"),
    [
        ("precision>=0.6", lambda rows: rows["yes"]["precision"] >= 0.6),
        ("recall>=0.9", lambda rows: rows["yes"]["recall"] >= 0.9),
        ("recall>=0.9 of no", lambda rows: rows["no"]["recall"] >= 0.9),
        ("precision>=0.9 of no", lambda rows: rows["no"]["precision"] >= 0.9),
    ],
)
def test_a_threshold_keeps_its_wish_on_the_rows_held_out(wish, kept):
    found = fit_facts("two.csv", "--folds", 4, "--threshold", wish, "--out", "t.safetensors")
    assert kept({each["class"]: each for each in found["folds"]["per_class"]})
    assert found["threshold"] is not None
    answers = succeed("predict", "t.safetensors", "two.csv").output.splitlines()
    values = succeed("predict", "t.safetensors", "two.csv", "--scores").output.splitlines()
    above = [float(line.split("\t")[1]) > found["threshold"] for line in values]
    assert answers == ["yes" if each else "no" for each in above]


def test_a_wish_that_no_threshold_fulfils_is_warned_of_and_the_model_is_there():
    Path("same.csv").write_text("x,y,kind\n" + "1.5,2.5,no\n1.5,2.5,yes\n" * 40)
    result = succeed(
        "fit", "same.csv", "--threshold", "precision>=0.99", "--out", "s.safetensors", "--json"
    )
    assert "no threshold has a precision of 0.99" in result.stderr
    assert json.loads(result.stdout)["threshold"] is None
