"""The score of a row as an exact sum over the training rows that caused updates."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from rosenblatt import BadInput, read, rules
from rosenblatt.storage.update_records import load_update_record, save_update_record
from rosenblatt.training.settings import StreamSettings
from rosenblatt.training.streams import shuffling
from rosenblatt.training.streams.stream_run import StreamRun
from rosenblatt.training.update_record import UpdateRecorder, refuse_unrecordable
from tests.cli.runner import run_command, succeed

RUNS = [
    (2, "rosenblatt", "last", {}),
    (2, "passive_aggressive_1", "averaged", {}),
    (2, rules.Arow(r=1.0), "averaged", {}),
    (2, rules.NormalHerd(), "last", {}),
    (2, rules.Scw1(), "averaged", {}),
    (2, "alma", "averaged", {}),
    (2, rules.Forgetting(), "averaged", {}),
    (3, rules.Arow(r=1.0), "averaged", {"multiclass": "ultraconservative"}),
    (3, "passive_aggressive_1", "averaged", {"multiclass": "ultraconservative", "sharing": "uniform"}),
    (3, "rosenblatt", "averaged", {"multiclass": "ultraconservative", "sharing": "proportional"}),
    (3, "rosenblatt", "averaged", {"multiclass": "one_vs_rest"}),
]


def recorded(n_classes, rule, keep, more, order="shuffled"):
    """Return rows with the offset, a run on them, and the record of its updates."""
    r = np.random.default_rng(0)
    X = r.integers(-4, 5, (80, 4)).astype(float)
    y = (X @ r.normal(size=(4, n_classes))).argmax(axis=1)
    y[:9] = (y[:9] + 1) % n_classes
    table = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": y})
    settings = StreamSettings(rule=rule, keep=keep, epochs=4, order=order, seed=3, **more)
    run = StreamRun(read(table), settings)
    run.recorder = UpdateRecorder()
    run.go()
    return np.hstack([X, np.ones((80, 1))]), y, run, run.recorder.finish(keep, 1.0)


def replayed(X, record, n_columns):
    """Return the weights as the naive sum over the recorded updates."""
    w, variance = np.zeros((n_columns, X.shape[1])), np.ones((n_columns, X.shape[1]))
    for update, factor in zip(record.updates, record.survival(), strict=True):
        c, x = update["column"], X[update["row"]]
        w[c] += factor * update["coefficient"] * variance[c] * x
        variance[c] *= np.maximum(2.0**-52, 1.0 - update["beta"] * variance[c] * x * x)
    return w


@pytest.mark.parametrize(("n_classes", "rule", "keep", "more"), RUNS)
def test_the_recorded_updates_sum_to_the_weights_of_the_run(n_classes, rule, keep, more):
    X, _, run, record = recorded(n_classes, rule, keep, more)
    w = replayed(X, record, 1 if n_classes == 2 else n_classes)
    np.testing.assert_allclose(w, np.atleast_2d(run.state.returned_weights()), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("n_classes", "rule", "keep", "more"), RUNS)
def test_recording_does_not_change_the_weights(n_classes, rule, keep, more):
    _, _, run, _ = recorded(n_classes, rule, keep, more)
    again = StreamRun(run.source, run.settings)
    again.go()
    assert again.state.returned_weights().tolist() == run.state.returned_weights().tolist()


def test_in_fractions_the_shares_sum_to_the_score_of_the_mean_of_an_independent_run():
    X, y, _, record = recorded(2, "rosenblatt", "averaged", {}, order="given")
    w, total, steps = [Fraction(0)] * 5, [Fraction(0)] * 5, 0
    for _ in range(4):
        for x, label in zip(X.tolist(), y.tolist(), strict=True):
            sign = 1 if label else -1
            if sign * sum(a * Fraction(b) for a, b in zip(w, x, strict=True)) <= 0:
                w = [a + sign * Fraction(b) for a, b in zip(w, x, strict=True)]
            total = [a + b for a, b in zip(total, w, strict=True)]
            steps += 1
    query = [Fraction(v) for v in (3, -1, 2, 0, 1)]
    score = sum(a * b for a, b in zip(total, query, strict=True)) / steps
    shares = [
        Fraction(float(each["coefficient"]))
        * Fraction(record.n_steps - int(each["step"]), record.n_steps)
        * sum(Fraction(v) * q for v, q in zip(X[each["row"]].tolist(), query, strict=True))
        for each in record.updates
    ]
    assert record.n_steps == steps
    assert sum(shares) == score


def test_rows_of_parts_that_are_read_in_another_order_have_their_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(shuffling, "BUFFER_BYTES", 1 << 9)
    monkeypatch.setattr("rosenblatt.data.sources.text_blocks.BLOCK", 1 << 8)
    X, y, _, _ = recorded(2, "rosenblatt", "last", {})
    lines = [",".join(f"{v:g}" for v in row[:4]) + f",c{label}" for row, label in zip(X, y, strict=True)]
    (tmp_path / "rows.csv").write_text("a,b,c,d,y\n" + "\n".join(lines) + "\n")
    source = read(str(tmp_path / "rows.csv"))
    assert source.n_parts > 2
    run = StreamRun(source, StreamSettings(rule="rosenblatt", epochs=3, order="shuffled", seed=1))
    run.recorder = UpdateRecorder()
    run.go()
    record = run.recorder.finish("last", 1.0)
    assert record.n_rows == 80
    np.testing.assert_allclose(replayed(X, record, 1)[0], run.state.returned_weights(), atol=1e-9)


def test_a_record_comes_back_from_its_file(tmp_path):
    _, _, _, record = recorded(2, "alma", "averaged", {})
    save_update_record(record, tmp_path / "r")
    again = load_update_record(tmp_path / "r")
    assert again.updates.tolist() == record.updates.tolist()
    assert (again.n_steps, again.digest, again.keep) == (record.n_steps, record.digest, record.keep)
    assert (tmp_path / "r").stat().st_size < 40 * len(record.updates) + 2000


@pytest.mark.parametrize("rule", ["second_order", "adagrad", rules.Arow(covariance="full")])
def test_rules_whose_updates_cannot_be_replayed_are_refused_with_those_that_can(rule):
    with pytest.raises(BadInput, match=r"use 'rosenblatt', .*'arow'"):
        refuse_unrecordable(rules.as_rule(rule), "averaged")
    with pytest.raises(BadInput, match="keep='averaged'"):
        refuse_unrecordable(rules.Rosenblatt(), "pocket")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    r = np.random.default_rng(0)
    words = r.choice(["a fine day", "a poor day", "a fine poor day"], 200)
    lines = [
        f"{word},{r.normal():.2f},{'yes' if r.random() < 0.9 * ('fine' in word) else 'no'}"
        for word in words
    ]
    Path("rows.csv").write_text("says,level,kind\n" + "\n".join(lines) + "\n")
    return lines


@pytest.mark.parametrize("more", [(), ("--hold-out", "0.3"), ("--rule", "alma"), ("--order", "given")])
def test_explain_because_lists_training_rows_whose_shares_sum_to_the_lead(here, more):
    base = ("fit", "rows.csv", "--target", "kind", "--text", "says", "--effort", "none")
    succeed(*base, "--out", "m.safetensors", "--record", "r.rec", *more)
    because = ("--because", "rows.csv", "--record", "r.rec", "--top", 1000, "--json")
    found = json.loads(succeed("explain", "m.safetensors", "rows.csv", "--rows", 5, *because).stdout)
    plain = json.loads(succeed("explain", "m.safetensors", "rows.csv", "--rows", 5, "--json").stdout)
    for each, one in zip(found, plain, strict=True):
        assert each["total"] == pytest.approx(one["margin"], rel=1e-8, abs=1e-9)
        shares = [share["share"] for share in each["positive"] + each["negative"]]
        assert sum(shares) == pytest.approx(each["total"], rel=1e-8, abs=1e-9)
        for share in each["positive"]:
            line = here[share["row"] - 2]
            assert line.endswith(share["label"])
            assert line.startswith(share["text"].split(" | ")[0])


def test_another_training_file_and_missing_options_are_refused(here):
    base = ("fit", "rows.csv", "--target", "kind", "--text", "says", "--effort", "none")
    succeed(*base, "--out", "m.safetensors", "--record", "r.rec")
    lines = Path("rows.csv").read_text().splitlines()
    Path("other.csv").write_text("\n".join([lines[0], lines[2], lines[1], *lines[3:]]) + "\n")
    refused = run_command(
        "explain", "m.safetensors", "rows.csv", "--because", "other.csv", "--record", "r.rec"
    )
    assert "is not the training file of this record" in refused.output
    assert "--record" in run_command("explain", "m.safetensors", "rows.csv", "--because", "rows.csv").output
    assert "use 'rosenblatt'" in run_command(*base, "--rule", "adagrad", "--record", "r2.rec").output
    succeed(*base, "--out", "m2.safetensors", "--epochs", 2)
    refused = run_command(
        "explain", "m2.safetensors", "rows.csv", "--because", "rows.csv", "--record", "r.rec"
    )
    assert "give the record of the model's run" in refused.output
