"""The progressive error counts predictions made before the label, by the weights that `keep` returns."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import Perceptron
from rosenblatt.data.sources import read
from rosenblatt.numeric.row_batches import as_rows
from rosenblatt.training.settings import StreamSettings
from rosenblatt.training.streams.progressive import Progressive, _stretch
from rosenblatt.training.streams.stream_run import StreamRun


def rows(n=150, seed=0):
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(n, 4)), 2)
    return X, np.where(X @ [1.0, -1.0, 0.5, 0.0] + random.normal(size=n) > 0.3, 1, -1)


def run_over(X, y, parts=1, **settings):
    pieces = np.array_split(np.arange(len(y)), parts)
    source = read([(X[piece], y[piece]) for piece in pieces])
    run = StreamRun(source, StreamSettings(classes=sorted(set(y.tolist())), **settings))
    run.go()
    return run


def answered_one_by_one(X, y, **settings):
    """Wrong answers, and those on negative rows: each row by what a run over the rows before it keeps."""
    wrong = [True]  # a score of 0 is a mistake
    for n in range(1, len(y)):
        before = StreamRun(read([(X[:n], y[:n])]), StreamSettings(classes=[-1, 1], **settings))
        before.go()
        (value,) = before.state.values(as_rows(X[n : n + 1]))
        wrong.append(value == 0.0 or (value > 0.0) != (y[n] > 0))
    return sum(wrong), sum(each for each, label in zip(wrong, y, strict=True) if label < 0)


@pytest.mark.parametrize("keep", ["averaged", "last"])
@pytest.mark.parametrize("rule", ["rosenblatt", "forgetting"])
@pytest.mark.parametrize("layout", [np.asarray, csr_array])
def test_of_two_classes_every_row_is_answered_by_what_is_kept_of_the_rows_before_it(keep, rule, layout):
    X, y = rows(60)
    run = run_over(layout(X), y, parts=3, keep=keep, rule=rule)
    errors, taken = answered_one_by_one(X, y, keep=keep, rule=rule)
    error = run.progressive
    assert (error.examples, error.errors, error.false_positives) == (60, errors, taken)
    assert error.by == {"averaged": "by the mean so far", "last": "by the last weights"}[keep]


def test_to_answer_first_changes_nothing_in_what_is_learned():
    X, y = rows()
    run = run_over(X, y, parts=4, keep="averaged", epochs=3)
    alone = run_over(X, y, parts=1, keep="averaged", epochs=3)
    assert np.array_equal(run.state.returned_weights(), alone.state.returned_weights())
    assert type(run.state.columns[0].keeper).__name__ == "Averaged"
    assert run.progressive == alone.progressive
    assert run.progressive.errors != run.history[0].mistakes


def three_classes(n=150):
    X, y = rows(n)
    return X, np.where(X[:, 3] > 0.5, 2, y)


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
def test_the_mean_of_independent_classifiers_is_evaluated_on_an_even_sample(layout):
    X, y = three_classes(600)
    run = run_over(layout(X), y, parts=4, keep="averaged", multiclass="one_vs_rest")
    asked = [*range(16, 512, 32), 544, 545]  # from the middle of each 32 one, then of each 64 two
    wrong = 0
    for k in asked:
        model = Perceptron(order="given", epochs=1, keep="averaged")
        before = k - k % 2  # the last two are asked together
        wrong += model.fit(X[:before], y[:before]).predict(X[k : k + 1])[0] != y[k]
    sample = run.progressive
    assert (sample.by, sample.examples, sample.errors) == ("to some of the rows", len(asked), wrong)
    assert sample.standard_error == pytest.approx(np.sqrt(sample.error * (1 - sample.error) / len(asked)))


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
def test_independent_classifiers_predict_an_even_sample_by_the_last_weights(layout):
    X, y = three_classes(400)
    asked, wrong = range(16, 400, 32), 0
    for k in asked:
        model = Perceptron(order="given", epochs=1).fit(X[:k], y[:k])
        wrong += model.predict(X[k : k + 1])[0] != y[k]
    sample = run_over(layout(X), y, parts=3).progressive
    assert (sample.by, sample.examples, sample.errors) == (
        "to some of the rows",
        len(asked),
        wrong,
    )


def test_a_sample_of_many_rows_is_a_thirtysecond_of_them_all_along():
    seen, n, asked = 0, 200_000, []
    sample_error = Progressive()
    while seen < n:
        is_asked, end = _stretch(sample_error, seen, seen, n)
        if is_asked:
            asked.append((seen, end))
            sample_error.count(end - seen, 0, None)
        seen = end
    for first in range(0, n - 16_384, 16_384):
        part = sum(end - begin for begin, end in asked if first <= begin < first + 16_384)
        assert part == 16_384 // 32
    assert len(asked) < 200


def test_progressive_errors_name_the_weights_and_the_sample_they_are_based_on():
    X, y = rows()
    assert run_over(X, y, keep="voted").progressive.by == "by the last weights"
    X, three = three_classes()
    shared = run_over(X, three, multiclass="ultraconservative").progressive
    assert (shared.by, shared.standard_error) == ("by the last weights", None)
    for apart in (
        run_over(X, three, rule="romma").progressive,
        run_over(X, three, keep="voted").progressive,
    ):
        assert apart.by == "to some of the rows"
        assert 0 < apart.examples < len(three)
        assert apart.standard_error == pytest.approx(
            np.sqrt(apart.error * (1 - apart.error) / apart.examples)
        )
