"""Parquet, Arrow files and streams, and tables in memory have the same rows; writing loses nothing."""

from __future__ import annotations

import gzip
import io
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv, parquet
from scipy.sparse import csr_array, random_array

from rosenblatt.data.sources import Encoding, arrow_files, arrow_writing, read
from rosenblatt.data.sources.arrow_files import (
    ArrowFile,
    ArrowStream,
    ParquetFile,
    open_arrow,
    table_batches,
)
from rosenblatt.data.sources.arrow_writing import write_ipc, write_parquet
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.data.sources.delimited_inference import infer_delimited
from rosenblatt.data.sources.field_inference import infer_fields
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import as_rows


def mixed_table(n=50):
    rng = np.random.default_rng(0)
    colours = ["red", "bleu é", "", "gr=ün"]
    return pa.table(
        {
            "size": pa.array(rng.standard_normal(n)),
            "count": pa.array(rng.integers(-5, 5, n)),
            "colour": pa.array([colours[i % 4] if i % 7 else None for i in range(n)]),
            "mail": pa.array([f"Free money for you {i % 5} ÜBER" for i in range(n)]),
            "kind": pa.array(["ham", "spam"] * (n // 2)),
        }
    )


OPTIONS = {"bits": 12, "missing": "zero"}


def write_table(table, path, kind):
    if kind == "parquet":
        parquet.write_table(table, path, row_group_size=7)
        return ParquetFile(str(path))
    if kind == "file":
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, 7)
        return ArrowFile(str(path))
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, 7)
    return ArrowStream(str(path))


def all_rows(batches, **options):
    """Indices, values, lengths and labels of all rows."""
    batches = list(batches)
    columns = infer_fields(pa.Table.from_batches(batches), **options)
    chunks = [columns.chunk(batch) for batch in batches]
    assert not any(chunk.bad for chunk in chunks)
    return (
        np.concatenate([chunk.X.indices for chunk in chunks]).tolist(),
        np.concatenate([chunk.X.data for chunk in chunks]).tolist(),
        np.concatenate([np.diff(chunk.X.indptr) for chunk in chunks]).tolist(),
        np.concatenate([chunk.y for chunk in chunks]).tolist(),
    )


def test_every_kind_of_table_gives_the_same_rows(tmp_path):
    table = mixed_table()
    expected = all_rows([table.to_batches()[0]], **OPTIONS)
    for kind in ("parquet", "file", "stream"):
        assert all_rows(write_table(table, tmp_path / kind, kind).batches(), **OPTIONS) == expected
    frame = table.to_pandas()
    frame["colour"] = frame["colour"].astype("category")
    frame.index = frame.index + 7
    polars = pl.from_arrow(table)
    for other in (
        table,
        table.to_batches()[0],
        pa.RecordBatchReader.from_batches(table.schema, table.to_batches(9)),
        table.to_pandas(),
        frame,
        polars,
        polars.with_columns(pl.col("colour").cast(pl.Categorical)),
        polars.with_columns(pl.col("colour").cast(pl.Enum(["", "gr=ün", "red", "bleu é"]))),
    ):
        assert all_rows(table_batches(other), **OPTIONS) == expected
    sink = io.BytesIO()
    csv.write_csv(table, sink)
    chunk = infer_delimited(sink.getvalue(), **OPTIONS).parse(
        np.frombuffer(sink.getvalue(), np.uint8), True
    )
    assert (chunk.X.indices.tolist(), chunk.X.data.tolist(), chunk.y.tolist()) == (
        *expected[:2],
        expected[3],
    )


def test_a_table_of_another_library_is_read_through_its_arrow_stream():
    class Foreign:
        def __arrow_c_stream__(self, requested_schema=None):
            return mixed_table().__arrow_c_stream__(requested_schema)

    assert all_rows(table_batches(Foreign()), **OPTIONS) == all_rows(
        table_batches(mixed_table()), **OPTIONS
    )


@pytest.mark.parametrize(
    ("thing", "part"),
    [
        (pl.LazyFrame({"a": [1]}), r"a LazyFrame has no rows yet; collect\(\) it first"),
        ([1, 2], "expected a table of pandas, polars or pyarrow, or an Arrow stream, got list"),
        (pd.DataFrame({"a": [1, "x"]}), "cannot be read as a table"),
    ],
)
def test_anything_but_a_table_is_refused(thing, part):
    with pytest.raises(BadInput, match=part):
        list(table_batches(thing))


