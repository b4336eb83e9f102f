"""Pictures are drawn without a display, and none is left open."""

from __future__ import annotations

import pytest


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    plt.close("all")
    yield plt
    plt.close("all")


@pytest.fixture
def legend():
    """The texts of a legend."""
    return lambda ax: [text.get_text() for text in ax.get_legend().texts]
