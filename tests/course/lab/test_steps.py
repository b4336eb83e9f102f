"""Step by step: the page's run is the trace that Python makes, whatever the settings."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.course.lab.chapters import CHAPTERS
from rosenblatt.course.lab.chapters.training_steps import MOST_STEPS, runs
from rosenblatt.course.lectures import EXAMPLES
from rosenblatt.errors import BadInput

STEPS = CHAPTERS["steps"]


def test_every_run_of_the_notes_can_be_loaded():
    assert len(runs()) == sum(len(example.runs()) for example in EXAMPLES.values())
    assert {name.split(":")[0] for name in runs()} == set(EXAMPLES) - {
        "001-line",
        "001-exercise",
        "001-origin",
    }


def test_the_cycle_of_the_notes_is_announced_and_its_slip_named():
    answer = STEPS.answer({"example": "003-cycle: without offset"})
    assert answer.numbers["cycle"] == [3, 3, 1.0, 2]
    assert "this run never ends" in answer.sentences[0]
    assert answer.sentences[-1].startswith("An error in the notes: the first update drops the sign of y")


def test_the_addition_of_the_notes_is_one_step():
    answer = STEPS.answer({"example": "001-addition"})
    assert answer.numbers["w"] == [-1.0, 2.0]
    assert answer.numbers["looks"] == 1


def test_a_run_without_an_end_is_cut_and_reported():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 2)).round(2).tolist()
    labels = rng.choice([-1, 1], 60).tolist()
    answer = STEPS.answer({"points": points, "labels": labels, "order": "shuffled"})
    assert answer.numbers["looks"] == MOST_STEPS
    assert "The page records the first 20,000 steps" in answer.sentences[1]


DRAWABLE = [name for name, run in runs().items() if len(run.points[0]) == len(set(run.labels)) == 2]


def test_a_part_may_be_named_by_its_number_as_everywhere():
    by_number, by_name = ({"example": f"xor: {part}"} for part in (2, "(x·z)²"))
    assert STEPS.answer(by_number).numbers == STEPS.answer(by_name).numbers
    assert STEPS.offers["numbered"]["xor: 2"] == "xor: (x·z)²"
    assert STEPS.offers["numbered"]["001-perceptron: 1"] == "001-perceptron"
    assert set(STEPS.offers["numbered"].values()) == set(runs())
    with pytest.raises(BadInput, match="example: got 'xor: 5'"):
        STEPS.answer({"example": "xor: 5"})


@pytest.mark.parametrize("name", DRAWABLE)
def test_an_example_gone_on_from_is_the_example(name):
    offered = STEPS.offers["examples"][name]
    loaded, own = STEPS.answer({"example": name}), STEPS.answer(offered)
    assert own.numbers["w"] == loaded.numbers["w"]
    assert own.numbers["mistakes"] == loaded.numbers["mistakes"]
    assert own.numbers["cycle"] == loaded.numbers["cycle"]


def test_a_search_among_many_points_is_cut_sooner():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(2000, 2)).round(2).tolist()
    labels = rng.choice([-1, 1], 2000).tolist()
    answer = STEPS.answer({"points": points, "labels": labels, "order": "worst_mistake"})
    assert answer.numbers["looks"] == 2000
    assert "The page records the first 2,000 steps" in answer.sentences[1]
