"""A rule is its own file and one line of registration: everything else learns of it from itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner

from rosenblatt import KernelPerceptron, Learner, Perceptron, kernels, load, rules, trace
from rosenblatt.cli.main import main
from rosenblatt.errors import BadInput
from rosenblatt.rules import ABOVE_ZERO, Facts, TwoClaims, step, threshold
from rosenblatt.training.online.example_teachers import Adversarial, play

# ---------------------------------------------------------------- its file


class Tenth(NamedTuple):
    """w ← w + y·x/of on a mistake: Rosenblatt's rule, with a rate that is said the other way round."""

    of: float = 10.0

    @staticmethod
    def facts() -> Facts:
        return Facts(
            "adds a tenth of the example on a mistake",
            ranges={"of": ABOVE_ZERO},
            is_additive=True,
            is_fixed=True,
            has_rosenblatts_bound=True,
        )

    def claims(self) -> TwoClaims:
        return TwoClaims(1.0 / self.of)


@threshold.of(Tenth)
def _(rule, memory, label, x2):
    return 0.0


@step.of(Tenth)
def _(rule, memory, agreement, x2, w2):
    return 1.0 / rule.of, 1.0, memory


# ---------------------------------------------------------------- its line


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setitem(rules.RULES, "tenth", Tenth)


# ---------------------------------------------------------------- and all that knows of it

X = np.array([[2.0, 1.0], [0.0, 2.0], [-1.0, 1.0], [3.0, -1.0], [-2.0, -2.0], [1.0, 3.0]])
Y = np.array([1, -1, -1, 1, -1, 1])


def test_estimators_kernels_learners_teachers_and_traces_take_its_name():
    both = (rules.Rosenblatt(0.1), "tenth")
    ours, own = (Perceptron(rule=rule, random_state=0).fit(X, Y) for rule in both)
    assert own.coef_.tolist() == ours.coef_.tolist()
    ours, own = (
        KernelPerceptron(kernels.Polynomial(2), rule=rule, random_state=0, epochs=3).fit(X, Y)
        for rule in both
    )
    assert own.decision_function(X).tolist() == ours.decision_function(X).tolist()
    game = play(Learner(rule="tenth", offset=False), Adversarial(margin=0.25, n_features=3), rounds=100)
    assert game.mistakes[-1] == 16 == round(game.bound[-1], 9)
    assert trace(X, Y, rule="tenth", epochs=3).steps[0].weights == (0.2, 0.1)
    assert rules.two_claims("tenth").rate == 0.1


def test_its_parameters_are_checked_by_its_own_ranges():
    with pytest.raises(BadInput, match=r"^Tenth.of: expected a finite number above 0, got 0.0$"):
        Perceptron(rule=Tenth(of=0)).fit(X, Y)


def test_sentences_name_it_among_the_others():
    with pytest.raises(BadInput, match="'adagrad', 'tenth'"):
        Perceptron(rule="twentieth").fit(X, Y)
    with pytest.raises(BadInput, match=r"use 'rosenblatt', .* or 'tenth'"):
        KernelPerceptron(rule="alma").fit(X, Y)


def test_the_command_line_lists_it_and_learns_by_it(tmp_path):
    help_text = CliRunner().invoke(main, ["fit", "--help-all"]).output
    assert "tenth" in help_text
    assert "adds a tenth of the example on a mistake" in " ".join(help_text.split())
    train = tmp_path / "train.csv"
    train.write_text("a,b,y\n" + "".join(f"{a},{b},{y}\n" for (a, b), y in zip(X, Y, strict=True)))
    out = tmp_path / "model.safetensors"
    options = ["--rule", "tenth", "--set", "of=4", "--out", str(out), "--quiet"]
    done = CliRunner().invoke(main, ["fit", str(train), *options])
    assert done.exit_code == 0, done.output
    assert load(out).rule == Tenth(4.0)
