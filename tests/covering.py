"""Few cases out of many combinations: each pair of choices once, or each choice once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import Any

import pytest

from rosenblatt import rules

Case = tuple[int, ...]


def covering(*factors: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Cases in which every two choices of two factors meet at least once; the same ones every time.

    >>> covering("ab", "xy", [1, 2])
    [('a', 'x', 1), ('a', 'y', 2), ('b', 'x', 2), ('b', 'y', 1)]
    """
    return _choices_of(_pairwise(_sizes(factors)), factors)


def in_turn(*factors: Sequence[Any]) -> list[tuple[Any, ...]]:
    """As many cases as the longest factor has choices, in which each choice of each factor occurs.

    >>> in_turn("abc", [1, 2])
    [('a', 1), ('b', 2), ('c', 1)]
    """
    return _choices_of(_by_turns(_sizes(factors)), factors)


def all_pairs(*factors: Sequence[Any]) -> list[Any]:
    """All combinations, for parametrize: `covering` in ``make test``, the others in ``make test-matrix``.

    Faults that need three choices to meet are rare, so the others are seldom worth their time.
    """
    return _parameters(_pairwise(_sizes(factors)), factors)


def all_turns(*factors: Sequence[Any]) -> list[Any]:
    """All combinations, for parametrize: `in_turn` in ``make test``, the others in ``make test-matrix``.

    For what asks another test's question once more: there the pairs have met already.
    """
    return _parameters(_by_turns(_sizes(factors)), factors)


def once_for_arrays(names: Iterable[str]) -> list[Any]:
    """Names of rules, for parametrize: of those that keep arrays AROW alone in ``make test``, the others in
    ``make test-matrix``. Their loops are made of the same parts, and each takes seconds to compile."""
    return [
        pytest.param(name, marks=pytest.mark.matrix)
        if name != "arow" and rules.keeps_arrays(rules.RULES[name])
        else name
        for name in names
    ]


def case_id(choice: Any) -> str:
    """An id that is the same in every process: a function has an address in its text."""
    return str(getattr(choice, "__name__", getattr(choice, "name", choice)))


def _sizes(factors: Sequence[Sequence[Any]]) -> list[int]:
    return [len(choices) for choices in factors]


def _pairwise(sizes: Sequence[int]) -> list[Case]:
    every = product(*([(factor, choice) for choice in range(size)] for factor, size in enumerate(sizes)))
    missing = dict.fromkeys(pair for case in every for pair in combinations(case, 2))
    cases = []
    while missing:
        chosen = dict(next(iter(missing)))
        for factor, size in enumerate(sizes):
            if factor not in chosen:
                gains = [_gain(missing, chosen, (factor, choice)) for choice in range(size)]
                chosen[factor] = gains.index(max(gains))
        case = sorted(chosen.items())
        for pair in combinations(case, 2):
            missing.pop(pair, None)
        cases.append(tuple(choice for _, choice in case))
    return cases


def _gain(missing: dict[Any, None], chosen: dict[int, int], new: tuple[int, int]) -> int:
    return sum(tuple(sorted((new, old))) in missing for old in chosen.items())


def _by_turns(sizes: Sequence[int]) -> list[Case]:
    return [tuple(turn % size for size in sizes) for turn in range(max(sizes))]


def _choices_of(cases: Sequence[Case], factors: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    return [tuple(choices[k] for choices, k in zip(factors, case, strict=True)) for case in cases]


def _parameters(first: Sequence[Case], factors: Sequence[Sequence[Any]]) -> list[Any]:
    rest = [case for case in product(*map(range, _sizes(factors))) if case not in set(first)]
    return [
        *_choices_of(first, factors),
        *(pytest.param(*case, marks=pytest.mark.matrix) for case in _choices_of(rest, factors)),
    ]
