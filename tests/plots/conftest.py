"""Fixtures for the tests of pictures."""

from __future__ import annotations

import pytest


@pytest.fixture
def legend():
    """The texts of a legend."""
    return lambda ax: [text.get_text() for text in ax.get_legend().texts]
