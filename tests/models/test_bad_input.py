"""Bad input: each is refused with a sentence that names the place, what was got and the remedy, and an
estimator that was fitted before is left as it was."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rosenblatt import Perceptron
from rosenblatt.rules import Alma, Margin
from tests.models import faults
from tests.models.faults import (
    LABELS,
    NAN_HERE,
    ROWS,
    Bad,
    assert_told,
    cases_of,
    each,
    frame,
    holding,
    setting,
    unnamed,
)

BAD_X = faults.BAD_X | {
    "numbers so large that w overflows": Bad(
        r"X: the weights overflowed.*; divide the features",
        X=np.full((8, 3), 1.7e308),  # the same row with either label: a mistake is certain
        sample_weight=[10.0] * 8,
    ),
}
BAD_Y = faults.BAD_Y | {
    "two columns of classes": Bad(
        r"Y: 2 in row 1, column 1; a label is 0 or 1.*one column after another", y=np.c_[LABELS, 2 * LABELS]
    ),
    "two columns of words": Bad(
        r"Y: Unknown label type: multiclass-multioutput.*give 0 and 1", y=np.array([["a", "b"]] * 8)
    ),
}
BAD_WEIGHTS = faults.BAD_WEIGHTS | {
    "zero once multiplied by the class weight": Bad(
        r"(sample|class)_weight: .*zero", sample_weight=LABELS, settings={"class_weight": {1: 0.0}}
    ),
}
BAD_CLASS_WEIGHT = faults.BAD_CLASS_WEIGHT | {
    "unknown class": Bad(
        r"class_weight: 7 is not a class; the classes are \[0, 1\]", settings={"class_weight": {7: 1}}
    ),
    "all zero": Bad(r"class_weight: .*not all 0", settings={"class_weight": {0: 0, 1: 0}}),
}
BAD_SETTINGS = faults.BAD_SETTINGS | {
    "rule parameter NaN": setting(r"Margin\.rate: .*finite", rule=Margin(rate=np.nan)),
    "rule parameter a word": setting(r"Margin\.tau: expected a number, got 'a'", rule=Margin(tau="a")),
    "rule parameter above one": setting(r"Alma\.alpha: .*at most 1, got 2", rule=Alma(alpha=2)),
    "epochs zero until separated": setting(r"epochs: .*got 0", epochs=0, until="separated"),
    "order of words": setting(r"order: .*sequence of row numbers", order=["a"]),
    "order in two dimensions": setting(r"order: .*sequence of row numbers", order=[[0], [1]]),
    "init unknown": setting(r"init: got 'ones', expected one of 'zeros', 'unit'", init="ones"),
    "init none": setting(r"init: ", init=None),
    "init too short": setting(r"init: 2 weights for 3 features; give one for each", init=[1.0, 2.0]),
    "init too long": setting(r"init: 4 weights for 3 features; give one for each", init=np.ones(4)),
    "init NaN": setting(r"init: .*finite", init=[0.0, np.nan, 0.0]),
    "init of words": setting(r"init: .*got \['a', 'b', 'c'\]", init=["a", "b", "c"]),
    "init with an infinite offset": setting(r"init: .*finite", init=(np.zeros(3), np.inf)),
    "init with a word for an offset": setting(r"init: ", init=(np.zeros(3), "a")),
    "init with no offset in the pair": setting(r"init: ", init=(np.zeros(3), None)),
    "init with an offset where there is none": setting(
        r"(init|offset): ", init=(np.ones(3), 5.0), offset=False
    ),
    "validation zero": setting(r"validation: .*between 0 and 1.*got 0", validation=0.0),
    "validation negative": setting(r"validation: .*between 0 and 1.*got -0\.1", validation=-0.1),
    "validation a truth": setting(r"validation: expected a fraction such as 0\.1, a pair", validation=True),
    "validation without labels": setting(r"validation: expected .*a pair \(X, y\)", validation=(ROWS,)),
    "validation too small to hold out a row": setting(
        r"validation: a part of 0\.01 of 8 rows leaves none to hold out; give other rows", validation=0.01
    ),
    "validation too large to leave a row": setting(
        r"validation: a part of 0\.99 of 8 rows leaves none to learn from", validation=0.99
    ),
    "validation that leaves one class to learn from": Bad(
        r"validation: ", y=[0] * 6 + [1] * 2, settings={"validation": 0.8}
    ),
    "validation with other features": setting(
        r"validation: 2 features, the training rows have 3", validation=(ROWS[:, :2], LABELS)
    ),
    "validation with other labels": setting(
        r"validation.*label 5 in row 0 is neither 0 nor 1", validation=(ROWS, LABELS + 5)
    ),
    "validation with too few labels": setting(
        r"validation.*7 labels for 8 rows", validation=(ROWS, LABELS[:7])
    ),
    "validation with NaN": setting(
        r"validation.*NaN in row 5, column 2", validation=(holding(np.nan), LABELS)
    ),
    "callbacks a number": Bad(r"callbacks", settings={"callbacks": 3}, error=(TypeError, ValueError)),
    "callbacks not callable": Bad(
        r"callbacks", settings={"callbacks": ["print"]}, error=(TypeError, ValueError)
    ),
    "average that overflows": Bad(
        r"overflow.*divide the features",
        X=np.array([[1e307], [2e307], [-3e307], [1e307]] * 2),
        y=[1, 0, 1, 0] * 2,
        settings={"keep": "averaged", "epochs": 50, "offset": False, "order": "given"},
    ),
    **{
        f"weights that overflow at the very last look, {layout.__name__}": Bad(
            r"overflow.*divide the features",
            X=layout([[1.7e308, 1.7e308], [1.7e308, -1.7e308], [0.0, -1.0]]),
            y=[1, 1, 0],
            settings={"order": [0, 1], "epochs": 1, "offset": False},
        )
        for layout in (list, sparse.csr_array)
    },
    "NaN where no mistake leads": Bad(
        NAN_HERE.replace("5, column 2", "2, column 0"),
        X=[[0.0], [0.0], [np.nan]],
        y=[0, 1, 1],
        settings={"order": "first_mistake", "epochs": 1},
    ),
}

OF_EITHER = cases_of(LABELS, X=BAD_X, y=BAD_Y, sample_weight=BAD_WEIGHTS, class_weight=BAD_CLASS_WEIGHT)
OF_FIT = OF_EITHER | BAD_SETTINGS


def model_bytes(model: Perceptron) -> bytes:
    """All that the model has beside its parameters, byte for byte."""
    _ = model.coef_, model.decision_function(ROWS)  # what is made when first asked for is made now
    parameters = model.get_params()
    return pickle.dumps({name: fact for name, fact in vars(model).items() if name not in parameters})


# ---------------------------------------------------------------- the sentence


@each(OF_EITHER)
def test_partial_fit_says_the_same_and_leaves_nothing_behind(bad):
    model = Perceptron(**bad.settings)
    before = set(vars(model))
    with pytest.raises(bad.error) as error:
        model.partial_fit(bad.X, bad.y, sample_weight=bad.sample_weight)
    assert_told(bad, error)
    assert set(vars(model)) == before


@unnamed
@each(BAD_X, but=("numbers so large that w overflows",), keep=["last", "voted"])
def test_predict_says_the_same(bad, keep):
    model = Perceptron(keep=keep).fit(ROWS, LABELS)
    with pytest.raises(bad.error) as error:
        model.predict(bad.X)
    assert_told(bad, error)


@pytest.mark.parametrize("ask", ["predict", "decision_function", "score", "training_error", "partial_fit"])
@pytest.mark.parametrize("rows", [ROWS[:, :2], sparse.csr_array(ROWS[:, :2])], ids=["dense", "sparse"])
def test_another_number_of_features_is_refused(ask, rows):
    model = Perceptron().fit(ROWS, LABELS)
    arguments = (rows,) if ask in ("predict", "decision_function") else (rows, LABELS)
    with pytest.raises(ValueError, match=r"X has 2 features, but Perceptron is expecting 3 .*columns"):
        getattr(model, ask)(*arguments)


UNKNOWN = {
    "numbers": ([0, 1], [0, 1, 1, 5, 1, 0, 0, 1], r"y: label 5 in row 3 is neither 0 nor 1"),
    "words": (["a", "b"], list("abbcbaab"), r"y: label 'c' in row 3 is neither 'a' nor 'b'"),
    "words as objects": (
        ["a", "b"],
        np.array(list("abbcbaab"), dtype=object),
        r"y: label 'c' in row 3 is neither 'a' nor 'b'",
    ),
    "words in a Series": (
        ["a", "b"],
        pd.Series(list("abbcbaab")),
        r"y: label 'c' in row 3 is neither 'a' nor 'b'",
    ),
    "numbers for words": (["a", "b"], LABELS, r"y: label 0 in row 0 is neither 'a' nor 'b'"),
    "words for numbers": ([0, 1], list("abbabaab"), r"y: label 'a' in row 0 is neither 0 nor 1"),
}


@pytest.mark.parametrize(("classes", "y", "says"), UNKNOWN.values(), ids=UNKNOWN)
def test_a_label_that_is_not_a_class_is_named_with_its_row(classes, y, says):
    with pytest.raises(ValueError, match=says):
        Perceptron().partial_fit(ROWS, y, classes=classes)
    model = Perceptron().fit(ROWS, np.array(classes)[LABELS])
    with pytest.raises(ValueError, match=says):
        model.partial_fit(ROWS, y)
    with pytest.raises(ValueError, match=says):
        model.training_error(ROWS, y)


@pytest.mark.parametrize("classes", [[1], [], [1, 1]])
def test_the_classes_announced_must_be_at_least_two(classes):
    with pytest.raises(ValueError, match="class"):
        Perceptron().partial_fit(ROWS, LABELS, classes=classes)


def test_one_class_alone_needs_the_other_to_be_announced():
    with pytest.raises(ValueError, match=r"only one class.*classes=\[...\]"):
        Perceptron().partial_fit(ROWS, np.ones(8, int))


def test_names_that_do_not_match_are_named():
    model = Perceptron().fit(frame(ROWS[:, 2]), LABELS)
    with pytest.raises(ValueError, match=r"(?s)names should match.*- d.*- c"):
        model.partial_fit(frame(ROWS[:, 2]).rename(columns={"c": "d"}), LABELS)


# ---------------------------------------------------------------- what was learned before


@each(OF_FIT)
def test_fit_says_what_is_bad_where_and_what_to_do_and_changes_nothing(bad):
    model = Perceptron(random_state=0).fit(ROWS, LABELS)
    before, answers = model_bytes(model), model.predict(ROWS).tolist()
    with pytest.raises(bad.error) as error:
        model.set_params(**bad.settings).fit(bad.X, bad.y, sample_weight=bad.sample_weight)
    assert_told(bad, error)
    assert model_bytes(model) == before
    assert model.predict(ROWS).tolist() == answers


@unnamed
@each(OF_EITHER)
def test_a_warm_fit_that_is_refused_changes_nothing(bad):
    model = Perceptron(random_state=0, warm_start=True).fit(ROWS, LABELS)
    before = model_bytes(model)
    with pytest.raises((ValueError, TypeError)):
        model.set_params(**bad.settings).fit(bad.X, bad.y, sample_weight=bad.sample_weight)
    assert model_bytes(model) == before


@unnamed
@each(OF_EITHER, but=("y: one class",))  # once the classes are known, a batch may well have only one
def test_a_partial_fit_that_is_refused_changes_nothing(bad):
    model = Perceptron(random_state=0).fit(ROWS, LABELS)
    before, answers = model_bytes(model), model.predict(ROWS).tolist()
    with pytest.raises((ValueError, TypeError)):
        model.set_params(**bad.settings).partial_fit(bad.X, bad.y, sample_weight=bad.sample_weight)
    assert model_bytes(model) == before
    assert model.predict(ROWS).tolist() == answers


@pytest.mark.parametrize("keep", ["last", "averaged", "voted", "pocket"])
def test_nan_deep_in_a_large_batch_leaves_what_was_learned_before(keep):
    batch = np.ones((140_000, 128), dtype=np.float32)  # more than is walked over in one go
    batch[:, 0] = np.resize([-1.0, 1.0], 140_000)
    labels = np.resize([0, 1], 140_000)
    model = Perceptron(keep=keep).partial_fit(batch[:100], 1 - labels[:100])
    before = model.decision_function(batch[:100]).tolist()
    counts = model.mistakes_, model.updates_, model.examples_seen_, model.epochs_
    batch[135_001, 77] = np.nan
    with pytest.raises(ValueError, match="NaN in row 135001, column 77"):
        model.partial_fit(batch, labels)
    assert model.decision_function(batch[:100]).tolist() == before
    assert (model.mistakes_, model.updates_, model.examples_seen_, model.epochs_) == counts
    model.partial_fit(batch[:1000], labels[:1000])
    assert model.examples_seen_ == 1100


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("entries", [3, 600])
def test_a_bad_value_in_sparse_rows_leaves_what_was_learned_before(entries, value):
    wide = sparse.csr_array(([1.0, -1.0], [0, 1], [0, 1, 2]), shape=(2, 1000))
    model = Perceptron().fit(wide, [1, 0])
    before = learned_from(model, wide)
    batch = sparse.csr_array((np.ones(entries), range(entries), range(entries + 1)), shape=(entries, 1000))
    batch.data[entries - 1] = value
    with pytest.raises(ValueError, match=rf"(NaN|infinity) in row {entries - 1}, column {entries - 1}"):
        model.partial_fit(batch, np.zeros(entries, int))
    assert learned_from(model, wide) == before


def learned_from(model: Perceptron, rows: Any) -> tuple[list[float], list[list[float]], int]:
    return model.decision_function(rows).tolist(), model.coef_.tolist(), model.mistakes_


def test_an_overflow_in_a_few_sparse_rows_leaves_what_was_learned_before():
    wide = sparse.csr_array(([1.0, -1.0], [0, 1], [0, 1, 2]), shape=(2, 1000))
    model = Perceptron().fit(wide, [1, 0])
    before = learned_from(model, wide)
    huge = sparse.csr_array((np.full(4, 1.7e308), [0] * 4, range(5)), shape=(4, 1000))
    with pytest.raises(ValueError, match="overflow"):
        model.partial_fit(huge, [0, 1, 0, 1], sample_weight=[10.0] * 4)
    assert learned_from(model, wide) == before
    again = Perceptron().fit(wide, [1, 0]).partial_fit(wide, [0, 1])
    assert model.partial_fit(wide, [0, 1]).coef_.tolist() == again.coef_.tolist()