@pytest.mark.parametrize("kind", ["parquet", "file"])
def test_each_part_can_be_read_on_its_own_and_by_several_threads(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(arrow_files, "PART_BYTES", 1000)
    table = mixed_table(500)
    source = write_table(table, tmp_path / kind, kind)
    assert source.n_parts > 10
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda k: list(source.part(k)), range(source.n_parts)))
    assert pa.Table.from_batches([batch for part in parts for batch in part]).equals(table)
    for number in (0, 3, source.n_parts - 1):
        assert source.rows_before(number) == sum(b.num_rows for part in parts[:number] for b in part)
    assert source.schema.names == table.column_names


@pytest.mark.parametrize("kind", ["parquet", "file", "stream"])
def test_only_the_columns_requested_are_read(tmp_path, kind):
    source = write_table(mixed_table(), tmp_path / kind, kind)
    assert {tuple(batch.schema.names) for batch in source.batches(["kind", "size"])} == {("size", "kind")}


def test_small_row_groups_are_read_together_and_large_ones_in_batches(tmp_path):
    n = 1_200_000
    table = pa.table({"a": np.arange(n, dtype=np.float64), "b": np.zeros(n, np.int8), "y": np.zeros(n)})
    parquet.write_table(table, tmp_path / "large.parquet", row_group_size=n)
    large = ParquetFile(str(tmp_path / "large.parquet"))
    assert large.n_parts == 1
    assert not large.parts_are_small
    sizes = [batch.nbytes for batch in large.batches()]
    assert max(sizes) <= 2 * arrow_files.PART_BYTES
    assert sum(batch.num_rows for batch in large.batches()) == n
    parquet.write_table(table[:2000], tmp_path / "small.parquet", row_group_size=10)
    small = ParquetFile(str(tmp_path / "small.parquet"))
    assert small.n_parts == 1
    assert small.parts_are_small
    assert len(list(small.part(0))) == 1
    assert pa.Table.from_batches(small.batches()).equals(table[:2000])


def test_each_part_of_an_arrow_file_is_one_small_batch_whatever_it_was_written_in(tmp_path):
    n = 1_200_000
    table = pa.table({"a": np.arange(n, dtype=np.float64), "y": np.zeros(n)})
    with pa.ipc.new_file(tmp_path / "large.arrow", table.schema) as writer:
        for part in (table, table[:0], table[:100]):
            writer.write_table(part)
    source = ArrowFile(str(tmp_path / "large.arrow"))
    assert source.n_bytes == (tmp_path / "large.arrow").stat().st_size
    parts = [list(source.part(k)) for k in range(source.n_parts)]
    assert all(len(part) == 1 and part[0].nbytes <= 2 * arrow_files.PART_BYTES for part in parts)
    assert source.rows_before(source.n_parts - 1) == n
    assert sum(part[0].num_rows for part in parts) == n + 100


def test_empty_row_groups_are_no_parts(tmp_path):
    table = mixed_table()
    with parquet.ParquetWriter(tmp_path / "rows.parquet", table.schema) as writer:
        for part in (table[:0], table, table[:0]):
            writer.write_table(part)
    source = ParquetFile(str(tmp_path / "rows.parquet"))
    assert source.n_parts == 1
    assert [batch.num_rows for batch in source.part(0)] == [50]


