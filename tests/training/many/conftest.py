"""Fixtures for many classes and labels: the engines, the same columns alone, naive references, data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt import Perceptron
from rosenblatt.training import panel_columns, panel_trainer

HERE = Path(__file__).parent


class Engine(NamedTuple):
    """A training loop for several classes, and the rows for which it is chosen."""

    name: str
    rows: Callable[[NDArray[np.float64]], Any]
    from_columns: int  # this number of columns or more is learned in blocks
    rows_exact: Callable[[NDArray[np.float64]], NDArray[Any]]  # the numbers that the rows then have


def as_single(X: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore", under="ignore"):
        return X.astype(np.float32)


def as_csr64(X: NDArray[np.float64]) -> Any:
    """Compressed rows with 64-bit indices: those of a very large matrix."""
    rows = sparse.csr_array(as_single(X))
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    return rows


ENGINES = [
    Engine("in blocks, double", np.asarray, 1, np.asarray),
    Engine("in blocks, single", as_single, 1, as_single),
    Engine("row by row, double", np.asarray, 10**9, np.asarray),
    Engine("row by row, single", as_single, 10**9, as_single),
    Engine("by feature, double", sparse.csr_array, 1, np.asarray),
    Engine("by feature, single", as_csr64, 1, as_single),
]


def narrow(engine: Engine, patch: pytest.MonkeyPatch) -> None:
    """Force the engine, and make its blocks, panels and chunks small: their seams are in the data."""
    patch.setattr(panel_trainer, "MANY_COLUMNS", engine.from_columns)
    patch.setattr(panel_trainer, "block_size", lambda n_columns: 7)
    patch.setattr(panel_columns, "WIDEST", 2)
    patch.setattr(panel_trainer, "CHUNK_BYTES", 300)


@pytest.fixture(params=ENGINES, ids=lambda engine: engine.name)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Engine:
    narrow(request.param, monkeypatch)
    found: Engine = request.param
    return found


@pytest.fixture(scope="session")
def engines() -> Callable[[], Iterator[Engine]]:
    """Return a generator that activates one engine after another."""

    def one_by_one() -> Iterator[Engine]:
        for each in ENGINES:
            with pytest.MonkeyPatch.context() as patch:
                narrow(each, patch)
                yield each

    return one_by_one


@pytest.fixture(scope="session")
def alone() -> Callable[..., list[Perceptron]]:
    """Return a function that trains a binary Perceptron for each class or label."""

    def train(
        X: Any, Y: NDArray[Any], sample_weight: Any = None, init: Any = "zeros", **settings: Any
    ) -> list[Perceptron]:
        return [
            Perceptron(init=start_of(init, c), **settings).fit(X, Y[:, c], sample_weight=sample_weight)
            for c in range(Y.shape[1])
        ]

    return train


def start_of(init: Any, c: int) -> Any:
    if isinstance(init, tuple):
        return init[0][c], init[1][c]
    return init[c] if np.ndim(init) == 2 else init


@pytest.fixture(scope="session")
def same() -> Callable[[Perceptron, list[Perceptron]], None]:
    """Return a function that checks that a model has the bits of separate binary Perceptrons."""

    def compare(model: Perceptron, each: list[Perceptron]) -> None:
        assert model.mistakes_per_class_.tolist() == [one.mistakes_ for one in each]
        assert model.coef_.tolist() == [one.coef_[0].tolist() for one in each]
        assert model.intercept_.tolist() == [one.intercept_[0] for one in each]
        assert model.mistakes_ == sum(one.mistakes_ for one in each)
        assert model.false_positives_per_class_.tolist() == [one.false_positives_ for one in each]
        assert model.false_negatives_per_class_.tolist() == [one.false_negatives_ for one in each]
        assert model.updates_ == sum(one.updates_ for one in each)

    return compare


@pytest.fixture(scope="session")
def crowd() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """90 rows of five classes that overlap."""
    generator = np.random.default_rng(5)
    y = generator.integers(0, 5, size=90)
    return generator.normal(size=(5, 6))[y] + generator.normal(size=(90, 6)), y


@pytest.fixture(scope="session")
def whole() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """60 rows of small whole numbers and four classes: many scores are exactly 0, and many are equal."""
    generator = np.random.default_rng(8)
    X = generator.integers(-2, 3, size=(60, 3)).astype(np.float64)
    return X, generator.integers(0, 4, size=60)


@pytest.fixture(scope="session")
def tagged_rows() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """50 rows with any number of seven labels; each label is there and lacking somewhere."""
    generator = np.random.default_rng(9)
    X = generator.normal(size=(50, 4)) * (generator.random((50, 4)) < 0.7)
    return X, (X @ generator.normal(size=(4, 7)) + generator.normal(size=(50, 7)) > 0.4).astype(np.int64)
