"""Shuffling by blocks and buffers: each row once per pass, in an order fixed by seed and pass."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.data.sources import read
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Dense
from rosenblatt.training.streams.shuffling import groups, labels_of


def visited_rows(path, order="shuffled", seed=0, epoch=0, skip=0):
    """Return the first feature of each row (its number) in the order of visits, by group."""
    made = []
    for group in groups(read(path), order, seed, epoch, skip):
        numbers = group.rows.values[group.rows.starts[:-1].astype(int)].astype(int)
        made.append(numbers if isinstance(group.order, str) else numbers[group.order])
    return made


@pytest.fixture
def numbered_file(svm, small_blocks):
    X = np.arange(1, 501, dtype=float).reshape(-1, 1)
    return svm(X, np.where(np.arange(500) < 250, -1, 1))


def test_every_row_is_visited_once_in_each_pass(numbered_file):
    for epoch in range(3):
        assert sorted(np.concatenate(visited_rows(numbered_file, epoch=epoch))) == list(range(1, 501))


def test_the_seed_and_the_pass_decide_the_order(numbered_file):
    order = np.concatenate(visited_rows(numbered_file)).tolist()
    assert order == np.concatenate(visited_rows(numbered_file)).tolist()
    assert order != np.concatenate(visited_rows(numbered_file, seed=1)).tolist()
    assert order != np.concatenate(visited_rows(numbered_file, epoch=1)).tolist()


@pytest.mark.parametrize(("label", "found"), [(np.nan, "no label"), (np.inf, "the label inf")])
def test_a_row_without_a_finite_label_is_refused(label, found):
    chunk = Chunk(Dense(np.ones((2, 1))), np.array([1.0, label]))
    with pytest.raises(BadInput, match=f"rows: a row has {found}; label it, or drop it"):
        labels_of(chunk, "rows")


def test_a_buffer_has_rows_from_far_apart(numbered_file):
    first = visited_rows(numbered_file)[0]
    assert len(first) < 500
    assert (np.abs(np.diff(first)) > 100).any()
    assert {-1, 1} == {-1 if number <= 250 else 1 for number in first}


def test_parts_that_are_skipped_leave_the_rest_as_it_was(numbered_file):
    made = list(groups(read(numbered_file), "shuffled", 0, 0, 0))
    skip = made[0].n_parts
    rest = visited_rows(numbered_file, skip=skip)
    assert [part.tolist() for part in rest] == [part.tolist() for part in visited_rows(numbered_file)[1:]]