@given(st.integers(1, 5000), st.integers(100, 40000))
def test_batches_are_cut_to_size_and_lose_nothing(n, part_bytes):
    table = pa.table({"a": np.arange(n), "s": [str(i) for i in range(n)]})
    batch = table.to_batches()[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow_files, "PART_BYTES", part_bytes)
        parts = list(arrow_files.limit_batches([batch, batch.slice(0, 0), batch.slice(n // 2)]))
    assert pa.Table.from_batches(parts)["a"].to_pylist() == [*range(n), *range(n // 2, n)]
    assert all(part.num_rows == 1 or part.nbytes <= 2.5 * part_bytes for part in parts)


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_packed_files_and_standard_input_are_streams(tmp_path, kind, monkeypatch):
    table = mixed_table()
    write_table(table, tmp_path / "plain", kind)
    content = (tmp_path / "plain").read_bytes()
    (tmp_path / "packed.gz").write_bytes(gzip.compress(content))
    packed = open_arrow(str(tmp_path / "packed.gz"))
    assert isinstance(packed, ArrowStream)
    assert pa.Table.from_batches(packed.batches()).equals(table)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert pa.Table.from_batches(open_arrow("-").batches()).equals(table)


@pytest.mark.parametrize(
    ("kind", "share"),
    # a stream cut at 0.99 lacks only the mark of its end, and the format allows that
    [(kind, share) for kind in ("parquet", "file") for share in (0.0, 0.03, 0.5, 0.99)]
    + [("stream", share) for share in (0.0, 0.03, 0.5)],
)
def test_a_cut_file_is_refused_with_its_name(tmp_path, kind, share):
    write_table(mixed_table(), tmp_path / "whole", kind)
    content = (tmp_path / "whole").read_bytes()
    path = tmp_path / f"cut.{kind}"
    path.write_bytes(content[: int(share * len(content))])
    opener = {"parquet": ParquetFile, "file": ArrowFile, "stream": ArrowStream}[kind]
    with pytest.raises(BadInput, match=f"cut.{kind}: "):
        list(opener(str(path)).batches())


def test_a_packed_arrow_file_that_is_cut_is_refused(tmp_path):
    write_table(mixed_table(), tmp_path / "whole", "file")
    content = (tmp_path / "whole").read_bytes()
    (tmp_path / "cut.gz").write_bytes(gzip.compress(content[:-20]))
    with pytest.raises(BadInput, match=r"cut\.gz: the Arrow file is cut short"):
        list(ArrowStream(str(tmp_path / "cut.gz")).batches())


@pytest.mark.parametrize("opener", [ParquetFile, ArrowFile, open_arrow])
def test_a_missing_file_is_named(tmp_path, opener):
    with pytest.raises(BadInput, match="no such file"):
        opener(str(tmp_path / "none"))
    with pytest.raises(BadInput, match="is a folder"):
        opener(str(tmp_path))


@pytest.mark.parametrize("opener", [ParquetFile, ArrowFile, ArrowStream])
def test_other_bytes_are_refused_with_the_name(tmp_path, opener):
    (tmp_path / "odd").write_bytes(b"width,height\n1,2\n" * 100)
    with pytest.raises(BadInput, match="odd: "):
        list(opener(str(tmp_path / "odd")).batches())


def test_parquet_is_not_read_from_a_pipe_nor_packed(tmp_path):
    with pytest.raises(BadInput, match="standard input: a Parquet file cannot be read from a pipe"):
        ParquetFile("-")
    write_table(mixed_table(), tmp_path / "plain", "parquet")
    (tmp_path / "x.parquet.gz").write_bytes(gzip.compress((tmp_path / "plain").read_bytes()))
    with pytest.raises(BadInput, match="decompress it: Parquet compresses internally"):
        ParquetFile(str(tmp_path / "x.parquet.gz"))


def test_a_damaged_page_is_refused_with_the_name(tmp_path):
    table = pa.table({"a": np.arange(10000), "y": np.zeros(10000)})
    parquet.write_table(table, tmp_path / "bad.parquet", compression="snappy")
    content = bytearray((tmp_path / "bad.parquet").read_bytes())
    content[4:400] = b"\xff" * 396
    (tmp_path / "bad.parquet").write_bytes(content)
    with pytest.raises(BadInput, match=r"bad\.parquet: is damaged or cut short"):
        list(ParquetFile(str(tmp_path / "bad.parquet")).batches())


# ---------------------------------------------------------------- written and read again

WRITERS = {"parquet": (write_parquet, ParquetFile), "ipc": (write_ipc, ArrowFile)}


def read_again(path, opener):
    source = opener(str(path))
    batches = list(source.batches())
    columns = infer_fields(batches[0])
    return source, columns, [columns.chunk(batch) for batch in batches]


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_rows_come_back_bit_for_bit(tmp_path, kind, dtype):
    write, opener = WRITERS[kind]
    X = np.random.default_rng(0).standard_normal((30, 4)).astype(dtype)
    y = np.array(["ham", "spä"] * 15)
    weight = np.arange(30.0)
    chunks = [Chunk(as_rows(X[some]), y[some], weight[some]) for some in (slice(0, 9), slice(9, 30))]
    names = ["width", "y", "weight", "größe"]
    assert write(chunks, str(tmp_path / "rows"), names) == 30
    source, columns, again = read_again(tmp_path / "rows", opener)
    assert np.concatenate([chunk.X for chunk in again]).tobytes() == X.tobytes()
    assert again[0].X.dtype == dtype
    assert np.concatenate([chunk.y for chunk in again]).tolist() == y.tolist()
    assert np.concatenate([chunk.importance for chunk in again]).tolist() == weight.tolist()
    assert columns.feature_names == names
    assert source.schema.names == [*names, "weight_", "y_"]


def sparse_chunk(n, seed, exact=True):
    rng = np.random.default_rng(seed)
    X = csr_array(random_array((n, 40), density=0.2, rng=rng, format="csr"))
    X.data = np.round(X.data * 8) / 8 if exact else X.data
    return X, Chunk(as_rows(X), rng.integers(0, 2, n) * 2 - 1)


@pytest.mark.parametrize("kind", WRITERS)
def test_sparse_rows_come_back_bit_for_bit(tmp_path, kind):
    write, opener = WRITERS[kind]
    parts = [sparse_chunk(20, seed) for seed in range(3)]
    write([chunk for _, chunk in parts], str(tmp_path / "rows"), n_features=64)
    source, _, again = read_again(tmp_path / "rows", opener)
    assert source.schema.names == ["y", "indices", "values"]
    assert source.schema.field("values").type.value_type == pa.float32()
    expected = np.concatenate([X.toarray() for X, _ in parts])
    found = np.concatenate([chunk.X.toarray() for chunk in again])
    assert found.shape == (60, 64)
    assert np.array_equal(found[:, :40], expected)
    assert np.concatenate([chunk.y for chunk in again]).tolist() == [
        label for _, chunk in parts for label in chunk.y.tolist()
    ]


@pytest.mark.parametrize("kind", WRITERS)
def test_a_part_with_larger_values_widens_the_cached_type(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(arrow_writing, "GROUP_BYTES", 1)
    write, opener = WRITERS[kind]
    first, short = sparse_chunk(20, 0)
    second, long = sparse_chunk(20, 1, exact=False)
    third, weighed = sparse_chunk(20, 2)
    weighed = Chunk(weighed.rows, weighed.y + 0.5, np.full(20, 3.0))
    write([short, long, weighed], str(tmp_path / "rows"))
    source, columns, again = read_again(tmp_path / "rows", opener)
    assert source.schema.field("values").type.value_type == pa.float64()
    assert columns.weight == "weight"
    width = max(chunk.X.shape[1] for chunk in again)
    found = np.concatenate([np.pad(c.X.toarray(), ((0, 0), (0, width - c.X.shape[1]))) for c in again])
    assert np.array_equal(
        found, np.concatenate([first.toarray(), second.toarray(), third.toarray()])[:, :width]
    )
    assert np.concatenate([chunk.importance for chunk in again]).tolist() == [1.0] * 40 + [3.0] * 20
    assert np.concatenate([chunk.y for chunk in again])[40:].tolist() == weighed.y.tolist()
    assert [file.name for file in tmp_path.iterdir()] == ["rows"]


def test_small_chunks_are_written_together_and_released(tmp_path):
    released = []
    chunks = [
        Chunk(as_rows([[float(i), 1.0]]), np.array([i]), release=lambda i=i: released.append(i))
        for i in range(100)
    ]
    write_ipc(chunks, str(tmp_path / "rows"))
    assert released == list(range(100))
    assert ArrowFile(str(tmp_path / "rows")).n_parts == 1


def test_rows_that_do_not_fit_together_are_refused(tmp_path):
    dense = Chunk(as_rows([[1.0, 2.0]]), np.array([0]))
    with pytest.raises(BadInput, match="do not fit into one table"):
        write_parquet([dense, Chunk(as_rows([[1.0, 2.0]]), np.array(["ham"]))], str(tmp_path / "rows"))
    with pytest.raises(BadInput, match="no rows to write"):
        write_parquet([], str(tmp_path / "rows"))
    with pytest.raises(BadInput, match="feature_names: 1 names for 2 features"):
        write_parquet([dense], str(tmp_path / "rows"), ["a"])


def test_rows_without_labels_are_written_without(tmp_path):
    write_ipc([Chunk(as_rows([[1.0, 2.0]]), None)], str(tmp_path / "rows"))
    source = ArrowFile(str(tmp_path / "rows"))
    assert source.schema.names == ["0", "1"]
    columns = infer_fields(next(source.batches()), labelled=False)
    assert columns.chunk(next(source.batches())).y is None


def test_a_stream_whose_features_need_statistics_is_kept_in_memory():
    table = pa.table({"a": [1.0, 2.0, 6.0, 3.0], "y": [0, 1, 0, 1]})
    stream = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(3))
    source = read(stream, encoding=Encoding("standard"))
    for _ in range(2):
        rows = np.concatenate([chunk.X for chunk in source.chunks()])
        assert rows.tolist() == read_all(table, Encoding("standard")).tolist()


def read_all(table, encoding):
    return np.concatenate([chunk.X for chunk in read(table, encoding=encoding).chunks()])


def test_a_malformed_row_is_counted_in_all_batches_of_a_table():
    batches = pa.table({"a": [1.0, 2.0, None, 3.0], "y": [0, 1, 0, 1]}).to_batches(2)
    with pytest.raises(BadInput, match="row 3, column 1: column 'a' has no value"):
        list(read(pa.Table.from_batches(batches)).chunks())
