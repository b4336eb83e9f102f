"""One local cluster for all tests of a process: workers of this process where processes do not matter."""

from __future__ import annotations

import gc
import warnings

import numpy as np
import pytest
from distributed import Client, LocalCluster


@pytest.fixture(scope="module", autouse=True)
def garbage_of_clusters():
    """Collect what clusters leave behind, after those of the module have ended.

    distributed may leave sockets of killed workers open; a warning about them would fail a later test.
    """
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(scope="session")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as connected,
    ):
        yield connected


@pytest.fixture(scope="session")
def rows():
    """Rows of two classes that overlap, in pieces of 70."""
    rng = np.random.default_rng(20)
    X = rng.normal(size=(500, 6))
    return X, (X @ rng.normal(size=6) + rng.normal(size=500) > 0.3).astype(int)
