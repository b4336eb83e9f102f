"""Bad input to KernelPerceptron: each is refused with a sentence that names the place, what was got and the
remedy, and an estimator that was fitted before is left as it was."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import KernelPerceptron
from rosenblatt.budgets import Forgetron, Oldest, Projectron, ProjectronPlusPlus
from rosenblatt.kernels import Gaussian, Polynomial
from tests.models import faults
from tests.models.faults import (
    BAD_X,
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
from tests.rules.own_rules import Fading

LABELS = np.array([0, 1, 2, 0, 1, 0, 2, 1])


class Unfinished(NamedTuple):
    """It has neither a threshold nor a step."""


BAD_Y = faults.BAD_Y | {
    "two columns": Bad(r"y should be a 1d array, got an array of shape \(8, 2\)", y=np.c_[LABELS, LABELS]),
    "words and numbers": Bad(r"y: .*one kind", y=np.array(["a", 1, 1, "a", 1, "a", "a", 1], object)),
}
BAD_WEIGHTS = faults.BAD_WEIGHTS | {
    "zero once multiplied by the class weight": Bad(
        r"(sample|class)_weight: .*zero",
        sample_weight=LABELS == 1,
        settings={"class_weight": {1: 0.0}},
    ),
}
BAD_CLASS_WEIGHT = faults.BAD_CLASS_WEIGHT | {
    "a number": setting(r"class_weight: expected a dict.*got 2\.0", class_weight=2.0),
    "unknown class": setting(
        r"class_weight: 7 is not a class; the classes are \[0, 1, 2\]", class_weight={7: 1}
    ),
    "all zero": setting(r"class_weight: .*not all 0", class_weight={0: 0, 1: 0, 2: 0}),
    "a word for a weight": setting(r"class_weight: .*a number for each class", class_weight={0: "much"}),
}


def asymmetric(X, Z):
    return X[:, :1] - Z[:, :1].T


BAD_KERNEL = {
    "kernel unknown": setting(
        r"kernel: got 'rbf', expected one of 'linear', 'polynomial', 'gaussian'", kernel="rbf"
    ),
    "kernel none": setting(
        r"kernel: got None, expected a name \(linear, .*such as .*Gaussian", kernel=None
    ),
    "kernel a number": setting(r"kernel: got 3, expected a name", kernel=3),
    "kernel a list": setting(r"kernel: got \['gaussian'\], expected a name", kernel=["gaussian"]),
    "kernel of a wrong shape": setting(
        r"kernel: returned shape \(8,\) for 8 and 8 rows; it must return", kernel=lambda X, Z: X[:, 0]
    ),
    "kernel not symmetric": setting(r"kernel: not symmetric: K\(x, z\) = .* must be", kernel=asymmetric),
    "kernel of words": setting(
        r"kernel: expected an array of numbers", kernel=lambda X, Z: np.full((len(X), len(Z)), "a")
    ),
    "kernel NaN": setting(
        r"kernel: K is nan for one pair.*finite", kernel=lambda X, Z: np.full((len(X), len(Z)), np.nan)
    ),
    "kernel that overflows": Bad(
        r"kernel: \(γ x·z \+ c\)\^9 overflows.*use gamma=.*or less",
        X=ROWS * 1e100,
        settings={"kernel": "polynomial", "degree": 9, "gamma": 1.0},
    ),
    "linear kernel that overflows": Bad(
        r"kernel: values of the linear kernel overflow; divide the features",
        X=ROWS * 1e160,
        settings={"kernel": "linear"},
    ),
    "degree of a kernel object": setting(r"degree: .*at least 1, got 0", kernel=Polynomial(degree=0)),
    "gamma of a kernel object": setting(r"gamma: .*above 0.*, got -2", kernel=Gaussian(gamma=-2)),
    "coef0 below 0": setting(
        r"coef0: expected a finite number of at least 0", kernel="polynomial", coef0=-1
    ),
}

BAD_SETTINGS = (
    BAD_KERNEL
    | faults.BAD_SETTINGS
    | {
        "rule without a step": setting(r"rule: got Unfinished\(\), expected a name", rule=Unfinished()),
        "rule alma": setting(
            r"rule: 'alma' has no dual form here: it shrinks w to length 1.*; use 'rosenblatt', 'margin'",
            rule="alma",
        ),
        "rule romma": setting(r"rule: 'romma' has no dual form here: it stretches.*; use", rule="romma"),
        "rule aggressive_romma": setting(
            r"rule: 'aggressive_romma' has no dual form", rule="aggressive_romma"
        ),
        "rule forgetting": setting(
            r"rule: 'forgetting' has no dual form here: it fades the old w.*; use", rule="forgetting"
        ),
        "rule that shrinks": setting(
            r"rule: 'Fading' has no dual form: its step shrinks w.*; use a rule that adds", rule=Fading()
        ),
        "order that searches": setting(
            r"order: 'worst_mistake' would need the score of every row.*; use order='shuffled' or 'given'",
            order="worst_mistake",
        ),
        "order that searches for the first": setting(
            r"order: 'first_mistake' would need .*; use order=", order="first_mistake"
        ),
        "budget zero": setting(r"budget: expected at least 1 support row, got 0", budget=0),
        "budget negative": setting(r"budget: expected at least 1 support row, got -3", budget=-3),
        "budget a fraction": setting(
            r"budget: got 1\.5, expected None, a number of support rows", budget=1.5
        ),
        "budget a truth": setting(
            r"budget: got True, expected None, a number of support rows", budget=True
        ),
        "budget a word": setting(r"budget: got 'x', .*object such as .*Forgetron\(size=500\)", budget="x"),
        "budget a class": setting(r"budget: got <class .*Forgetron", budget=Forgetron),
        "budget of no rows": setting(r"budget: expected at least 1 support row, got 0", budget=Oldest(0)),
        "budget of a fraction": setting(
            r"budget: expected a whole number.*got 2\.5", budget=Forgetron(2.5)
        ),
        "eta negative": setting(r"Projectron\.eta: .*at least 0, got -1", budget=Projectron(9, eta=-1)),
        "eta zero": setting(
            r"ProjectronPlusPlus\.eta: .*above 0, got 0", budget=ProjectronPlusPlus(9, eta=0)
        ),
        "a committee on a budget": setting(
            r"keep: 'voted' needs every vector of the run.*use keep='averaged' or 'last'",
            budget=9,
            keep="voted",
        ),
        "one at random on a budget": setting(
            r"keep: 'random' needs every vector of the run", budget=9, keep="random"
        ),
        "a margin in the Forgetron": setting(
            r"rule: Forgetron is defined for .*rule='rosenblatt'.*got .*; use that rule",
            budget=Forgetron(9),
            rule="margin",
        ),
        "another rule in Projectron++": setting(
            r"rule: ProjectronPlusPlus is defined for .*rule='rosenblatt'.*got .*; use that rule",
            budget=ProjectronPlusPlus(9),
            rule="passive_aggressive",
        ),
        "cache_size negative": setting(r"cache_size: expected .*, got -1", cache_size=-1),
        "cache_size without a number": setting(
            r"cache_size: expected a size .*, got 'GB'", cache_size="GB"
        ),
        "device unknown": setting(r"device: expected 'auto', 'cpu'.* got 'tpu'", device="tpu"),
        "device none": setting(r"device: expected 'auto', 'cpu'.* got None", device=None),
        "device a number": setting(r"device: expected 'auto', 'cpu'.* got 0", device=0),
        "device cuda for sparse rows": Bad(
            r"device: 'cuda' cannot be used: the rows are sparse.*device='cpu'",
            X=sparse.csr_array(ROWS),
            settings={"device": "cuda"},
        ),
        "device cuda for a function": setting(
            r"device: 'cuda' cannot be used: a user-defined kernel .*device='cpu'",
            device="cuda",
            kernel=lambda X, Z: X @ Z.T,
        ),
        "callbacks a number": setting(r"callbacks: expected a callable or a list.*, got 3", callbacks=3),
        "callbacks not callable": setting(
            r"callbacks: expected a callable.*\['print'\]", callbacks=["print"]
        ),
        "validation with other features": setting(
            r"validation: 2 features, the training rows have 3", validation=(ROWS[:, :2], LABELS)
        ),
        "validation with other labels": setting(
            r"validation.*label 5 in row 0 is not one of", validation=(ROWS, LABELS + 5)
        ),
        "validation with NaN": setting(
            r"validation.*NaN in row 5, column 2", validation=(holding(np.nan), LABELS)
        ),
    }
)

OF_EITHER = cases_of(LABELS, X=BAD_X, y=BAD_Y, sample_weight=BAD_WEIGHTS, class_weight=BAD_CLASS_WEIGHT)
NOT_OF_PARTS = ("epochs", "until", "order", "callbacks", "validation")  # partial_fit does not use them
OF_FIT = OF_EITHER | BAD_SETTINGS
OF_PARTS = OF_EITHER | {
    name: bad for name, bad in BAD_SETTINGS.items() if not name.startswith(NOT_OF_PARTS)
}


def model_facts(model: KernelPerceptron) -> list[Any]:
    """What the model answers and has counted."""
    return [
        model.decision_function(ROWS).tolist(),
        model.support_.tolist(),
        model.classes_.tolist(),
        model.history_,
        model.mistakes_per_class_.tolist(),
        (model.mistakes_, model.updates_, model.examples_seen_, model.epochs_, model.n_features_in_),
        model.kernel_,
    ]


def own(model: KernelPerceptron) -> set[str]:
    return vars(model).keys() - model.get_params().keys()


def put_back(model: KernelPerceptron, settings: dict[str, Any]) -> KernelPerceptron:
    """The parameters as they were before a bad one was set."""
    good = KernelPerceptron(random_state=0).get_params()
    return model.set_params(**{name: good[name] for name in settings})


# ---------------------------------------------------------------- the sentence


@each(OF_PARTS)
def test_partial_fit_says_the_same_and_leaves_as_little(bad):
    model = KernelPerceptron(**bad.settings)
    with pytest.raises(bad.error) as error:
        model.partial_fit(bad.X, bad.y, sample_weight=bad.sample_weight)
    assert_told(bad, error)
    assert own(model) == set()


@unnamed
@each(BAD_X, settings=[{}, {"keep": "voted"}, {"budget": 4}])
def test_predict_says_the_same(bad, settings):
    model = KernelPerceptron(**settings).fit(ROWS, LABELS)
    with pytest.raises(bad.error) as error:
        model.predict(bad.X)
    assert_told(bad, error)


@pytest.mark.parametrize("ask", ["predict", "decision_function", "score", "partial_fit"])
@pytest.mark.parametrize("rows", [ROWS[:, :2], sparse.csr_array(ROWS[:, :2])], ids=["dense", "sparse"])
def test_another_number_of_features_is_refused(ask, rows):
    model = KernelPerceptron().fit(ROWS, LABELS)
    arguments = (rows,) if ask in ("predict", "decision_function") else (rows, LABELS)
    with pytest.raises(
        ValueError, match=r"X has 2 features, but KernelPerceptron is expecting 3 .*columns"
    ):
        getattr(model, ask)(*arguments)


UNKNOWN = {
    "numbers": (
        [0, 1, 2],
        [0, 1, 1, 5, 1, 0, 0, 1],
        r"y: label 5 in row 3 is not one of .*\[0, 1, 2\]; ann",
    ),
    "words": (["a", "b", "d"], list("abbcbaab"), r"y: label 'c' in row 3 is not one of"),
}


@pytest.mark.parametrize(("classes", "y", "says"), UNKNOWN.values(), ids=UNKNOWN)
def test_a_label_that_is_not_a_class_is_named_with_its_row(classes, y, says):
    with pytest.raises(ValueError, match=says):
        KernelPerceptron().partial_fit(ROWS, y, classes=classes)
    model = KernelPerceptron(random_state=0).fit(ROWS, np.array(classes)[LABELS])
    before = model_facts(model)
    with pytest.raises(ValueError, match=says):
        model.partial_fit(ROWS, y)
    assert model_facts(model) == before


@pytest.mark.parametrize("classes", [[1], [], [1, 1]])
def test_the_classes_announced_must_be_two_at_least(classes):
    with pytest.raises(ValueError, match=r"classes: expected at least two classes, got"):
        KernelPerceptron().partial_fit(ROWS, LABELS, classes=classes)


def test_names_that_do_not_match_are_named():
    model = KernelPerceptron().fit(frame(ROWS[:, 2]), LABELS)
    with pytest.raises(ValueError, match=r"(?s)names should match.*- d.*- c"):
        model.partial_fit(frame(ROWS[:, 2]).rename(columns={"c": "d"}), LABELS)


# ---------------------------------------------------------------- what was learned before


@each(OF_FIT, budget=[None, Oldest(4)])
def test_fit_says_what_is_bad_where_and_what_to_do_and_changes_nothing(bad, budget):
    model = KernelPerceptron(random_state=0, budget=budget).fit(ROWS, LABELS)
    before = model_facts(model)
    with pytest.raises(bad.error) as error:
        model.set_params(**bad.settings).fit(bad.X, bad.y, sample_weight=bad.sample_weight)
    assert_told(bad, error)
    assert model_facts(put_back(model, bad.settings)) == before


@unnamed
# once the classes are known, a part may well have only one
@each(OF_EITHER, but=("y: one class",), budget=[None, Oldest(4), Projectron(4)])
def test_a_partial_fit_that_is_refused_changes_nothing(bad, budget):
    model = KernelPerceptron(random_state=0, budget=budget).fit(ROWS, LABELS)
    before = model_facts(model)
    with pytest.raises((ValueError, TypeError)):
        model.set_params(**bad.settings).partial_fit(bad.X, bad.y, sample_weight=bad.sample_weight)
    assert model_facts(put_back(model, bad.settings)) == before
    twin = KernelPerceptron(random_state=0, budget=budget).fit(ROWS, LABELS).partial_fit(ROWS, LABELS)
    assert model_facts(model.partial_fit(ROWS, LABELS)) == model_facts(twin)  # and it can go on


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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kernel", "linear"),
        ("gamma", 0.25),
        ("offset", True),
        ("rule", "margin"),
        ("tie", "positive"),
        ("budget", 5),
    ],
)
def test_what_learning_began_with_cannot_change_while_it_goes_on(name, value):
    model = KernelPerceptron(random_state=0).fit(ROWS, LABELS)
    before = model_facts(model)
    with pytest.raises(
        ValueError, match=rf"{name}: .* now, but learning began with .*; continue as it began"
    ):
        model.set_params(**{name: value}).partial_fit(ROWS, LABELS)
    assert model_facts(put_back(model, {name: value})) == before
    assert model.set_params(**{name: value}).fit(ROWS, LABELS).epochs_ == 10  # fit starts anew


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "polynomial", "linear"])
@pytest.mark.parametrize("budget", [None, Oldest(6)], ids=str)
def test_rows_so_far_out_that_the_kernel_overflows_are_refused(kernel, budget):
    model = KernelPerceptron(kernel=kernel, gamma=1.0, budget=budget).fit(ROWS, LABELS)
    with pytest.raises(ValueError, match=r"kernel: .*overflow.*divide the features"):
        model.predict(ROWS * 1e160)


# ---------------------------------------------------------------- attributes


LEARNED = (
    "classes_", "kernel_", "support_", "support_vectors_", "dual_coef_", "survival_", "mistakes_",
    "mistakes_per_class_", "updates_", "examples_seen_", "epochs_", "exact_decisions_", "converged_",
    "history_", "n_features_in_", "feature_names_in_", "device_",
)  # fmt: skip


@pytest.mark.parametrize("name", LEARNED)
def test_before_fit_there_are_no_learned_attributes(name):
    model = KernelPerceptron()
    assert not hasattr(model, name)
    with pytest.raises(AttributeError):
        getattr(model, name)


@pytest.mark.parametrize("name", ["support_", "support_vectors_", "dual_coef_", "survival_"])
def test_before_fit_what_is_made_when_asked_for_says_to_fit(name):
    with pytest.raises(AttributeError, match=r"has learned nothing yet; call fit"):
        getattr(KernelPerceptron(), name)


@pytest.mark.parametrize("name", sorted(set(LEARNED) - {"feature_names_in_"}))
def test_after_fit_they_are_there(name):
    assert hasattr(KernelPerceptron().fit(ROWS, LABELS), name)


def test_a_committee_has_no_dual_coef_and_says_what_to_ask_instead():
    model = KernelPerceptron(keep="voted").fit(ROWS, LABELS)
    assert not hasattr(model, "dual_coef_")
    with pytest.raises(
        AttributeError, match=r"voted committee .*decision_function or predict.*keep='averaged'"
    ):
        _ = model.dual_coef_
    assert model.set_params(keep="averaged").dual_coef_.shape[0] == 3


@pytest.mark.parametrize("budget", [4, Oldest(4), Forgetron(4)], ids=str)
def test_on_a_budget_there_is_no_survival(budget):
    model = KernelPerceptron(budget=budget).fit(ROWS, LABELS)
    assert not hasattr(model, "survival_")
    with pytest.raises(AttributeError, match=r"survival_: with a budget past vectors are not kept"):
        _ = model.survival_


@pytest.mark.parametrize("keep", ["pocket", None, ["last"]], ids=str)
def test_a_bad_keep_after_fit_is_refused_when_it_decides(keep):
    model = KernelPerceptron().fit(ROWS, LABELS)
    with pytest.raises(ValueError, match=r"keep: got .*, expected one of 'last', 'averaged', 'voted'"):
        model.set_params(keep=keep).predict(ROWS)
    assert model.set_params(keep="last").predict(ROWS).shape == (8,)
