"""Estimators without weights: the bits of `partial_fit` over the same partitions, wherever these lie."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest
import scipy.sparse

from rosenblatt import BadInput, KernelPerceptron, Perceptron, PolynomialThreshold, cluster
from rosenblatt.budgets import RandomBudget

PIECE = 70


def on_cluster(array):
    return da.from_array(array, chunks=(PIECE, *[-1] * (array.ndim - 1)))


def part_by_part(model, X, y, passes=1):
    for _ in range(passes):
        for k in range(0, len(y), PIECE):
            model.partial_fit(X[k : k + PIECE], y[k : k + PIECE], classes=np.unique(y))
    return model


@pytest.mark.parametrize(
    "model",
    [
        KernelPerceptron(order="given", epochs=2),
        KernelPerceptron("polynomial", order="given", epochs=1, keep="voted", rule="margin"),
        KernelPerceptron(order="given", epochs=1, budget=RandomBudget(20), random_state=3),
        PolynomialThreshold(order="given", epochs=2, way="map"),
    ],
)
def test_relay_has_the_bits_of_partial_fit(client, rows, model):
    from sklearn.base import clone

    X, y = rows
    alone = part_by_part(clone(model), X, y, model.epochs)
    learned = cluster.fit(clone(model), on_cluster(X), on_cluster(y), client=client)
    assert (learned.decision_function(X) == alone.decision_function(X)).all()
    assert (learned.mistakes_, learned.examples_seen_) == (alone.mistakes_, len(y) * model.epochs)
    assert (learned.epochs_, len(learned.history_)) == (model.epochs, model.epochs)
    assert learned.get_params().keys() == model.get_params().keys()
    assert learned.random_state == model.random_state
    found = cluster.evaluate(learned, on_cluster(X), on_cluster(y), client=client)
    assert found.error == pytest.approx(1.0 - learned.score(X, y))


def test_in_given_order_the_mistakes_are_those_of_fit(client, rows):
    X, y = rows
    y = np.array(["red", "green", "blue"])[(X[:, 0] > 0).astype(int) + y]
    given = {"order": "given", "epochs": 2, "gamma": 0.1, "track_error": True}
    learned = cluster.fit(KernelPerceptron(**given), on_cluster(X), on_cluster(y), client=client)
    alone = KernelPerceptron(**given).fit(X, y)
    for one, other in zip(learned.history_, alone.history_, strict=True):
        assert one._replace(seconds=0.0) == pytest.approx(other._replace(seconds=0.0))
    learned.partial_fit(X[:10], y[:10])
    assert learned.examples_seen_ == 1010


def test_shuffled_in_one_buffer_is_the_shuffle_of_fit(client, rows):
    X, y = rows
    given = {"epochs": 1, "gamma": 0.1, "random_state": 4}
    learned = cluster.fit(KernelPerceptron(**given), on_cluster(X), on_cluster(y), client=client)
    alone = KernelPerceptron(**given).fit(X, y)
    assert learned.mistakes_ == alone.mistakes_
    assert learned.decision_function(X) == pytest.approx(alone.decision_function(X))


def test_files_of_sparse_rows_that_end_anywhere(client, rows, tmp_path, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.sources.text_blocks.BLOCK", 1_000)
    monkeypatch.setattr("rosenblatt.cluster.parts.LOAD_BYTES", 2_000)
    X, y = np.round(rows[0][:120], 2), rows[1][:120]
    X[:40, 4:] = X[80:100, 3:] = 0.0
    lines = [
        f"{label} " + " ".join(f"{j + 1}:{x}" for j, x in enumerate(row) if x)
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    (tmp_path / "rows.svm").write_text("\n".join(lines) + "\n")
    given = {"order": "given", "epochs": 1, "gamma": 0.5}
    learned = cluster.fit(KernelPerceptron(**given), str(tmp_path / "rows.svm"), client=client)
    alone = KernelPerceptron(**given).fit(scipy.sparse.csr_array(X), y)
    assert learned.mistakes_ == alone.mistakes_
    assert learned.n_features_in_ == 6
    answers = cluster.predict(learned, str(tmp_path / "rows.svm"), client=client)
    assert (answers == alone.predict(scipy.sparse.csr_array(X))).all()


def test_what_has_no_meaning_is_refused_with_the_reason(client, rows):
    from sklearn.linear_model import SGDClassifier

    X, y = on_cluster(rows[0]), on_cluster(rows[1])
    for model, more, sentence in (
        (KernelPerceptron(), {"how": "mixing"}, "averages weights"),
        (KernelPerceptron(), {"how": "columns"}, "share their support rows"),
        (KernelPerceptron(), {"checkpoint": "run"}, "checkpoint: only for a Perceptron"),
        (KernelPerceptron(class_weight="balanced"), {}, "class_weight: .* give weights in the source"),
        (SGDClassifier(), {}, "model: got SGDClassifier, expected a Perceptron, KernelPerceptron"),
    ):
        with pytest.raises(BadInput, match=sentence):
            cluster.fit(model, X, y, client=client, **more)
    labels = on_cluster(np.random.default_rng(0).integers(0, 2, (len(rows[1]), 3)))
    with pytest.raises(BadInput, match="a table of labels is for Perceptron"):
        cluster.fit(KernelPerceptron(), X, labels, client=client)


def test_rules_of_second_order_travel_with_what_they_remember(client, rows):
    (X, y), rule = rows, "arow"
    given = {"order": "given", "epochs": 2}
    model = cluster.fit(Perceptron(rule, **given), on_cluster(X), on_cluster(y), client=client)
    assert (model.coef_ == Perceptron(rule, **given).fit(X, y).coef_).all()
