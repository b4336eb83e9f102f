"""Results of queries: relations of DuckDB and lazy frames of polars."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from rosenblatt import BadInput, Features, Perceptron, read


def test_a_relation_of_duckdb_is_read_like_the_same_table_of_pyarrow():
    duckdb = pytest.importorskip("duckdb", reason="reads a relation of DuckDB; install duckdb")
    query = "SELECT i % 7 AS pages, i / 4 AS time, i % 7 > 3 AS bought FROM range(60) AS t(i)"
    relation, table = duckdb.sql(query), pa.table(duckdb.sql(query))
    models = [
        Perceptron(epochs=3, random_state=0).fit_stream(read(rows, target="bought"))
        for rows in (relation, table)
    ]
    assert models[0].examples_seen_ == 180
    assert models[0].coef_.tobytes() == models[1].coef_.tobytes()
    y = np.array(table["bought"])
    numbers = relation.select("pages", "time")
    models = [
        Perceptron(epochs=3, random_state=0).fit(X, y) for X in (numbers, table.select(["pages", "time"]))
    ]
    assert models[0].coef_.tobytes() == models[1].coef_.tobytes()


def test_a_lazy_frame_of_polars_is_refused_with_the_call_that_reads_it():
    lazy = pl.LazyFrame({"a": [1.0, 2.0], "kind": ["x", "y"]})
    with pytest.raises(BadInput, match=r"a LazyFrame has no rows yet; collect\(\) it first"):
        read(lazy)
    with pytest.raises(BadInput, match=r"collect\(\) it first"):
        Features().fit(lazy)
