"""The faults of `make mutants` can still be made: what they change is where they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutants import MUTANTS, place, room_of

ROOT = Path(__file__).parents[1]


def test_there_are_thirty_each_another_one():
    assert len(set(MUTANTS)) == 30


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.function)
def test_each_has_its_place_and_tests_that_should_notice(mutant):
    path, faulty = place(mutant, ROOT / "src")
    assert faulty != path.read_text(encoding="utf-8")
    compile(faulty, str(path), "exec")
    assert room_of(mutant, ROOT)
