"""Runs over streams: their classes, their errors, and when they stop."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import Perceptron
from rosenblatt.data.sources import read
from rosenblatt.errors import BadInput
from rosenblatt.training.settings import StreamSettings
from rosenblatt.training.streams.evaluations import evaluate
from rosenblatt.training.streams.stream_run import StreamRun


def run(source, **settings):
    made = StreamRun(source, StreamSettings(**settings))
    made.go()
    return made


def test_answers_to_rows_of_unknown_classes_are_wrong(problem, svm):
    X, y = problem()
    stream = run(read(svm(X, y)))
    found = evaluate(
        stream.state, stream.classes, read(svm(X, np.where(np.arange(len(y)) < 20, 7, y), "new.svm"))
    )
    assert (found.unknown, found.examples) == (20, len(y))
    assert found.error >= 20 / len(y)


def test_until_separated_stops_after_a_pass_without_a_mistake(svm, small_blocks):
    X = np.array([[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-3.0, 1.0]])
    y = np.array([1, 1, -1, -1])
    stream = run(read(svm(X, y)), epochs=100, until="separated")
    assert stream.has_converged
    assert stream.history[-1].mistakes == 0
    assert all(e.mistakes for e in stream.history[:-1])


def test_errors_of_each_pass_equal_those_of_what_the_averaging_strategy_holds(problem, svm, small_blocks):
    X, y = problem()
    Z, z = problem(seed=1)
    path, other = svm(X, y), svm(Z, z, "other.svm")
    made = StreamRun(
        read(path), StreamSettings(epochs=3, keep="averaged", track_error=True), held_out=read(other)
    )
    made.go()
    for epochs in (1, 2, 3):
        model = Perceptron(order="given", keep="averaged", epochs=epochs).fit(csr_array(X), y)
        assert made.history[epochs - 1].training_error == pytest.approx((model.predict(X) != y).mean())
        assert made.history[epochs - 1].validation_error == pytest.approx((model.predict(Z) != z).mean())


def test_features_that_were_never_learned_from_are_left_out_of_answers(problem, svm, small_blocks):
    X, y = problem()
    stream = run(read(svm(X[:, :6], y)))
    wide = evaluate(stream.state, stream.classes, read(svm(X, y, "wide.svm")))
    narrow = evaluate(stream.state, stream.classes, read(svm(X[:, :6], y, "narrow.svm")))
    assert (wide.confusion == narrow.confusion).all()


def test_a_class_that_comes_late_is_refused_with_the_remedy(svm, small_blocks):
    X = np.ones((100, 3))
    y = np.where(np.arange(100) < 90, np.arange(100) % 2, 2)
    with pytest.raises(
        BadInput, match=r"train\.svm row 91: label 2.0 is not one of the classes 0, 1.*--classes"
    ):
        run(read(svm(X, y)))
    assert run(read(svm(X, y)), classes=["0", "1", "2"]).classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize("first", [np.full(90, -1), np.arange(90) % 3], ids=["one class", "three classes"])
def test_a_file_is_searched_to_its_end_for_classes(svm, small_blocks, first):
    X, y = np.random.default_rng(0).normal(size=(100, 3)), np.append(first, np.full(10, 3))
    assert run(read(svm(X, y))).classes.tolist() == np.unique(y).tolist()


def test_labels_that_name_the_rows_are_no_classes(tmp_path):
    (tmp_path / "mail.tsv").write_text("".join(f"ham\tsee you at {k} o'clock\n" for k in range(200)))
    with pytest.raises(BadInput, match=r"200 different labels in 200 rows.*--target"):
        run(read(str(tmp_path / "mail.tsv")))


def test_one_class_alone_is_refused(svm):
    with pytest.raises(BadInput, match=r"only one class, 1\.0"):
        run(read(svm(np.ones((5, 2)), np.ones(5))))
