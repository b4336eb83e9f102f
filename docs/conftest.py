"""Skip the examples of a page if a module that they import is not installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

NEEDED = {
    "from_scikit_learn.md": ("sklearn.callback", "callbacks need scikit-learn 1.9"),
    "streams.md": ("duckdb", "an example reads a DuckDB relation; install duckdb"),
}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Skip the page."""
    module, reason = NEEDED.get(item.path.name, ("pytest", ""))
    if find_spec(module) is None:
        item.add_marker(pytest.mark.skip(reason=reason))
