"""Sizes of blocks, chunks and caches do not change the updates."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from rosenblatt import KernelPerceptron
from rosenblatt.errors import BadInput
from rosenblatt.kernels import Monomials, Polynomial, as_kernel
from rosenblatt.models.kernel_estimator import as_bytes
from rosenblatt.numeric.row_batches import as_rows
from rosenblatt.training.dual.dual_state import DualState
from rosenblatt.training.dual.lesson import Lesson, in_blocks
from tests.covering import all_pairs
from tests.kernels import naive_kernels
from tests.training.dual import kernel_problems as problems
from tests.training.dual import naive_dual as naive
from tests.training.dual.dual_runs import same_run, updates, updates_of


@pytest.fixture
def train():
    """The state after some passes over rows in the given order, with a cache of any size."""

    def teach(X, y, kernel="gaussian", cache_bytes=0, epochs=3, offset=False):
        n_columns = len(set(y.tolist())) if len(set(y.tolist())) > 2 else 1
        state = DualState(as_kernel(kernel, gamma=0.5), "rosenblatt", offset, "mistake", n_columns)
        lesson = Lesson(state, as_rows(X), y, np.empty(0), cache_bytes)
        for _ in range(epochs):
            for _ in in_blocks(lesson, np.arange(len(y)), is_last=False):
                pass
        return state

    return teach


# ---------------------------------------------------------------- blocks


@pytest.mark.parametrize(("rows_per_block", "short"), [(64, 0), (256, 0), (1024, 0), (64, 64)])
def test_many_blocks_and_more_than_a_chunk_of_support(rows_per_block, short, set_sizes):
    set_sizes(block=rows_per_block, short=short)
    X, y = problems.noisy(n=700, seed=3, wrong=1.0)
    gram = naive_kernels.gram(partial(naive_kernels.gaussian, gamma=5.0), X)
    want = naive.learn(gram, y.tolist(), [*range(700)] * 3, offset=True)
    model = KernelPerceptron(gamma=5.0, offset=True, epochs=3, order="given").fit(X, y)
    same_run(model, want)
    assert len(model.support_) > 512


@pytest.mark.parametrize("short", [0, 64])
@pytest.mark.parametrize("name", ["linear", "polynomial"])
def test_many_blocks_of_whole_numbers(name, short, set_sizes):
    """int16 becomes float32, whose products are exact; labels are the toss of a coin, so ties are many."""
    set_sizes(short=short)
    X = np.random.default_rng(4).integers(-9, 10, size=(700, 3)).astype(np.int16)
    y = np.random.default_rng(5).integers(0, 3, 700)
    formula = getattr(naive_kernels, name)
    want = naive.learn(naive_kernels.gram(formula, X), y.tolist(), [*range(700)], tie="negative")
    model = KernelPerceptron(name, gamma=1.0, tie="negative", epochs=1, order="given").fit(X, y)
    same_run(model, want)


@pytest.mark.parametrize("n_classes", [2, 8])
def test_short_rows_learn_on_all_cores_what_matrices_teach(n_classes, set_sizes):
    """So many values that they are made by several threads, while the record is written."""
    X, y = problems.noisy(n=3000, n_classes=n_classes, seed=14)
    model = KernelPerceptron(gamma=2.0, epochs=3, random_state=0)
    runs = []
    for short in (0, 64):
        set_sizes(short=short)
        runs.append(updates(model.fit(X, y)))
    with ThreadPoolExecutor(1) as pool:  # in a thread that is not the first, one core
        runs.append(updates(pool.submit(model.fit, X, y).result()))
    assert len(model.support_) > 300
    assert runs[0] == runs[1] == runs[2]


# ---------------------------------------------------------------- caches


@pytest.mark.parametrize(
    ("kernel", "n_classes", "gathered"),
    all_pairs(["linear", "polynomial", "gaussian", "laplacian"], [2, 3], [0, 3, 20]),
)
def test_the_result_does_not_depend_on_the_cache(kernel, n_classes, gathered, train, set_sizes):
    set_sizes(block=16, chunk=8, gathered=gathered)
    X, y = problems.noisy(n=120, n_classes=n_classes, seed=6)
    row = 8 * 120
    want = updates_of(train(X, y, kernel, cache_bytes=0))
    for cache_bytes in (1, row - 1, row, 30 * row + 1, 1 << 30):
        assert updates_of(train(X, y, kernel, cache_bytes)) == want


def test_no_value_is_computed_twice_if_the_cache_holds_all(set_sizes):
    """A pass without updates requests only the values of each block and of the rows gathered last."""
    set_sizes(block=20, gathered=5)
    X, y = problems.noisy(n=100, seed=8, wrong=0.5)
    asked, made = [], []

    def gaussian(X, Z):
        asked.append(X.shape[0] * Z.shape[0])
        return np.exp(-9.0 * ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2))

    model = KernelPerceptron(
        gaussian, epochs=8, order="given", callbacks=lambda epoch: made.append(sum(asked))
    ).fit(X, y)
    assert model.converged_
    assert len(model.support_) > 50
    assert made[-1] - made[-2] <= 100 * (20 + 5)  # not 100·(20 + len(support_))


# ---------------------------------------------------------------- sizes


@pytest.mark.parametrize(
    ("size", "bytes_"),
    [
        ("2GB", 2 * 10**9),
        ("500 mb", 500 * 10**6),
        ("1.5GB", 1_500_000_000),
        (2e9, 2 * 10**9),
        (10**7, 10**7),
    ],
)
def test_sizes(size, bytes_):
    assert as_bytes(size) == bytes_


@pytest.mark.parametrize(
    "size", ["", "much", "1.2.3GB", None, True, float("nan"), float("inf"), [1], "-2GB"]
)
def test_sizes_that_are_none(size):
    for ask in (as_bytes, lambda size: KernelPerceptron(cache_size=size).fit(*problems.noisy())):
        with pytest.raises(BadInput) as refusal:
            ask(size)
        assert str(refusal.value) == (
            f"cache_size: expected a size such as '2GB' or '500MB', or a number of bytes, got {size!r}"
        )


@pytest.mark.parametrize("size", ["1KB", 0, -5, "0.1MB"])
def test_sizes_too_small_for_one_block(size):
    with pytest.raises(
        BadInput, match=r"^cache_size: expected at least .*MB, .*one block of kernel values, got "
    ):
        as_bytes(size)


def test_chunks_of_support_rows_are_the_ones_that_came(train, set_sizes):
    """Rows that join the support one by one, or many at once, are all there, in order."""
    X, y = problems.noisy(n=60, seed=9)
    for chunk in (1, 2, 7, 64):
        set_sizes(chunk=chunk)
        state = train(X, y)
        parts = list(state.support.parts())
        assert (state.support.rows().values == X[state.support.origin]).all()
        assert [part.stop for part, _ in parts[:-1]] == [part.start for part, _ in parts[1:]]
        assert all(part.stop - part.start == chunk for part, _ in parts[:-1])
        assert all(first.stop <= second.start for (first, _), (second, _) in pairwise(parts))


# ---------------------------------------------------------------- a feature space written out


@pytest.mark.parametrize("degree", [1, 2, 5])
@pytest.mark.parametrize("step", [1.0, 0.1], ids=["whole numbers", "tenths"])
def test_monomials_written_out_change_no_mistake(degree, step, set_sizes):
    """(1 + x·z)^degree as φ(x)·φ(z): another sum with another rounding, the same decisions."""
    set_sizes(block=16)
    generator = np.random.default_rng(12)
    X, y = step * generator.integers(-2, 3, size=(150, 2)), generator.integers(0, 3, 150)
    records = []
    for terms in (None, Monomials(2, degree)):
        state = DualState(Polynomial(degree), "rosenblatt", True, "mistake", 3)
        lesson = Lesson(state, as_rows(X), y, np.empty(0), written_out=terms)
        for _ in range(3):
            for _ in in_blocks(lesson, np.arange(150), is_last=False):
                pass
        records.append(updates_of(state))
    assert records[0] == records[1]
