"""Fixtures for the tests of rules: naive references, data, and a look-by-look replay."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from rosenblatt import rules
from tests.rules import naive_rules

EVERY_RULE: dict[str, dict[str, float]] = {
    "rosenblatt": {"rate": 0.3},
    "margin": {"tau": 0.7, "rate": 0.3},
    "uneven_margin": {"tau_positive": 1.1, "tau_negative": 0.2, "rate": 0.3},
    "passive_aggressive": {},
    "passive_aggressive_1": {"C": 0.2},
    "passive_aggressive_2": {"C": 0.7},
    "alma": {"alpha": 0.6},
    "romma": {},
    "aggressive_romma": {},
    "forgetting": {"fade": 3.0},
}
"""Each rule with parameters other than its defaults, so that a rule that ignores them fails a test. Rules
that store arrays are tested in `test_confident_rules`."""


@pytest.fixture(scope="session", params=EVERY_RULE)
def both(request) -> tuple[Any, Callable[..., Any]]:
    """Each rule twice: ours, and the naive one with the same parameters."""
    parameters = EVERY_RULE[request.param]
    return rules.RULES[request.param](**parameters), partial(
        getattr(naive_rules, request.param), **parameters
    )
