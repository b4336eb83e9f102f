"""`Perceptron.fit_stream` has the bits of `fit`, for every kind of source."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rosenblatt import Perceptron, load, read, save
from rosenblatt.errors import BadInput


@pytest.fixture
def rows():
    r = np.random.default_rng(0)
    X = np.round(r.normal(size=(120, 4)), 3)
    return X, np.where(X @ r.normal(size=4) > 0.2, "spam", "ham")


def table(X, y, kind):
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y}
    if kind == "pandas":
        return pd.DataFrame(columns)
    if kind == "polars":
        return pl.DataFrame(columns)
    made = pa.table({name: pa.array(column) for name, column in columns.items()})
    return made if kind == "pyarrow" else pa.RecordBatchReader.from_batches(made.schema, made.to_batches())


@pytest.mark.parametrize(
    "kind", ["pandas", "polars", "pyarrow", "reader", "chunks", "examples", "generator", "file"]
)
@pytest.mark.parametrize("keep", ["last", "averaged"])
def test_the_bits_equal_those_of_fit_for_every_container_of_rows(kind, keep, rows, tmp_path):
    X, y = rows
    chunks = [(X[a : a + 30], y[a : a + 30]) for a in range(0, 120, 30)]
    if kind == "file":
        table(X, y, "pandas").to_csv(tmp_path / "rows.csv", index=False)
    source = {
        "chunks": chunks,
        "generator": (chunk for chunk in chunks),
        "examples": list(zip(X, y, strict=True)),
        "file": str(tmp_path / "rows.csv"),
    }.get(kind)
    model = Perceptron(keep=keep, epochs=1, order="given")
    model.fit_stream(table(X, y, kind) if source is None else source)
    other = Perceptron(keep=keep, epochs=1, order="given").fit(X, y)
    assert model.coef_.tobytes() == other.coef_.tobytes()
    assert model.intercept_.tobytes() == other.intercept_.tobytes()
    assert (model.mistakes_, model.examples_seen_, model.epochs_) == (other.mistakes_, 120, 1)
    assert (
        model.predict(X).tolist() == other.predict(X).tolist() if kind in ("chunks", "examples") else True
    )


def test_shuffled_passes_equal_those_of_fit(rows):
    X, y = rows
    model = Perceptron(epochs=4, random_state=3).fit_stream([(X[:50], y[:50]), (X[50:], y[50:])])
    other = Perceptron(epochs=4, random_state=3).fit(X, y)
    assert model.coef_.tobytes() == other.coef_.tobytes()
    assert [e[:4] for e in model.history_] == [e[:4] for e in other.history_]


def test_names_of_columns_and_the_way_of_reading_are_kept(rows, tmp_path):
    X, y = rows
    model = Perceptron().fit_stream(table(X, y, "pandas"))
    assert model.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]
    save(model, tmp_path / "m.safetensors")
    again = load(tmp_path / "m.safetensors")
    assert again.reading_ == model.reading_
    turned = table(X, y, "polars").select("y", "x3", "x2", "x1", "x0")
    (chunk,) = read(turned, like=again.reading_)
    np.testing.assert_array_equal(chunk.X, X)


def test_errors_on_rows_held_out_are_in_the_history(rows):
    X, y = rows
    model = Perceptron(epochs=3).fit_stream([(X[:80], y[:80])], held_out=[(X[80:], y[80:])])
    assert model.history_[-1].validation_error == pytest.approx((model.predict(X[80:]) != y[80:]).mean())


def test_a_callback_that_returns_true_ends_the_run(rows):
    X, y = rows
    seen = []
    Perceptron(epochs=9, callbacks=lambda epoch: seen.append(epoch) or len(seen) == 2).fit_stream([(X, y)])
    assert [epoch.epoch for epoch in seen] == [1, 2]


def test_a_run_that_is_interrupted_leaves_a_checkpoint(rows, tmp_path):
    X, y = rows
    path = str(tmp_path / "run.ckpt")

    def chunks():
        for a in range(0, 120, 30):
            if a == 90 and not again:
                raise KeyboardInterrupt
            yield X[a : a + 30], y[a : a + 30]

    again = False
    with pytest.raises(KeyboardInterrupt):
        Perceptron(order="given", epochs=1).fit_stream(chunks, checkpoint=path)
    again = True
    model = Perceptron(order="given", epochs=1).fit_stream(chunks, checkpoint=path)
    assert model.coef_.tobytes() == Perceptron(order="given", epochs=1).fit(X, y).coef_.tobytes()
    assert not (tmp_path / "run.ckpt").exists()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"order": "worst_mistake"}, "order"),
        ({"order": [0, 1]}, "order"),
        ({"allow_new_classes": True}, "name all classes"),
        ({"device": "cuda"}, "CPU"),
    ],
)
def test_settings_that_need_all_rows_are_refused(parameters, sentence, rows):
    with pytest.raises(BadInput, match=sentence):
        Perceptron(**parameters).fit_stream([rows])


def test_an_iterator_is_kept_for_further_passes(rows):
    X, y = rows
    once = Perceptron(epochs=3, order="given").fit_stream(iter([(X[:70], y[:70]), (X[70:], y[70:])]))
    assert once.coef_.tobytes() == Perceptron(epochs=3, order="given").fit(X, y).coef_.tobytes()


def test_an_iterator_cannot_be_read_twice(rows):
    source = read(iter([rows]))
    list(source)
    with pytest.raises(BadInput, match="another pass needs the rows again"):
        list(source)
