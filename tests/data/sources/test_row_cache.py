"""The cache of parsed rows returns the same chunks, and is never used for a file that has changed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.data.sources import cache, read, text_blocks
from rosenblatt.data.sources.cache import Cached
from rosenblatt.errors import BadInput


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(text_blocks, "BLOCK", 64)
    monkeypatch.setattr(cache, "AT_REST", -1.0)  # files of a test are young


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "train.svm"
    path.write_text("".join(f"{k % 2} 1:{k} {k + 2}:0.5\n" for k in range(50)))
    return str(path)


def rows(source, *arguments):
    return [
        (chunk.X.toarray().tolist(), chunk.y.tolist(), chunk.n_bytes) for chunk in source.chunks(*arguments)
    ]


def same(source, other, *arguments):
    for (X, y, size), (Z, z, other_size) in zip(
        rows(source, *arguments), rows(other, *arguments), strict=True
    ):
        assert (X, y, size) == (Z, z, other_size)


def test_the_second_pass_has_the_same_chunks(file, tmp_path):
    source = Cached(read(file), str(tmp_path / "c.arrow"))
    assert not source.is_warm
    same(source, read(file))
    assert source.is_warm
    same(source, read(file))
    again = Cached(read(file), str(tmp_path / "c.arrow"))
    assert again.is_warm
    assert (again.n_parts, again.n_bytes) == (read(file).n_parts, read(file).n_bytes)
    same(again, read(file), [3, 1, 2, 0], 1)


def test_a_pass_in_another_order_makes_the_same_cache(file, tmp_path):
    source = Cached(read(file), str(tmp_path / "c.arrow"))
    order = np.random.default_rng(0).permutation(source.n_parts).tolist()
    same(source, read(file), order)
    assert source.is_warm
    same(source, read(file))


def test_the_rest_of_a_pass_is_no_cache(file, tmp_path):
    source = Cached(read(file), str(tmp_path / "c.arrow"))
    rows(source, None, 2)
    assert not source.is_warm
    assert not os.path.exists(tmp_path / "c.arrow")


def test_a_pass_that_is_left_early_leaves_nothing(file, tmp_path):
    source = Cached(read(file), str(tmp_path / "c.arrow"))
    chunks = source.chunks()
    next(chunks)
    chunks.close()
    assert os.listdir(tmp_path) == ["train.svm"]


@pytest.mark.parametrize("change", ["append", "same size", "same size and time", "other file"])
def test_a_stale_cache_is_never_used(change, file, tmp_path):
    rows(Cached(read(file), str(tmp_path / "c.arrow")))
    assert Cached(read(file), str(tmp_path / "c.arrow")).is_warm
    before = os.stat(file)
    if change == "append":
        with open(file, "a") as more:
            more.write("1 1:1\n")
    elif change == "other file":
        shutil.copy(file, file + "2")
        os.replace(file + "2", file)
    else:
        Path(file).write_text(Path(file).read_text().replace("0.5", "0.7"))
        if change == "same size and time":
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    stale = Cached(read(file), str(tmp_path / "c.arrow"))
    assert not stale.is_warm
    same(stale, read(file))


def test_other_ways_to_read_the_file_have_other_caches(file, tmp_path):
    rows(Cached(read(file), str(tmp_path / "c.arrow")))
    assert not Cached(read(file, first_index=0), str(tmp_path / "c.arrow")).is_warm


def test_a_file_that_was_just_written_is_not_trusted(file, tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "AT_REST", 3600.0)
    source = Cached(read(file), str(tmp_path / "c.arrow"))
    rows(source)
    assert source.is_warm  # in this run, which has seen that the file stayed as it was
    assert not Cached(read(file), str(tmp_path / "c.arrow")).is_warm


@pytest.mark.parametrize("kept", [0, 5, 100, 0.5, 0.99])
def test_a_cache_that_is_cut_short_is_created_again(kept, file, tmp_path):
    path = str(tmp_path / "c.arrow")
    rows(Cached(read(file), path))
    with open(path, "r+b") as cut:
        cut.truncate(int(kept * os.path.getsize(path)) if isinstance(kept, float) else kept)
    if kept in (0, 5, 100):
        with pytest.raises(BadInput, match="exists and is not a cache"):
            Cached(read(file), path)
    else:
        source = Cached(read(file), path)
        assert not source.is_warm
        same(source, read(file))


def test_a_file_that_is_no_cache_is_not_overwritten(file):
    with pytest.raises(BadInput, match="exists and is not a cache, so it is not overwritten"):
        Cached(read(file), file)


def test_a_folder_is_no_cache(file, tmp_path):
    with pytest.raises(BadInput, match="is a folder"):
        Cached(read(file), str(tmp_path))


def test_dense_rows_weights_and_text_labels_are_kept(tmp_path):
    X = np.random.default_rng(0).normal(size=(10, 3)).astype(np.float32)
    y = np.array(["ham", "spam"] * 5)
    source = Cached(read([(X, y, np.arange(10.0)), (X, y)]), str(tmp_path / "c.arrow"))
    first = list(source.chunks())
    assert not Cached(read([(X, y)]), str(tmp_path / "c.arrow")).is_warm  # who knows whether it is the same
    batch = cache.as_record_batch(first[0])
    chunk = cache.from_record_batch(batch, 3)
    assert chunk.X.dtype == np.float32
    np.testing.assert_array_equal(chunk.X, X)
    assert chunk.y.tolist() == y.tolist()
    assert chunk.importance.tolist() == list(range(10))
