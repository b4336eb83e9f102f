"""The benchmarks: each is found by its name and by its room."""

from __future__ import annotations

from pathlib import Path

import pytest

import rosenblatt
from benchmarks import __main__ as benchmarks
from benchmarks.learning import drift

HERE = Path(benchmarks.__file__).parent
ON_A_DEVICE = {"learning.gpu", "learning.gpu_many"}


def test_every_benchmark_is_in_a_room_of_the_package_and_in_the_list():
    files = [path for path in HERE.glob("*/*.py") if "\ndef main(" in path.read_text()]
    assert {f"{path.parent.name}.{path.stem}" for path in files} == {*benchmarks.PLACES, *ON_A_DEVICE}
    assert all((Path(rosenblatt.__file__).parent / path.parent.name).is_dir() for path in files)


@pytest.mark.parametrize("stream", [drift.abrupt, drift.gradual])
def test_small_steps_follow_a_target_that_moves_best(stream):
    """What README says, on the first rows of the streams that are made."""
    X, y = (part[:6_000] for part in stream())
    small = drift.ours((X, y), drift.RULES["passive_aggressive_1, C = 0.01"])
    others = ("rosenblatt", "passive_aggressive_1, C = 1", "forgetting")
    assert all(small < drift.ours((X, y), drift.RULES[name]) - 0.03 for name in others)


def test_names_and_rooms_choose_and_others_are_refused():
    assert benchmarks.chosen([]) == list(benchmarks.PLACES)
    assert benchmarks.chosen(["proof", "dense"]) == ["engine.dense", "proof.separate", "proof.halfspaces"]
    with pytest.raises(SystemExit, match=r"speed: no such benchmark; there are cli\.startup"):
        benchmarks.chosen(["dense", "speed"])
