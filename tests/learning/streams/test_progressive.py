"""The progressive error is that of answers given before each label, by the weights that were asked for."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt.arithmetic.examples import as_rows
from rosenblatt.data.sources import read
from rosenblatt.learning.one_column import OneColumn
from rosenblatt.learning.settings import StreamSettings
from rosenblatt.learning.streams.stream_run import StreamRun


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
    told = run.progressive
    assert (told.examples, told.errors, told.false_positives) == (60, errors, taken)
    assert told.by == {"averaged": "by the mean so far", "last": "by the last weights"}[keep]


def test_to_answer_first_changes_nothing_in_what_is_learned():
    X, y = rows()
    run = run_over(X, y, parts=4, keep="averaged", epochs=3)
    alone = run_over(X, y, parts=1, keep="averaged", epochs=3)
    assert isinstance(run.state, OneColumn)
    assert np.array_equal(run.state.kept(), alone.state.kept())
    assert type(run.state.keeper).__name__ == "Averaged"
    assert run.progressive == alone.progressive
    assert run.progressive.errors != run.history[0].mistakes


def test_committees_and_shared_mistakes_are_said_to_be_of_the_last_weights_and_samples_to_be_samples():
    X, y = rows()
    assert run_over(X, y, keep="voted").progressive.by == "by the last weights"
    three = np.where(X[:, 3] > 0.5, 2, y)
    shared = run_over(X, three, multiclass="ultraconservative").progressive
    assert (shared.by, shared.standard_error) == ("by the last weights", None)
    apart = run_over(X, three, keep="averaged").progressive
    assert apart.by == "to some of the rows"
    assert apart.standard_error == pytest.approx(np.sqrt(apart.error * (1 - apart.error) / apart.examples))
