"""The benchmarks: each is found by its name and by its room."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rosenblatt
from benchmarks import __main__ as benchmarks
from benchmarks import ratios
from benchmarks.learning import drift
from benchmarks.timing import Figure

HERE = Path(benchmarks.__file__).parent
ON_A_DEVICE = {"learning.gpu", "learning.gpu_many"}


def test_every_benchmark_is_in_a_room_of_the_package_and_in_the_list():
    files = [path for path in HERE.glob("*/*.py") if "\ndef main(" in path.read_text()]
    assert {f"{path.parent.name}.{path.stem}" for path in files} == {*benchmarks.PLACES, *ON_A_DEVICE}
    assert all((Path(rosenblatt.__file__).parent / path.parent.name).is_dir() for path in files)


@pytest.mark.parametrize("stream", [drift.abrupt, drift.gradual])
def test_small_steps_follow_a_target_that_moves_best(stream):
    """Small steps have the smallest error on the first rows of the streams of the drift benchmark."""
    X, y = (part[:6_000] for part in stream())
    small = drift.ours((X, y), drift.RULES["passive_aggressive_1, C = 0.01"])
    others = ("rosenblatt", "passive_aggressive_1, C = 1", "forgetting")
    assert all(small < drift.ours((X, y), drift.RULES[name]) - 0.03 for name in others)


def test_names_and_rooms_choose_and_others_are_refused():
    assert benchmarks.chosen([]) == list(benchmarks.PLACES)
    assert benchmarks.chosen(["proof", "dense"]) == ["engine.dense", "proof.separate", "proof.halfspaces"]
    with pytest.raises(SystemExit, match=r"speed: no such benchmark; there are cli\.startup"):
        benchmarks.chosen(["dense", "speed"])


def test_the_picture_has_every_job_with_a_peer_also_where_the_peer_is_faster(tmp_path):
    path, picture = tmp_path / "build" / "ratios.json", tmp_path / "ratios.png"
    ratios.keep([Figure("a", "1 s", "2 s", 2.0, 1.0, "", "X"), Figure("memory", "", "", 1.1, 1.0)], path)
    ratios.keep(
        [Figure("b", "2 s", "1 s", 0.5, 1.0, "", "Y"), Figure("a", "", "", 3.0, 1.0, "", "X")], path
    )
    assert json.loads(path.read_text()) == {"a   against X": 3.0, "b   against Y": 0.5}
    ratios.draw(path, picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
