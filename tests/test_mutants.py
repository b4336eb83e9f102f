"""The faults of `make mutants` can still be made: their fragments and tests are where the list says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.mutants import MUTANTS, Unmade, chosen_mutants, find_tests, place_mutant

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "rosenblatt"


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.where)
def test_the_fault_can_be_made_and_names_tests_that_exist(mutant):
    place = place_mutant(mutant, PACKAGE)
    assert place.text != place.path.read_text(encoding="utf-8")
    compile(place.text, str(place.path), "exec")
    assert find_tests(mutant, ROOT)


def test_there_are_about_150_faults_in_all_packages_and_none_twice():
    assert len(set(MUTANTS)) == len(MUTANTS) >= 150
    packages = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    assert packages <= set(Counter(mutant.package for mutant in MUTANTS))


@pytest.mark.parametrize(
    ("where", "fragment", "reason"),
    [
        ("rules/alma.py", "no such text", "fragment not found in rules/alma.py"),
        ("rules/alma.py", "memory", "fragment found 7 times"),
        ("no/such/file.py", "memory", "fragment not found"),
    ],
)
def test_a_fragment_that_is_not_there_once_is_an_error_of_the_list(where, fragment, reason):
    with pytest.raises(Unmade, match=reason):
        place_mutant(MUTANTS[0]._replace(where=where, fragment=fragment), PACKAGE)


def test_faults_are_chosen_by_number_and_by_package():
    assert list(chosen_mutants(["3", "17"])) == [3, 17]
    assert {mutant.package for mutant in chosen_mutants(["rules"]).values()} == {"rules"}
    assert len(chosen_mutants([])) == len(MUTANTS)
    with pytest.raises(SystemExit, match="no package 'rule'"):
        chosen_mutants(["rule"])
