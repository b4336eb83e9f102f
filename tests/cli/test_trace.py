"""`rosenblatt trace`: worked examples and files, as text, as a page and as JSON Lines."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rosenblatt import KernelTrace, Trace, trace
from rosenblatt.cli.exits import BAD_USE
from rosenblatt.cli.main import main
from rosenblatt.course.lectures import EXAMPLES, Run


def run(*arguments):
    return CliRunner().invoke(main, ["trace", *arguments])


@pytest.fixture
def workdir(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 2)).round(2)
    names = np.where(X @ [1.0, -2.0] > 0.1, "cat", "dog")
    lines = [f"{a},{b},{name}" for (a, b), name in zip(X.tolist(), names, strict=True)]
    Path("pets.csv").write_text("\n".join(["length,weight,species", *lines, ""]))
    Path("three.csv").write_text("x,y,class\n0,0,a\n1,0,b\n0,1,c\n")
    return X, names


@pytest.mark.parametrize("key", [key for key, example in EXAMPLES.items() if example.runs()])
def test_every_run_of_the_notes_can_be_written_as_a_page(workdir, key):
    for part in EXAMPLES[key].runs():
        result = run("--example", key, "--part", part, "--html", "run.html")
        assert result.exit_code == 0, result.output
        assert "Replay written to run.html" in result.output
        assert Path("run.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_rows_of_a_file_are_traced_as_python_traces_them(workdir):
    X, names = workdir
    result = run("--data", "pets.csv", "--target", "species", "--jsonl", "steps.jsonl", "--rows", "5")
    assert result.exit_code == 0, result.output
    expected = trace(X, names, epochs=None, until="separated")
    assert [step.weights for step in Trace.from_jsonl("steps.jsonl")] == [step.weights for step in expected]
    assert expected.summary() in result.output
    assert f"… {len(expected) - 5} more steps" in result.output


def test_the_settings_of_the_run_can_be_chosen(workdir):
    X, names = workdir
    result = run(
        "--data", "pets.csv", "--no-offset", "--tie", "positive", "--order", "shuffled", "--seed", "4",
        "--epochs", "3", "--jsonl", "steps.jsonl",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    expected = trace(X, names, offset=False, tie="positive", order="shuffled", random_state=4, epochs=3)
    assert [step.index for step in Trace.from_jsonl("steps.jsonl")] == [step.index for step in expected]
    assert Trace.from_jsonl("steps.jsonl").weights.tolist() == expected.weights.tolist()


def test_a_run_that_ended_after_the_passes_asked_for_is_not_said_to_never_end():
    limited = run("--example", "xor", "--epochs", "1").output
    assert "this run never ends" not in limited
    assert "recurs every 4 steps (1 pass, 4 updates): more passes would not end it" in limited


@pytest.mark.parametrize(
    ("words", "steps", "sentence"),
    [
        (["--rows", "2"], 2, "… 4 more steps\n6 steps"),
        (["--rows", "0"], 0, "[run]\n6 steps"),
        (["--max-steps", "1"], 1, "1 step, 1 mistake, 1 update: the run stopped at max_steps"),
        (["--part", "1", "--rows", "5"], 5, "… 1 more step\n"),
        (["--tie", "positive"], 6, "This worked example makes 2 passes; --epochs N makes N passes."),
        (["--tie", "positive", "--epochs", "3"], 9, "the last pass had no mistake"),
    ],
)
def test_a_worked_example_obeys_the_options(words, steps, sentence):
    printed = run("--example", "001-perceptron", *words).output
    assert len(re.findall(r"^ +\d+ +\d+  ", printed, re.MULTILINE)) == steps
    assert sentence in printed


@pytest.mark.parametrize("key", EXAMPLES)
def test_every_part_that_the_list_offers_can_be_shown_by_name_and_by_number(workdir, key):
    for number, name in enumerate(EXAMPLES[key].parts, start=1):
        shown = run("--example", key, "--part", str(number), "--rows", "10000")
        assert (shown.exit_code, shown.output) == (
            0,
            run("--example", key, "--part", name, "--rows", "10000").output,
        )
        part = EXAMPLES[key].parts[name]
        assert str(part.run().report(10000, 1) if isinstance(part, Run) else part) in shown.output


# ---------------------------------------------------------------- kernels


def test_a_run_with_a_kernel_is_traced_as_python_traces_it(workdir):
    X, names = workdir
    result = run(
        "--data", "pets.csv", "--kernel", "polynomial", "--degree", "2", "--gamma", "0.5", "--coef0", "2",
        "--jsonl", "steps.jsonl", "--html", "run.html", "--rows", "3",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    kernel = {"kernel": "polynomial", "degree": 2, "gamma": 0.5, "coef0": 2.0}
    expected = trace(X, names, **kernel, epochs=None, until="separated")
    assert KernelTrace.from_jsonl("steps.jsonl").steps == expected.steps
    assert expected.summary() in result.output
    assert "coefficient  support" in result.output
    assert expected.bound_sentence() in result.output
    assert Path("run.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_the_kernel_of_the_notes_separates_xor_in_two_mistakes_which_is_its_bound():
    xor = ("--example", "xor", "--part", "1", "--kernel", "polynomial", "--degree", "2", "--gamma", "1")
    homogeneous = run(*xor, "--coef0", "0")
    assert "2 mistakes; at most 2 in any order of the points." in homogeneous.output
    assert "the largest margin through the origin in feature space 1.41421" in homogeneous.output
    assert "4 mistakes; at most 4 in any order" in run(*xor).output


def test_where_nothing_separates_in_feature_space_it_is_said():
    result = run("--example", "xor", "--part", "1", "--kernel", "linear", "--max-steps", "3")
    assert (
        "3 mistakes, and no bound: no hyperplane through the origin separates the points in feature space "
        "(proved)." in result.output
    )
    assert "rosenblatt separate" not in result.output


def test_the_list_names_the_parts_and_a_page_says_which_it_shows(workdir):
    assert "--part: 1 = halfspace; 2 = (x·z)²; 3 = " in run().output
    assert (
        "[halfspace], the first of 4 runs; the others: --part 2 to 4"
        in run("--example", "xor", "--html", "x.html").output
    )
    assert (
        "[without offset], the first of 2 runs; the other: --part 2\n"
        in run("--example", "003-cycle", "--html", "x.html").output
    )


def test_a_dash_writes_the_steps_and_nothing_else_to_standard_output(workdir):
    result = run("--data", "pets.csv", "--target", "species", "--jsonl", "-")
    assert result.exit_code == 0, result.output
    assert not Path("-").exists()
    Path("steps.jsonl").write_text(result.stdout, encoding="utf-8")
    assert run("--data", "pets.csv", "--target", "species", "--jsonl", "again.jsonl").exit_code == 0
    assert Path("again.jsonl").read_text("utf-8") == result.stdout
    assert run("--example", "003-cycle", "--jsonl", "-").stdout.startswith('{"format"')
    both = run("--example", "003-cycle", "--jsonl", "-", "--html", "run.html")
    assert both.exit_code == BAD_USE


# ---------------------------------------------------------------- the bound, starts and sums


def test_a_table_has_w_times_w_star_and_the_bound():
    steps = EXAMPLES["001-perceptron"].run()
    claims = steps.check_claims()
    printed = run("--example", "001-perceptron", "--part", "1").output
    cells = [line.split()[-1] for line in printed.splitlines() if re.match(r"^ +\d+ +\d+  ", line)]
    unit = np.array(claims.w_star[:-1])
    assert cells == [f"{unit @ step.weights:g}" for step in steps]
    assert (
        f"At most (R/γ)² = {claims.bound:g} mistakes in any order of the points; this run made 2."
        in printed
    )
    assert "no hyperplane separates the points" in run("--example", "xor", "--part", "1").output


def test_printed_rows_are_counted_from_1_and_json_from_0():
    printed = run("--example", "order", "--part", "2", "--rows", "2").output
    assert "row from 1" in printed
    assert re.findall(r"^ +1 +(\d)  ", printed, re.MULTILINE) == ["3", "2"]
    assert run("--example", "order", "--part", "2", "--jsonl", "-").output.count('"index": 0') == 2
    assert "row from 0" in str(EXAMPLES["order"].run())


@pytest.mark.parametrize(
    ("part", "text", "init"),
    [("1", "1,-0.5", [1, -0.5]), ("1", "unit", "unit"), ("2", "1,-0.5,2", ([1, -0.5], 2.0))],
)
def test_a_run_starts_at_the_given_weights(part, text, init):
    printed = run("--example", "003-cycle", "--part", part, "--init", text)
    assert printed.exit_code == 0, printed.output
    assert EXAMPLES["003-cycle"].run(part, init=init).report(first_row=1) in printed.output


def test_a_start_that_does_not_fit_the_run_is_refused():
    for text, problem in [
        ("1,x", "expected numbers such as"),
        ("1", "1 weights"),
        ("1,1,1", "there is no b"),
    ]:
        refused = run("--example", "001-perceptron", "--init", text)
        assert refused.exit_code != 0
        assert problem in (refused.output or str(refused.exception))


def test_averaged_weights_show_their_running_sum():
    steps = EXAMPLES["001-perceptron"].run()
    printed = run("--example", "001-perceptron", "--keep", "averaged").output
    total = np.sum([step.weights for step in steps], axis=0)
    assert f"({total[0]:g}, {total[1]:g})\n6 steps" in printed
    assert run("--example", "xor", "--kernel", "linear", "--keep", "averaged").exit_code == BAD_USE
