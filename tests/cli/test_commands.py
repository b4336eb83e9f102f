"""General options, `demo`, and the list of worked examples."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import Perceptron
from rosenblatt.cli.main import main
from rosenblatt.course.lectures import EXAMPLES
from tests.cli.runner import run_command


def test_version():
    result = run_command("--version")
    assert result.exit_code == 0
    assert result.output == f"rosenblatt, version {rosenblatt.__version__}\n"


@pytest.mark.parametrize("command", [[], *([name] for name in main.commands)], ids=str)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_shows_an_example_that_can_be_typed(command, flag):
    result = run_command(*command, flag)
    assert result.exit_code == 0
    shown = result.output.partition("Example")[2].partition("\n\n")[0]
    examples = re.findall(r"^ .*\brosenblatt (\S+)", shown, re.MULTILINE)
    assert examples
    for first in examples:
        assert first in main.commands
        assert not command or first == command[0]


# ---------------------------------------------------------------- demo


@pytest.fixture(scope="module")
def report():
    result = run_command("demo")
    assert result.exit_code == 0, result.output
    return result.output


def test_demo_compares_the_averaging_strategies_and_a_peer(report):
    assert "379 training rows, 190 held out" in report
    for keep in ("last", "averaged", "voted", "pocket"):
        assert f"rosenblatt, keep='{keep}'" in report
    assert re.search(r"scikit-learn Perceptron +\d+\.\d % +\d+\.\d % +not counted", report)


def test_demo_prints_what_python_computes(report):
    X, target = load_breast_cancer(return_X_y=True)
    y = np.array(["malignant", "benign"])[target]
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=1 / 3, random_state=0, stratify=y)
    scaler = StandardScaler().fit(X_train)
    for keep in ("last", "averaged"):
        model = Perceptron(keep=keep, random_state=0).fit(scaler.transform(X_train), y_train)
        error = 100 * (1 - model.score(scaler.transform(X_test), y_test))
        assert re.search(rf"keep='{keep}' +{error:.1f} % +\d+\.\d % +{model.mistakes_}\b", report)


def test_demo_proves_whether_the_tumours_can_be_separated(report):
    assert "can be separated by a hyperplane (379 rows of 30 features)" in " ".join(report.split())
    assert "The proof was checked in exact arithmetic." in report


def test_demo_is_reproduced_by_its_seed(report):
    def numbers(text):
        timeless = re.sub(r"Training took .* ms( \(after compiling for .* s, once\))?", "", text)
        return " ".join(timeless.split())

    assert numbers(run_command("demo", "--seed", "0").output) == numbers(report)
    assert numbers(run_command("demo", "--seed", "1").output) != numbers(report)


def test_trace_lists_the_examples():
    result = run_command("trace")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    lines = [line for line in lines if not line.startswith(" ")]
    assert [line.split()[0] for line in lines] == list(EXAMPLES)
    assert all(example.title in line for line, example in zip(lines, EXAMPLES.values(), strict=True))
