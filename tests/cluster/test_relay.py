"""The relay strategy has the bits of `fit`, for any distribution of rows."""

from __future__ import annotations

import gzip
import pickle
from dataclasses import replace

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.linear_model import SGDClassifier

from rosenblatt import BadInput, KernelPerceptron, Perceptron, PolynomialThreshold, cluster, read
from rosenblatt.cluster.array_parts import ArrayParts
from rosenblatt.cluster.chunk_leases import lease
from rosenblatt.training.streams import shuffling

PIECE = 70


def on_cluster(array):
    return da.from_array(array, chunks=(PIECE, *[-1] * (array.ndim - 1)))


def sparse_on_cluster(X):
    from dask import delayed

    n = X.shape[0]
    blocks = [(X[k : k + PIECE], min(PIECE, n - k)) for k in range(0, n, PIECE)]
    return da.concatenate(
        [da.from_delayed(delayed(block), (size, 6), meta=X[:0]) for block, size in blocks]
    )


def pieces(X, y):
    return [(X[k : k + PIECE], y[k : k + PIECE]) for k in range(0, len(y), PIECE)]


def same(one, other, X):
    """The same weights, counters and answers, bit for bit."""
    for name in (
        "mistakes_",
        "updates_",
        "examples_seen_",
        "epochs_",
        "false_positives_",
        "exact_decisions_",
    ):
        assert getattr(one, name) == getattr(other, name), name
    assert (one.classes_ == other.classes_).all()
    assert (one.decision_function(X) == other.decision_function(X)).all()
    if one.keep != "voted":
        assert (one.coef_ == other.coef_).all()
        assert (one.intercept_ == other.intercept_).all()


@pytest.mark.parametrize(
    ("rule", "keep"),
    [
        ("rosenblatt", "last"),
        ("rosenblatt", "averaged"),
        ("rosenblatt", "voted"),
        ("alma", "last"),
        ("passive_aggressive_1", "averaged"),
    ],
)
def test_relay_in_given_order_has_the_bits_of_fit(client, rows, rule, keep):
    X, y = rows
    model = Perceptron(rule, keep, order="given", epochs=2)
    cluster.fit(model, on_cluster(X), on_cluster(y), client=client)
    same(model, Perceptron(rule, keep, order="given", epochs=2).fit(X, y), X)


@pytest.mark.parametrize("keep", ["last", "averaged"])
def test_many_classes_have_the_bits_of_fit(client, rows, keep):
    X, _ = rows
    y = np.array(["red", "green", "blue", "grey"])[np.random.default_rng(1).integers(0, 4, len(X))]
    model = Perceptron(keep=keep, order="given", epochs=2)
    cluster.fit(model, on_cluster(X), on_cluster(y), client=client)
    same(model, Perceptron(keep=keep, order="given", epochs=2).fit(X, y), X)


def test_rules_of_second_order_travel_with_their_memory(client, rows):
    X, y = rows
    given = {"order": "given", "epochs": 2}
    model = cluster.fit(Perceptron("arow", **given), on_cluster(X), on_cluster(y), client=client)
    assert (model.coef_ == Perceptron("arow", **given).fit(X, y).coef_).all()


@pytest.mark.parametrize("buffer", [1 << 25, 8_000])
def test_relay_shuffled_has_the_bits_of_fit_stream_over_the_same_partitions(
    client, rows, buffer, monkeypatch
):
    monkeypatch.setattr(shuffling, "BUFFER_BYTES", buffer)
    X, y = rows
    given = {"keep": "averaged", "epochs": 3, "random_state": 5}
    model = cluster.fit(Perceptron(**given), on_cluster(X), on_cluster(y), client=client)
    same(model, Perceptron(**given).fit_stream(pieces(X, y)), X)


