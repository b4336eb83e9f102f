"""`rosenblatt fit`, `predict`, `convert`, `export` and checkpoints."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rosenblatt import BadInput, Perceptron, load, read
from rosenblatt.cli.exits import BAD_USE
from rosenblatt.course.lectures import EXAMPLES
from rosenblatt.data.sources import read_table
from tests.cli.runner import run_command, succeed
from tests.patience import HANGS

COMMAND = [sys.executable, "-m", "rosenblatt.cli.main"]


@pytest.fixture
def workdir(tmp_path, monkeypatch):
    """A folder with svmlight, csv and VW text of the same rows, and other rows to test on."""
    monkeypatch.chdir(tmp_path)
    r = np.random.default_rng(0)
    w = r.normal(size=5)
    for name, n in (("train", 300), ("test", 100)):
        X = np.round(r.normal(size=(n, 5)), 3)
        y = np.where(X @ w > 0.1, 1, -1)
        Path(f"{name}.svm").write_text(
            "".join(
                f"{label:+d} " + " ".join(f"{j}:{v!r}" for j, v in enumerate(row, 1)) + "\n"
                for row, label in zip(X.tolist(), y.tolist(), strict=True)
            )
        )
        Path(f"{name}.csv").write_text(
            "a,b,c,d,e,kind\n"
            + "".join(
                ",".join(map(repr, row)) + f",{'spam' if label > 0 else 'ham'}\n"
                for row, label in zip(X.tolist(), y.tolist(), strict=True)
            )
        )
        Path(f"{name}.vw").write_text(
            "".join(
                f"{label} |f " + " ".join(f"{c}:{v!r}" for c, v in zip("abcde", row, strict=True)) + "\n"
                for row, label in zip(X.tolist(), y.tolist(), strict=True)
            )
        )
    return tmp_path


def test_fit_learns_what_the_estimator_learns(workdir):
    succeed("fit", "train.svm", "--out", "m.safetensors", "--epochs", 3, "--order", "shuffled", "--seed", 4,
         "--rule", "rosenblatt")  # fmt: skip
    X, y, _ = read_table("train.svm")
    model = Perceptron(keep="averaged", epochs=3, random_state=4).fit(X, y)
    loaded = load("m.safetensors")
    assert loaded.coef_.tobytes() == model.coef_.tobytes()
    assert loaded.intercept_.tobytes() == model.intercept_.tobytes()
    assert loaded.mistakes_ == model.mistakes_
    assert loaded.get_params()["keep"] == "averaged"


def test_json_is_one_document(workdir):
    facts = json.loads(succeed("fit", "train.svm", "--test", "test.svm", "--json", "--epochs", 2).stdout)
    assert facts["examples"] == 300
    assert len(facts["passes"]) == 2
    assert facts["classes"] == [-1, 1]
    assert [line["examples"] for line in facts["progressive"]] == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    for counted in (facts, *facts["passes"], *facts["progressive"]):
        assert counted["mistakes"] == counted["false_positives"] + counted["false_negatives"]
    assert 0 <= facts["test"]["error"] < 0.3
    assert sum(map(sum, facts["test"]["confusion"])) == 100


def test_the_progressive_error_is_printed_with_verbose(workdir):
    lines = succeed("fit", "train.svm", "--verbose").stderr.splitlines()
    assert lines[0].split() == [
        "examples", "mistakes", "false", "pos.", "false", "neg.", "error", "since", "last",
    ]  # fmt: skip
    assert lines[1].split()[:2] == ["1", "1"]
    for line in lines[1:]:
        _, mistakes, false_positives, false_negatives, *_ = map(float, line.split())
        assert mistakes == false_positives + false_negatives
    assert [line.split()[0] for line in lines[1:]] == [*(str(2**k) for k in range(9)), "300"]
    assert succeed("fit", "train.svm").stderr == ""


def test_answers_equal_those_of_predict(workdir):
    succeed("fit", "train.csv", "--numbers", "given", "--out", "m.safetensors")
    answers = succeed("predict", "m.safetensors", "test.csv").stdout.split()
    X = pd.read_csv("test.csv").drop(columns="kind")
    assert answers == load("m.safetensors").predict(X).tolist()
    scored = succeed("predict", "m.safetensors", "test.csv", "--scores").stdout.splitlines()
    values = load("m.safetensors").decision_function(X)
    assert [float(line.split("\t")[1]) for line in scored] == values.tolist()
    succeed("predict", "m.safetensors", "test.csv", "--out", "answers.txt")
    assert Path("answers.txt").read_text().split() == answers


def test_inspect_names_the_largest_weights(workdir):
    succeed("fit", "train.csv", "--out", "m.safetensors")
    facts = json.loads(succeed("inspect", "m.safetensors", "--json").stdout)
    model = load("m.safetensors")
    (learned,) = facts["learned"]
    features = learned["positive"] + learned["negative"]
    assert {each["feature"]: each["weight"] for each in features} == model.weights_by_name()
    assert facts["mistakes"] == model.mistakes_
    assert "Largest weights for spam" in succeed("inspect", "m.safetensors").output


ROWS_AND_COPIES = [
    *(("train.svm", to) for to in ("svm", "svm.gz", "parquet", "arrow", "npz", "vw.xz")),
    *(("train.csv", to) for to in ("csv", "tsv.zst", "parquet", "arrow", "npz")),
]


@pytest.mark.parametrize(("name", "to"), ROWS_AND_COPIES)
def test_converted_rows_give_the_same_model(workdir, name, to):
    succeed("convert", name, f"other.{to}")
    is_array = (name, to) == ("train.csv", "npz")  # without columns to scale
    as_given = ("--numbers", "given") if is_array else ()
    ours = json.loads(succeed("fit", name, "--json", *as_given).stdout)
    theirs = json.loads(succeed("fit", f"other.{to}", "--json").stdout)
    assert ours["mistakes"] == theirs["mistakes"]
    assert name == "train.svm" or ours["classes"] == theirs["classes"]


def test_a_bad_line_is_named_and_nothing_is_saved(workdir):
    with open("train.svm", "a") as file:
        file.write("+1 1:0.5 2:x\n")
    result = run_command("fit", "train.svm", "--out", "m.safetensors")
    assert result.exit_code == 65
    assert "train.svm line 301, column 12: value 'x' is not a number; write index:number" in result.stderr
    assert not os.path.exists("m.safetensors")
    result = succeed("fit", "train.svm", "--skip-bad", 1, "--out", "m.safetensors")
    assert "skipped      1 malformed line" in result.output


def test_results_do_not_overwrite_what_is_read(workdir):
    succeed("fit", "train.svm", "--out", "m.safetensors")
    before = Path("test.svm").read_bytes(), Path("m.safetensors").read_bytes()
    for words in (
        ["predict", "m.safetensors", "test.svm", "--out", "test.svm"],
        ["predict", "m.safetensors", "test.svm", "--out", "m.safetensors"],
        ["export", "m.safetensors", "--onnx", "m.safetensors"],
    ):
        assert "is an input file; give another name" in run_command(*words).stderr
    assert before == (Path("test.svm").read_bytes(), Path("m.safetensors").read_bytes())


def test_the_report_of_a_run_without_offset_refers_to_hyperplanes_through_the_origin(tmp_path):
    rows, page = tmp_path / "rows.csv", tmp_path / "r.html"
    rows.write_text("a,y\n1,n\n2,p\n1.5,n\n2.5,p\n")  # a threshold at 1.75 separates them
    succeed("fit", rows, "--target", "y", "--numbers", "given", "--no-offset", "--report", page)
    assert "cannot be separated by a hyperplane through the origin" in page.read_text()


def test_export_writes_a_model_that_onnxruntime_runs(workdir):
    onnxruntime = pytest.importorskip("onnxruntime")
    succeed("fit", "train.svm", "--out", "m.safetensors")
    succeed("export", "m.safetensors", "--onnx", "m.onnx")
    X, _, _ = read_table("test.svm")
    (answers,) = onnxruntime.InferenceSession("m.onnx").run(["label"], {"X": X.toarray()})
    assert answers.tolist() == load("m.safetensors").predict(X).tolist()


# ---------------------------------------------------------------- checkpoints


@pytest.fixture
def slow(workdir):
    """A larger file, so that there is time to interrupt."""
    Path("large.svm").write_text(Path("train.svm").read_text() * 400)
    return workdir


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_writes_a_checkpoint_and_the_same_command_continues(slow):
    checkpoint = ["--checkpoint", "m.safetensors.checkpoint", "--every", "0s"]
    words = [
        "fit",
        "large.svm",
        "--epochs",
        "60",
        "--out",
        "m.safetensors",
        "--order",
        "shuffled",
        *checkpoint,
    ]
    pipe = subprocess.PIPE
    process = subprocess.Popen([*COMMAND, *words], stderr=pipe, stdout=pipe, text=True)
    while not os.path.exists(checkpoint[1]) and process.poll() is None:  # training has not begun
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=HANGS)
    assert process.returncode == 130, message
    assert "The run is saved in m.safetensors.checkpoint; resume with:" in message
    assert os.path.exists("m.safetensors.checkpoint")
    assert not os.path.exists("m.safetensors")
    result = succeed(*words)
    assert "Resuming from m.safetensors.checkpoint, after" in result.stderr
    assert not os.path.exists("m.safetensors.checkpoint")
    succeed(*words[:4], "--out", "whole.safetensors", "--order", "shuffled")
    assert load("m.safetensors").coef_.tobytes() == load("whole.safetensors").coef_.tobytes()


def test_answers_are_written_whole_or_not_at_all(workdir):
    succeed("fit", "train.svm", "--out", "m.safetensors")
    Path("answers.txt").write_text("the old ones\n")
    with open("test.svm", "a") as file:
        file.write("+1 1:x\n")
    assert run_command("predict", "m.safetensors", "test.svm", "--out", "answers.txt").exit_code == 65
    assert Path("answers.txt").read_text() == "the old ones\n"
    result = succeed("predict", "m.safetensors", "test.svm", "--out", "answers.txt", "--skip-bad", 1)
    assert "1 malformed line skipped" in result.stderr
    assert len(Path("answers.txt").read_text().splitlines()) == 100


def test_a_closed_pipe_ends_the_predictions(workdir):
    succeed("fit", "train.svm", "--out", "m.safetensors")
    Path("long.svm").write_text(Path("test.svm").read_text() * 500)
    words = " ".join([*COMMAND, "predict", "m.safetensors", "long.svm"])
    command = ["bash", "-c", f"set -o pipefail; {words} | head -1"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 141
    assert result.stdout.strip() in ("1", "-1")
    assert "Traceback" not in result.stderr


def test_a_loaded_model_makes_the_same_of_a_table_in_memory(workdir):
    """Numbers are scaled, gaps marked, and words it never met left out, as the command line does it."""
    rows = [
        f"{i % 7},{('red', 'blue', '')[i % 3]},{'good fun' if i % 2 else 'no good at all'},{i % 2}"
        for i in range(60)
    ]
    Path("mixed.csv").write_text("\n".join(["size,colour,says,kind", *rows]) + "\n")
    succeed("fit", "mixed.csv", "--text", "says", "--out", "m.safetensors")
    table = pd.read_csv("mixed.csv").assign(says=lambda t: t.says + " indeed").drop(columns="kind")
    table.to_csv("new.csv", index=False)
    model = load("m.safetensors")
    answers = succeed("predict", "m.safetensors", "new.csv", "--scores").stdout.splitlines()
    assert [line.split("\t")[0] for line in answers] == [str(label) for label in model.predict(table)]
    assert [float(line.split("\t")[1]) for line in answers] == model.decision_function(table).tolist()
    gap = table.assign(size=table["size"].where(table.index > 0))
    assert len(model.predict(gap)) == len(table)  # every row is answered


def test_a_loaded_model_continues_from_columns_until_fit_starts_again(workdir):
    succeed(
        "fit",
        "train.csv",
        "--rule",
        "rosenblatt",
        "--epochs",
        1,
        "--order",
        "given",
        "--out",
        "m.safetensors",
    )
    table = pd.read_csv("train.csv")
    X, y = table.drop(columns="kind"), table["kind"]
    rows = next(read("train.csv", like=load("m.safetensors").reading_).chunks()).X
    by_name = load("m.safetensors").partial_fit(X, y)
    with pytest.warns(UserWarning, match="feature names"):
        by_hand = load("m.safetensors").partial_fit(rows, y)
    assert by_name.coef_.tobytes() == by_hand.coef_.tobytes()
    anew = load("m.safetensors").fit(X, y)
    assert not hasattr(anew, "reading_")
    assert (anew.predict(X) == Perceptron(**anew.get_params()).fit(X, y).predict(X)).all()


def test_rows_that_were_dropped_when_a_model_was_learned_are_refused_when_it_answers(workdir):
    Path("gaps.csv").write_text("a,b,kind\n1,2,x\n3,,y\n2,1,y\n0,3,x\n")
    succeed("fit", "gaps.csv", "--missing", "drop", "--out", "m.safetensors")
    with pytest.raises(BadInput, match="column 'b' has no value"):
        load("m.safetensors").predict(pd.read_csv("gaps.csv").drop(columns="kind"))


# ---------------------------------------------------------------- --textbook


@pytest.mark.parametrize(
    ("key", "part"), [("001-perceptron", "run"), ("003-cycle", "with offset"), ("order", "in order")]
)
def test_textbook_has_the_numbers_of_the_notes(workdir, key, part):
    example = EXAMPLES[key].runs()[part]
    pd.DataFrame(example.points).assign(y=example.labels).to_csv("points.csv", index=False)
    offset = "--offset" if example.settings.get("offset", True) else "--no-offset"
    tie = example.settings.get("tie", "mistake")
    words = ["points.csv", "--textbook", offset, "--tie", tie, "--until-separated"]
    steps = example.run()
    found = json.loads(succeed("fit", *words, "--json").stdout)
    assert (found["weights"], found["offset"]) == (steps.weights.tolist(), steps.offset)
    assert found["mistakes"] == steps.mistakes
    shown = ", ".join(f"{w:g}" for w in steps.weights)
    assert f"w = ({shown}), b = {steps.offset:g}" in succeed("fit", *words).stdout


@pytest.mark.parametrize(
    "words",
    [
        ("--rule", "arow"), ("--set", "rate=2"), ("--keep", "averaged"), ("--order", "shuffled"),
        ("--numbers", "standard"), ("--guess",), ("--effort", "quick"), ("--class-weight", "balanced"),
    ],
)  # fmt: skip
def test_textbook_refuses_options_that_change_the_run(workdir, words):
    refused = run_command("fit", "train.csv", "--textbook", *words)
    assert refused.exit_code == BAD_USE
    assert f"{words[0]}: not with --textbook" in refused.output
