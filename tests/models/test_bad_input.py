"""Invalid input is refused with place, value and remedy, and leaves a fitted model unchanged."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt.budgets import Forgetron, Oldest, Projectron
from tests.covering import in_turn
from tests.models import faults
from tests.models.faults import (
    LABELS,
    NAN_HERE,
    ROWS,
    Bad,
    assert_message,
    cases_of,
    frame,
    holding,
    setting,
    unnamed,
)
from tests.rules.own_rules import Fading

THREE = np.array([0, 1, 2, 0, 1, 0, 2, 1])

BAD_VALIDATION = {
    "with other features": setting(
        r"validation: 2 features, the training rows have 3", validation=(ROWS[:, :2], LABELS)
    ),
    "with other labels": setting(r"validation.*label 5 in row 0 is ", validation=(ROWS, LABELS + 5)),
    "with NaN": setting(r"validation.*NaN in row 5, column 2", validation=(holding(np.nan), LABELS)),
}
BAD_CALLBACKS = {
    "a number": setting(r"callbacks: expected a callable or a list.*, got 3", callbacks=3),
    "not callable": setting(r"callbacks: expected a callable.*\['print'\]", callbacks=["print"]),
}
ZERO_ONCE_MULTIPLIED = Bad(
    r"(sample|class)_weight: .*zero", sample_weight=LABELS, settings={"class_weight": {1: 0.0}}
)

# ---------------------------------------------------------------- Perceptron

LINEAR = cases_of(
    LABELS,
    X=faults.BAD_X,
    y=faults.BAD_Y
    | {
        "two columns of classes": Bad(
            r"Y: 2 in row 1, column 1; a label is 0 or 1.*one column after another",
            y=np.c_[LABELS, 2 * LABELS],
        ),
        "two columns of words": Bad(
            r"Y: Unknown label type: multiclass-multioutput.*give 0 and 1", y=np.array([["a", "b"]] * 8)
        ),
    },
    sample_weight=faults.BAD_WEIGHTS | {"zero once multiplied by the class weight": ZERO_ONCE_MULTIPLIED},
    class_weight=faults.BAD_CLASS_WEIGHT
    | {
        "unknown class": setting(
            r"class_weight: 7 is not a class; the classes are \[0, 1\]", class_weight={7: 1}
        ),
        "all zero": setting(r"class_weight: .*not all 0", class_weight={0: 0, 1: 0}),
    },
    overflow={
        "numbers so large that w overflows": Bad(
            r"X: the weights overflowed.*; divide the features",
            X=np.full((8, 3), 1.7e308),  # the same row with either label: a mistake is certain
            sample_weight=[10.0] * 8,
        ),
    },
)
LINEAR_SETTINGS = cases_of(
    LABELS,
    setting=faults.BAD_SETTINGS
    | {
        "n_jobs zero": setting(r"n_jobs: expected a number of threads.*got 0", n_jobs=0),
        "pocket and a search": setting(
            r"'first_mistake' visits only misclassified rows",
            keep="pocket",
            order="first_mistake",
        ),
        "epochs zero until separated": setting(r"epochs: .*got 0", epochs=0, until="separated"),
        "order in two dimensions": setting(r"order: .*sequence of row numbers", order=[[0], [1]]),
    },
    init={
        "unknown": setting(r"init: got 'ones', expected one of 'zeros', 'unit'", init="ones"),
        "too short": setting(r"init: 2 weights for 3 features; give one for each", init=[1.0, 2.0]),
        "NaN": setting(r"init: .*finite", init=[0.0, np.nan, 0.0]),
        "with an infinite offset": setting(r"init: .*finite", init=(np.zeros(3), np.inf)),
        "with an offset where there is none": setting(
            r"(init|offset): ", init=(np.ones(3), 5.0), offset=False
        ),
    },
    validation=BAD_VALIDATION
    | {
        "negative": setting(r"validation: .*between 0 and 1.*got -0\.1", validation=-0.1),
        "too small to hold out a row": setting(
            r"validation: a part of 0\.01 of 8 rows leaves none to hold out; give other rows",
            validation=0.01,
        ),
        "too large to leave a row": setting(
            r"validation: a part of 0\.99 of 8 rows leaves none to learn from", validation=0.99
        ),
        "that leaves one class": Bad(r"validation: ", y=[0] * 6 + [1] * 2, settings={"validation": 0.8}),
        "with too few labels": setting(r"validation.*7 labels for 8 rows", validation=(ROWS, LABELS[:7])),
    },
    callbacks=BAD_CALLBACKS,
    overflow={
        "of an average": Bad(
            r"overflow.*divide the features",
            X=np.array([[1e307], [2e307], [-3e307], [1e307]] * 2),
            y=[1, 0, 1, 0] * 2,
            settings={"keep": "averaged", "epochs": 50, "offset": False, "order": "given"},
        ),
        **{
            f"at the very last step, {layout.__name__}": Bad(
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
    },
)

# ---------------------------------------------------------------- KernelPerceptron


class Unfinished(NamedTuple):
    """It has neither a threshold nor a step."""


def kernel_of(value):
    return lambda X, Z: np.full((len(X), len(Z)), value)


DUAL = cases_of(
    THREE,
    X=faults.BAD_X,
    y=faults.BAD_Y
    | {
        "two columns": Bad(r"y should be a 1d array, got an array of shape \(8, 2\)", y=np.c_[THREE, THREE])
    },
    sample_weight=faults.BAD_WEIGHTS
    | {"zero once multiplied by the class weight": ZERO_ONCE_MULTIPLIED._replace(sample_weight=THREE == 1)},
    class_weight=faults.BAD_CLASS_WEIGHT
    | {
        "unknown class": setting(
            r"class_weight: 7 is not a class; the classes are \[0, 1, 2\]", class_weight={7: 1}
        ),
        "all zero": setting(r"class_weight: .*not all 0", class_weight={0: 0, 1: 0, 2: 0}),
    },
)
DUAL_SETTINGS = cases_of(
    THREE,
    kernel={
        "unknown": setting(
            r"kernel: got 'rbf', expected one of 'linear', 'polynomial', 'gaussian'", kernel="rbf"
        ),
        "a list": setting(r"kernel: got \['gaussian'\], expected a name", kernel=["gaussian"]),
        "NaN": setting(r"kernel: K is nan for one pair.*finite", kernel=kernel_of(np.nan)),
        "that overflows": Bad(
            r"kernel: \(γ x·z \+ c\)\^9 overflows.*use gamma=.*or less",
            X=ROWS * 1e100,
            settings={"kernel": "polynomial", "degree": 9, "gamma": 1.0},
        ),
        "linear that overflows": Bad(
            r"kernel: values of the linear kernel overflow; divide the features",
            X=ROWS * 1e160,
            settings={"kernel": "linear"},
        ),
    },
    setting=faults.BAD_SETTINGS
    | {
        "rule without a step": setting(r"rule: got Unfinished\(\), expected a name", rule=Unfinished()),
        "rule alma": setting(
            r"rule: 'alma' has no dual form here: it shrinks w to length 1.*; use 'rosenblatt', 'margin'",
            rule="alma",
        ),
        "rule forgetting": setting(
            r"rule: 'forgetting' has no dual form here: it shrinks the old w.*; use", rule="forgetting"
        ),
        "rule that shrinks": setting(
            r"rule: 'Fading' has no dual form: its step shrinks w.*; use a rule that adds", rule=Fading()
        ),
        "order that searches": setting(
            r"order: 'worst_mistake' would need the score of every row.*; use order='shuffled' or 'given'",
            order="worst_mistake",
        ),
    },
    budget={
        "zero": setting(r"budget: expected a number of support rows of at least 1, got 0", budget=0),
        "a fraction": setting(r"budget: got 1\.5, expected None, a number of support rows", budget=1.5),
        "with a committee": setting(
            r"keep: 'voted' needs every vector of the run.*use keep='averaged' or 'last'",
            budget=9,
            keep="voted",
        ),
    },
    device={"unknown": setting(r"device: expected 'auto', 'cpu'.* got 'tpu'", device="tpu")},
    validation=BAD_VALIDATION,
    callbacks=BAD_CALLBACKS,
)

# ---------------------------------------------------------------- both


class Kind(NamedTuple):
    """An estimator, labels for ROWS, its bad calls, and settings with which it is fitted before them."""

    make: Any
    labels: Any
    data: dict[str, Bad]
    settings: dict[str, Bad]
    others: list[dict[str, Any]]


KINDS = {
    "Perceptron": Kind(Perceptron, LABELS, LINEAR, LINEAR_SETTINGS, [{}, {"keep": "voted"}]),
    "KernelPerceptron": Kind(
        KernelPerceptron, THREE, DUAL, DUAL_SETTINGS, [{}, {"budget": Oldest(4)}, {"budget": Projectron(4)}]
    ),
}
both_kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def bad_calls(*groups: str, begins: tuple[str, ...] = ("",), but: tuple[str, ...] = ()) -> Any:
    """Parametrizes with each kind and bad call whose name begins so, and other settings in turn."""
    cases = []
    for name, kind in KINDS.items():
        calls = {key: bad for group in groups for key, bad in getattr(kind, group).items()}
        chosen = [(key, bad) for key, bad in calls.items() if key.startswith(begins) and key not in but]
        for (key, bad), others in in_turn(chosen, kind.others):
            is_alone = bool(others.keys() & bad.settings.keys())
            cases.append(pytest.param(kind, bad, {} if is_alone else others, id=f"{name} {key}"))
    return pytest.mark.parametrize(("kind", "bad", "others"), cases)


def fitted(kind: Kind, others: dict[str, Any]) -> Any:
    return kind.make(random_state=0, **others).fit(ROWS, kind.labels)


def contents(model: Any) -> Any:
    """Return the decision values of a model, and the bytes of its attributes without its parameters."""
    values = model.decision_function(ROWS).tolist()  # what is made when first asked for is made now
    _ = getattr(model, "coef_", None)
    parameters = model.get_params()
    return values, pickle.dumps(
        {name: fact for name, fact in vars(model).items() if name not in parameters}
    )


# ---------------------------------------------------------------- the sentence


@bad_calls(
    "data", "settings", begins=("X", "y", "sample", "class", "overflow: numbers", "kernel", "budget")
)
def test_partial_fit_gives_the_same_message_and_leaves_no_attributes(kind, bad, others):
    model = kind.make(**others | bad.settings)
    before = set(vars(model))
    with pytest.raises(bad.error) as error:
        model.partial_fit(bad.X, bad.y, sample_weight=bad.sample_weight)
    assert_message(bad, error)
    assert set(vars(model)) == before


@unnamed
@bad_calls("data", begins=("X",))
def test_predict_gives_the_same_message(kind, bad, others):
    model = fitted(kind, others)
    with pytest.raises(bad.error) as error:
        model.predict(bad.X)
    assert_message(bad, error)


@pytest.mark.parametrize("ask", ["predict", "decision_function", "score", "training_error", "partial_fit"])
@pytest.mark.parametrize("rows", [ROWS[:, :2], sparse.csr_array(ROWS[:, :2])], ids=["dense", "sparse"])
@both_kinds
def test_another_number_of_features_is_refused(kind, ask, rows):
    model = fitted(kind, {})
    arguments = (rows,) if ask in ("predict", "decision_function") else (rows, kind.labels)
    expected = rf"X has 2 features, but {kind.make.__name__} is expecting 3 .*columns"
    with pytest.raises(ValueError, match=expected):
        getattr(model, ask)(*arguments)


FEW_WORDS = list("abbcbaab")
UNKNOWN = {
    "numbers": ([0, 1], [0, 1, 1, 5, 1, 0, 0, 1], "5 in row 3"),
    "words": (["a", "b"], FEW_WORDS, "'c' in row 3"),
    "objects": (["a", "b"], np.array(FEW_WORDS, object), "'c' in row 3"),
    "a Series": (["a", "b"], pd.Series(FEW_WORDS), "'c' in row 3"),
    "numbers for words": (["a", "b"], LABELS, "0 in row 0"),
    "words for numbers": ([0, 1], list("abbabaab"), "'a' in row 0"),
    "three": ([0, 1, 2], [0, 1, 1, 5, 1, 0, 0, 1], "5 in row 3"),
}


@pytest.mark.parametrize(("classes", "y", "where"), UNKNOWN.values(), ids=UNKNOWN)
@both_kinds
def test_a_label_that_is_not_a_class_is_named_with_its_row(kind, classes, y, where):
    says = rf"y: label {where} is (neither .* nor |not one of the classes \[)"
    with pytest.raises(ValueError, match=says):
        kind.make().partial_fit(ROWS, y, classes=classes)
    model = kind.make(random_state=0).fit(ROWS, np.array(classes)[THREE % len(classes)])
    before = contents(model)
    for ask in (model.partial_fit, model.training_error):
        with pytest.raises(ValueError, match=says):
            ask(ROWS, y)
    assert contents(model) == before


@pytest.mark.parametrize("classes", [[1], [], [1, 1]])
@both_kinds
def test_the_classes_announced_must_be_at_least_two(kind, classes):
    with pytest.raises(ValueError, match=r"classes: expected at least two classes, got"):
        kind.make().partial_fit(ROWS, kind.labels, classes=classes)


@both_kinds
def test_one_class_alone_needs_the_other_to_be_announced(kind):
    with pytest.raises(ValueError, match=r"only one class.*classes=\[...\]"):
        kind.make().partial_fit(ROWS, np.ones(8, int))


@both_kinds
def test_names_that_do_not_match_are_named(kind):
    model = kind.make().fit(frame(ROWS[:, 2]), kind.labels)
    with pytest.raises(ValueError, match=r"(?s)names should match.*- d.*- c"):
        model.partial_fit(frame(ROWS[:, 2]).rename(columns={"c": "d"}), kind.labels)


# ---------------------------------------------------------------- what was learned before


@unnamed
@bad_calls("data", "settings")
def test_a_refused_fit_gives_the_reason_and_changes_nothing(kind, bad, others):
    model = fitted(kind, others)
    before = contents(model)
    with pytest.raises(bad.error) as error:
        model.set_params(**bad.settings).fit(bad.X, bad.y, sample_weight=bad.sample_weight)
    assert_message(bad, error)
    good = kind.make(random_state=0, **others).get_params()
    assert contents(model.set_params(**{name: good[name] for name in bad.settings})) == before


@unnamed
@pytest.mark.parametrize("learn", ["partial_fit", "warm fit"])
# once the classes are known, a part may well have only one
@bad_calls("data", but=("y: one class",))
def test_learning_on_that_is_refused_changes_nothing(kind, bad, others, learn):
    model = fitted(kind, others)
    before = contents(model)
    model.set_params(warm_start=learn == "warm fit", **bad.settings)
    with pytest.raises((ValueError, TypeError)):
        (model.fit if learn == "warm fit" else model.partial_fit)(
            bad.X, bad.y, sample_weight=bad.sample_weight
        )
    good = kind.make(random_state=0, **others).get_params()
    assert contents(model.set_params(**{name: good[name] for name in bad.settings})) == before
    twin = fitted(kind, others).partial_fit(ROWS, kind.labels)  # and it can go on
    assert contents(model.partial_fit(ROWS, kind.labels))[0] == contents(twin)[0]


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


@pytest.mark.parametrize("budget", [None, Oldest(6), Forgetron(6), Projectron(6)], ids=str)
def test_a_run_that_breaks_off_in_a_late_block_leaves_what_was_learned_before(budget):
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(700, 3)), generator.integers(0, 2, size=700)
    model = KernelPerceptron(kernel="polynomial", gamma=1.0, budget=budget, random_state=0, keep="last")
    model.fit(X, y)
    before = model.decision_function(X).tolist(), model.mistakes_, model.support_.tolist()
    far = X.copy()
    far[650] = 1e120  # K(x, x) overflows, in the third block
    for learn in (model.partial_fit, model.set_params(order="given").fit):
        with pytest.raises(ValueError, match=r"kernel: .*overflow"):
            learn(far, y)
        assert (model.decision_function(X).tolist(), model.mistakes_, model.support_.tolist()) == before
    again = KernelPerceptron(kernel="polynomial", gamma=1.0, budget=budget, random_state=0, keep="last")
    again.fit(X, y).partial_fit(X, 1 - y)
    assert model.partial_fit(X, 1 - y).mistakes_ == again.mistakes_