@pytest.mark.parametrize("order", ["given", "shuffled"])
@pytest.mark.parametrize("how", ["relay", "mixing"])
def test_partitions_in_the_memory_of_workers_are_learned_from_without_a_copy(
    client, rows, how, order, monkeypatch
):
    """Whether they lie there or are made when they are asked for, the bits are the same."""
    X, y = rows
    if order == "shuffled":  # added up by a worker
        monkeypatch.setattr("rosenblatt.cluster.mixing_run.MOST_IN_MESSAGES", 0)
    for made in (on_cluster(X), sparse_on_cluster(scipy.sparse.csr_array(X))):
        lazily, labels = made, on_cluster(y)
        there = client.persist(made)
        for more in ({}, {"classes": [1, 0]}):
            given = {"order": order, "keep": "averaged", "epochs": 2, "random_state": 5}
            one, other = (
                cluster.fit(Perceptron(**given), part, labels, how=how, client=client, **more)
                for part in (lazily, there)
            )
            same(one, other, X)
        parts = ArrayParts(there, labels, None, client)
        assert parts.is_in_place
        assert not ArrayParts(lazily, labels, None, client).is_in_place
        loads = list(parts.loads(None, 0))
        assert [part for load in loads for part in load.what] == list(range(8))
        assert all(len({parts._places[k][0] for k in load.what}) == 1 for load in loads)


def test_memory_of_rows_is_reused_only_when_no_reference_remains(files):
    """A view of an array of a chunk, or a message made of it, keeps the chunk's memory."""
    returned = []
    (chunk,) = read(str(files / "part0.svm")).chunks()
    held = lease(replace(chunk, release=lambda: returned.append(1)))
    assert (held.rows.values == chunk.rows.values).all()
    assert np.shares_memory(held.rows.values, chunk.rows.values)
    message = []
    view = held.rows.values[3:5]
    pickle.dumps(held.rows.indices, protocol=5, buffer_callback=message.append)
    del held
    assert not returned
    del view
    assert not returned
    message.clear()
    assert returned == [1]


def test_relay_over_sparse_rows_and_weights(client, rows):
    X, y = rows
    X = scipy.sparse.csr_array(np.where(np.abs(X) > 1.0, X, 0.0))
    weight = 1.0 + np.arange(len(y)) % 3
    model = Perceptron(order="given", epochs=2)
    cluster.fit(model, sparse_on_cluster(X), on_cluster(y), client=client, sample_weight=on_cluster(weight))
    same(model, Perceptron(order="given", epochs=2).fit(X, y, weight), X)


def test_a_dataframe_gives_its_names(client, rows):
    X, y = rows
    table = pd.DataFrame(X, columns=list("abcdef"))
    frame = dd.from_pandas(table.assign(label=y), npartitions=4)
    model = cluster.fit(Perceptron(order="given", epochs=2), frame, "label", client=client)
    alone = Perceptron(order="given", epochs=2).fit(table, y)
    same(model, alone, table)
    assert model.feature_names_in_.tolist() == list("abcdef")
    assert (
        cluster.predict(model, frame[list("abcdef")]).compute(scheduler=client) == alone.predict(table)
    ).all()


def test_labels_have_the_bits_of_fit(client, rows):
    X, _ = rows
    y = np.random.default_rng(1).integers(0, 2, (len(X), 3))
    model = Perceptron(order="given", epochs=2, track_error=True)
    cluster.fit(model, on_cluster(X), on_cluster(y), client=client)
    alone = Perceptron(order="given", epochs=2, track_error=True).fit(X, y)
    same(model, alone, X)
    assert (model.predict(X) == alone.predict(X)).all()
    assert model.history_[-1].training_error == pytest.approx(alone.history_[-1].training_error)


@pytest.mark.parametrize("model", [KernelPerceptron(epochs=1), PolynomialThreshold(epochs=1)])
def test_a_kernel_model_answers_on_a_cluster_but_is_fitted_on_one_machine(client, rows, model):
    X, y = rows
    with pytest.raises(BadInput, match=r"support rows cannot be passed .* fit it on one machine"):
        cluster.fit(model, on_cluster(X), on_cluster(y), client=client)
    alone = model.fit(X, y)
    answers = cluster.predict(alone, on_cluster(X)).compute(scheduler=client)
    assert (answers == alone.predict(X)).all()
    found = cluster.evaluate(alone, on_cluster(X), on_cluster(y), client=client)
    assert found.error == pytest.approx(1.0 - alone.score(X, y))


