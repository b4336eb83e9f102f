"""Covering sets leave out combinations, but no pair of choices."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from tests.covering import all_pairs, all_turns, covering, in_turn

FACTORS = [range(10), range(4), "abcd", [True, False], "xyz"]


@pytest.mark.parametrize("factors", [FACTORS, FACTORS[::-1], FACTORS[:2], [[1], [2, 3]]], ids=len)
def test_every_two_choices_meet(factors):
    cases = covering(*factors)
    for one, other in combinations(range(len(factors)), 2):
        met = {(case[one], case[other]) for case in cases}
        assert met == set(product(factors[one], factors[other]))


def test_it_is_small_and_the_same_every_time():
    cases = covering(*FACTORS)
    assert cases == covering(*FACTORS)
    assert 40 <= len(cases) < 60  # 10 × 4 pairs need 40 cases; all together there are 960


def test_each_choice_has_its_turn():
    for factor, column in zip(FACTORS, zip(*in_turn(*FACTORS), strict=True), strict=True):
        assert set(column) == set(factor)


@pytest.mark.parametrize(("every", "few"), [(all_pairs, covering), (all_turns, in_turn)])
def test_omitted_confusions_are_in_the_matrix(every, few):
    cases = every(*FACTORS)
    rest = {case.values for case in cases if hasattr(case, "marks")}
    assert len(cases) == 960
    assert rest | set(few(*FACTORS)) == set(product(*FACTORS))
