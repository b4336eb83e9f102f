"""What was learned before survives an error, an interruption, a callback that fails."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import Perceptron


@pytest.fixture
def fitted():
    generator = np.random.default_rng(1)
    X = generator.standard_normal((300, 5))
    y = np.where(X[:, 0] + 0.3 * generator.standard_normal(300) > 0, "yes", "no")
    return Perceptron(random_state=0).fit(X, y), X, y


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_fit_leaves_the_old_model(fitted, error):
    model, X, y = fitted
    before, weights = model.predict(X), model.coef_.copy()

    def interrupt(record):
        if record.epoch == 3:
            raise error

    model.set_params(callbacks=interrupt)
    with pytest.raises(error):
        model.fit(X, y[::-1])
    assert np.array_equal(model.predict(X), before)
    assert np.array_equal(model.coef_, weights)
    assert model.epochs_ == 10


def test_an_interrupted_warm_fit_leaves_the_old_model(fitted):
    model, X, y = fitted
    weights, seen = model.coef_.copy(), model.examples_seen_

    def interrupt(record):
        raise KeyboardInterrupt

    model.set_params(callbacks=interrupt, warm_start=True)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert np.array_equal(model.coef_, weights)
    assert model.examples_seen_ == seen


@pytest.mark.parametrize("keep", ["last", "averaged", "voted", "pocket"])
def test_a_bad_row_late_in_a_stream_leaves_the_old_model(fitted, keep):
    _, X, y = fitted
    model = Perceptron(keep=keep).partial_fit(X, y)
    before = model.decision_function(X)
    broken = X.copy()
    broken[250, 3] = np.nan
    with pytest.raises(ValueError, match="NaN in row 250, column 3"):
        model.partial_fit(broken, y)
    assert np.array_equal(model.decision_function(X), before)
    assert model.examples_seen_ == 300