@pytest.fixture
def files(rows, tmp_path):
    X, y = rows
    for number, some in enumerate((slice(0, 200), slice(200, 500))):
        lines = [
            f"{2 * label - 1} " + " ".join(f"{j + 1}:{value!r}" for j, value in enumerate(row.tolist()))
            for row, label in zip(X[some], y[some], strict=True)
        ]
        text = "\n".join(lines) + "\n"
        (tmp_path / f"part{number}.svm").write_text(text)
        (tmp_path / f"part{number}.svm.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


@pytest.mark.parametrize("names", ["part*.svm", "part*.svm.gz"])
@pytest.mark.parametrize("order", ["given", "shuffled"])
def test_files_have_the_bits_of_fit_stream(client, rows, files, names, order, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.sources.text_blocks.BLOCK", 5_000)
    monkeypatch.setattr("rosenblatt.cluster.file_parts.LOAD_BYTES", 12_000)
    monkeypatch.setattr(shuffling, "BUFFER_BYTES", 20_000)
    X, y = rows
    given = {"order": order, "keep": "averaged", "epochs": 2, "random_state": 3}
    model = cluster.fit_files(Perceptron(**given), str(files / names), client=client)
    same(model, Perceptron(**given).fit_stream(str(files / names)), X)
    assert model.reading_["format"] == "svmlight"
    answers = cluster.predict(model, str(files / names), client=client)
    assert (answers == model.predict(X)).all()
    found = cluster.evaluate(model, str(files / names), client=client)
    assert found.error == pytest.approx(1.0 - model.score(X, 2 * y - 1))


def test_a_bad_line_is_named_by_file_and_line(client, files):
    path = files / "part1.svm"
    path.write_text(path.read_text() + "what is this\n")
    with pytest.raises(BadInput, match=r"part1\.svm line 301, column 1"):
        cluster.fit_files(Perceptron(), str(files / "part*.svm"), client=client)
    model = cluster.fit_files(Perceptron(epochs=1), str(files / "part*.svm"), client=client, skip_bad=1)
    assert model.examples_seen_ == 500


def test_a_checkpoint_of_a_stream_continues_on_a_cluster(client, rows, tmp_path):
    X, y = rows

    def stop(epoch):
        if epoch.epoch == 2:
            raise KeyboardInterrupt

    path = str(tmp_path / "run.checkpoint")
    given = {"order": "given", "keep": "averaged", "epochs": 4, "random_state": 0}
    with pytest.raises(KeyboardInterrupt):
        Perceptron(**given, callbacks=stop).fit_stream(pieces(X, y), checkpoint=path)
    model = cluster.fit(Perceptron(**given), on_cluster(X), on_cluster(y), client=client, checkpoint=path)
    assert [epoch.epoch for epoch in model.history_] == [1, 2, 3, 4]
    same(model, Perceptron(**given).fit(X, y), X)


def test_an_impossible_request_is_reported(client, rows, monkeypatch):
    monkeypatch.setattr("rosenblatt.cluster.dask_client.CONNECT", 0.2)
    X, y = on_cluster(rows[0]), on_cluster(rows[1])
    for wrong, sentence in (
        ({"how": "gossip"}, "how: got 'gossip', expected one of 'relay', 'mixing'"),
        ({"how": "columns"}, "how: got 'columns'"),
        ({"mix": "best"}, "mix: got 'best'"),
    ):
        with pytest.raises(BadInput, match=sentence):
            cluster.fit(Perceptron(), X, y, client=client, **wrong)
    with pytest.raises(BadInput, match="columns are cut into 2 chunks"):
        cluster.fit(Perceptron(), X.rechunk((70, 3)), y, client=client)
    with pytest.raises(BadInput, match="y: has 4 partitions, but X has 8"):
        cluster.fit(Perceptron(), X, y.rechunk(125), client=client)
    with pytest.raises(BadInput, match="expected a dask array or dataframe, or files"):
        cluster.fit(Perceptron(), rows[0], rows[1], client=client)
    with pytest.raises(BadInput, match="no scheduler answers at"):
        cluster.fit(Perceptron(), X, y, client="tcp://127.0.0.1:1")
    with pytest.raises(BadInput, match="model: got SGDClassifier, expected a Perceptron"):
        cluster.fit(SGDClassifier(), X, y, client=client)
