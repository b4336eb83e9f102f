"""Areas, curves and scores are those of scikit-learn; splits keep the parts of the classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from rosenblatt.models.calibrating import best_threshold, fit_calibration, parse_goal
from rosenblatt.reports.evaluation import evaluation_text
from rosenblatt.reports.measures import brier, ranking
from rosenblatt.training.calibration import probabilities
from rosenblatt.training.streams import evaluations
from rosenblatt.training.streams.evaluations import Evaluation, Scored
from rosenblatt.training.streams.splitting import places


def evaluation_of(labels, values):
    found = Evaluation(np.array([0, 1]))
    found.count(labels, (values > 0).astype(np.int64), values)
    return found


@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=2))
def test_areas_equal_those_of_scikit_learn_also_where_values_are_equal(rows):
    labels, values = np.array([row[0] for row in rows], int), np.array([float(row[1]) for row in rows])
    ranked = ranking(evaluation_of(labels, values))
    if labels.min() == labels.max():
        assert ranked is None
        return
    assert ranked.roc.area == pytest.approx(metrics.roc_auc_score(labels, values))
    assert ranked.precision.area == pytest.approx(metrics.average_precision_score(labels, values))
    false, true, _ = metrics.roc_curve(labels, values, drop_intermediate=False)
    assert np.allclose(ranked.roc.x, false)
    assert np.allclose(ranked.roc.y, true)


class Itself(ClassifierMixin, BaseEstimator):
    """Rows that are their own decision values."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0] if len(self.classes_) == 2 else X

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


@pytest.mark.parametrize(("method", "theirs"), [("platt", "sigmoid"), ("isotonic", "isotonic")])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_probabilities_equal_those_of_scikit_learns_calibration(method, theirs, n_classes):
    random = np.random.default_rng(0)
    y = random.integers(0, n_classes, 300)
    values = 1e5 * (random.normal(size=(300, n_classes)) + np.eye(n_classes)[y])
    values = values[:, 1:] if n_classes == 2 else values
    peer = CalibratedClassifierCV(FrozenEstimator(Itself().fit(values, y)), method=theirs).fit(values, y)
    ours = values[:, 0] if n_classes == 2 else values
    found = Evaluation(np.arange(n_classes), calibration=fit_calibration(y, ours, method))
    estimated = probabilities(found.calibration, ours)
    assert np.allclose(estimated, peer.predict_proba(values), atol=1e-6)
    found.count(y, estimated.argmax(axis=1), ours)
    if n_classes == 2:
        assert brier(found) == pytest.approx(metrics.brier_score_loss(y, estimated[:, 1]))


@given(st.lists(st.sampled_from("aaab"), min_size=1, max_size=60), st.integers(2, 7), st.integers(0, 3))
def test_each_fold_has_its_part_of_every_class_and_every_row_is_in_one(labels, n_folds, seed):
    y = np.array(labels)
    fold = np.floor(places(y, seed, 0) * n_folds)
    for label in set(labels):
        counts = [int(((fold == k) & (y == label)).sum()) for k in range(n_folds)]
        assert sum(counts) == labels.count(label)
        assert max(counts) - min(counts) <= 1


@given(st.lists(st.tuples(st.booleans(), st.integers(-5, 5)), min_size=2), st.floats(0.05, 1.0))
def test_no_other_threshold_that_keeps_the_wish_finds_more(rows, least):
    labels, values = np.array([row[0] for row in rows]), np.array([float(row[1]) for row in rows])
    if labels.all() or not labels.any():
        return
    best = best_threshold(parse_goal(f"recall>={least:.6f}"), labels, values)
    least = parse_goal(f"recall>={least:.6f}").least
    assert best.recall >= least
    for threshold in np.unique(values) - 0.5:
        above = values > threshold
        if (labels & above).sum() / labels.sum() >= least:
            assert (labels & above).sum() / above.sum() <= best.precision + 1e-12


def test_of_many_rows_an_even_sample_is_kept(monkeypatch):
    monkeypatch.setattr(evaluations, "MOST_VALUES", 100)
    kept = Scored()
    for first in range(0, 1000, 10):
        kept.add(np.arange(first, first + 10), np.arange(first, first + 10.0))
    assert kept.every == 16
    assert kept.numbers.tolist() == list(range(0, 1000, 16)) == kept.values.tolist()


def test_a_matrix_too_wide_for_the_screen_becomes_a_list_of_its_largest_confusions():
    found = Evaluation(np.array([f"kind {k}" for k in range(30)]))
    y = np.repeat(np.arange(30), 10)
    answers = y.copy()
    answers[:7] = 4
    found.count(found.classes[y], answers)
    text = evaluation_text(found, "rows", width=100)
    assert "7 rows of 'kind 0' predicted as 'kind 4' (70.0% of its rows)" in text
    assert "Confusion matrix (rows: true class" in evaluation_text(found, "rows", width=1000)
