"""`separate --regression` names the infinite coefficients, and `verify` checks the proof."""

from __future__ import annotations

import json

import pytest

from tests.cli.runner import run_command

PATIENTS = """age,city,smoker,died
20,Rome,yes,0
30,Oslo,no,0
40,Rome,no,1
50,Bern,yes,1
35,Oslo,no,1
45,Rome,no,0
38,Bern,no,0
22,Bern,no,1
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients.csv").write_text(PATIENTS)
    return tmp_path


def run(*words):
    return run_command("separate", "patients.csv", "--regression", *words)


def table(output):
    lines = [line.split() for line in output.splitlines()]
    return {words[0]: words[1] for words in lines if len(words) == 2}


def test_each_level_but_the_first_has_a_row_in_the_table(here):
    done = run("--target", "died")
    assert done.exit_code == 0
    assert "finite estimate" in done.output
    done = run("--target", "smoker")
    assert done.exit_code == 1
    found = table(done.output)
    assert list(found) == ["age", "city=Oslo", "city=Rome", "died", "intercept"]
    assert found["city=Oslo"] == "-inf"
    assert "Row numbers are lines of patients.csv" in done.output


def test_levels_that_are_numbers_are_sorted_by_value(here):
    rows = ["zone,y", *(f"{zone},{y}" for zone in (10, 9, 100) for y in (0, 1))]
    (here / "patients.csv").write_text("\n".join(rows) + "\n")
    done = run("--categories", "zone", "--json")
    assert [each["name"] for each in json.loads(done.output)["coefficients"]] == [
        "zone=10",
        "zone=100",
        "intercept",
    ]


def test_more_than_two_classes_are_a_multinomial_regression(here):
    done = run("--target", "city", "--json")
    facts = json.loads(done.output)
    assert {each["of_class"] for each in facts["coefficients"]} == {"Oslo", "Rome"}
    assert {each["name"] for each in facts["coefficients"]} == {"age", "smoker=yes", "died", "intercept"}


@pytest.mark.parametrize("target", ["died", "smoker", "city"])
def test_a_proof_is_checked_with_the_command_that_is_printed(here, target):
    done = run("--target", target, "--proof", "proof.json")
    command = done.output.splitlines()[-1].partition("Check it with: rosenblatt ")[2].split()
    assert "--regression" in command
    checked = run_command(*command)
    assert checked.exit_code == 0, checked.output
    assert ("Estimates of the coefficients: " in checked.output) == (target != "died")
    (here / "patients.csv").write_text(PATIENTS.replace("20,Rome", "21,Rome"))
    assert run_command(*command).exit_code == 1


def test_numbers_alone_and_files_without_names_have_numbered_columns(here):
    (here / "patients.csv").write_text("1,5,0\n2,6,0\n2,7,1\n3,5,1\n")
    done = run("--json")
    assert [each["name"] for each in json.loads(done.output)["coefficients"]] == [0, 1, "intercept"]


@pytest.mark.parametrize("words", [("--table",), ("--in-pieces",)])
def test_other_questions_cannot_be_combined(here, words):
    done = run(*words)
    assert done.exit_code == 64
    assert "--regression" in done.output


def test_without_time_it_is_not_decided(here):
    done = run("--target", "died", "--time-limit", "0")
    assert done.exit_code == 2
    assert "Not decided" in done.output
