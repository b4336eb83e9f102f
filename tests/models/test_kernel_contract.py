"""The contract of KernelPerceptron with scikit-learn: its own checks, and the company it keeps there."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from rosenblatt import KernelPerceptron
from rosenblatt.budgets import Forgetron, Oldest, Projectron, ProjectronPlusPlus, RandomBudget
from rosenblatt.kernels import Gaussian, Polynomial
from rosenblatt.learning import Epoch
from rosenblatt.rules import Margin
from tests.contract import TWICE_IS_NOT_DOUBLE, assert_fails, contract, excuses

PLANES_GO_ON = (
    "one of three planes is the highest somewhere far out, whatever its class weighs; 1000 passes bring "
    "the answers for the heavy class to 86 %, and the check asks for 87 %"
)

FAMILY = [
    KernelPerceptron(),
    KernelPerceptron(keep="last", offset=True),
    KernelPerceptron(keep="voted", tie="positive"),
    KernelPerceptron(keep="random", order="given"),
    KernelPerceptron(kernel="polynomial", degree=2, rule="passive_aggressive_1"),
    KernelPerceptron(kernel="linear", offset=True, class_weight="balanced"),
    KernelPerceptron(kernel="laplacian", gamma="auto", rule="margin", until="separated"),
    KernelPerceptron(validation=0.2, track_error=True),
    KernelPerceptron(budget=20),
    KernelPerceptron(budget=Forgetron(30), keep="last"),
]


def excused(estimator: KernelPerceptron) -> dict[str, str]:
    """The checks that cannot hold for this one, each with the reason."""
    excuses = dict(TWICE_IS_NOT_DOUBLE)
    if estimator.kernel == "linear":
        excuses["check_class_weight_classifiers"] = PLANES_GO_ON
    return excuses


@contract(FAMILY, excused)
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@excuses(FAMILY, excused)
def test_no_excuse_is_made_for_a_check_that_passes(estimator, check):
    assert_fails(estimator, check)


# ---------------------------------------------------------------- parameters


def test_every_parameter_is_stored_as_it_was_given():
    names = list(inspect.signature(KernelPerceptron).parameters)
    given = {name: object() for name in names}
    model = KernelPerceptron(**given)
    assert {name: getattr(model, name) for name in names} == given
    assert model.get_params(deep=False) == given


def test_the_defaults_are_those_of_the_manual():
    assert KernelPerceptron().get_params() == {
        "kernel": "gaussian",
        "degree": 3,
        "gamma": "scale",
        "coef0": 1.0,
        "offset": False,
        "rule": "rosenblatt",
        "keep": "averaged",
        "epochs": 10,
        "until": None,
        "order": "shuffled",
        "tie": "mistake",
        "budget": None,
        "class_weight": None,
        "cache_size": "2GB",
        "device": "auto",
        "callbacks": None,
        "random_state": None,
        "progress": None,
        "validation": None,
        "warm_start": False,
        "track_error": False,
    }


def test_a_clone_has_the_parameters_and_nothing_that_was_learned(noisy):
    model = KernelPerceptron(kernel=Polynomial(degree=2), rule=Margin(tau=0.5), random_state=3).fit(*noisy)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        check_is_fitted(twin)
    assert (twin.fit(*noisy).dual_coef_ == model.dual_coef_).all()


def test_fit_does_not_change_a_parameter(noisy):
    order = list(range(len(noisy[1])))[::-1]
    model = KernelPerceptron(kernel=Gaussian(gamma=0.3), rule="margin", order=order, budget=np.int64(9))
    before = {name: id(value) for name, value in model.get_params().items()}
    model.fit(*noisy)
    assert {name: id(value) for name, value in model.get_params().items()} == before


def test_it_says_that_it_is_a_classifier_for_any_number_of_classes_that_reads_sparse_rows():
    tags = KernelPerceptron().__sklearn_tags__()
    assert is_classifier(KernelPerceptron())
    assert tags.classifier_tags.multi_class
    assert tags.input_tags.sparse
    assert not tags.input_tags.allow_nan


@pytest.mark.parametrize("ask", ["predict", "decision_function"])
def test_before_fit_every_question_is_answered_by_not_fitted(ask, noisy):
    with pytest.raises(NotFittedError, match="Call 'fit'"):
        getattr(KernelPerceptron(), ask)(noisy[0])


# ---------------------------------------------------------------- company


def overlap(X, Z):
    """A kernel of the user's: Σ min(|x|, |z|) where the signs agree."""
    same = np.sign(X[:, None, :]) == np.sign(Z[None, :, :])
    return (same * np.minimum(np.abs(X)[:, None, :], np.abs(Z)[None, :, :])).sum(axis=2)


CONFIGURATIONS = {
    "averaged": {},
    "last": {"keep": "last", "offset": True},
    "voted": {"keep": "voted"},
    "random": {"keep": "random"},
    "polynomial": {"kernel": Polynomial(degree=2), "rule": Margin(tau=0.5)},
    "a function": {"kernel": overlap},
    **{
        cls.__name__: {"budget": cls(size=12), "keep": "last"}
        for cls in (Oldest, RandomBudget, Forgetron, Projectron, ProjectronPlusPlus)
    },
}


def each_configuration(but: tuple[str, ...] = ()) -> Any:
    chosen = {name: settings for name, settings in CONFIGURATIONS.items() if name not in but}
    return pytest.mark.parametrize("settings", chosen.values(), ids=chosen)


@pytest.fixture(scope="module")
def three() -> tuple[Any, Any]:
    """90 rows of three classes in rings around 0."""
    X = np.random.default_rng(5).normal(size=(90, 2))
    return X, np.digitize(np.linalg.norm(X, axis=1), [0.8, 1.4])


@each_configuration(but=("a function",))  # a test module cannot be imported by its name
def test_a_pickled_model_decides_and_goes_on_as_the_original(settings, noisy):
    X, y = noisy
    model = KernelPerceptron(random_state=0, epochs=2, **settings).fit(X, y)
    twin = pickle.loads(pickle.dumps(model))
    assert (twin.decision_function(X) == model.decision_function(X)).all()
    assert (twin.history_, twin.classes_.tolist()) == (model.history_, model.classes_.tolist())
    model.partial_fit(X[:50], y[:50])
    twin.partial_fit(X[:50], y[:50])
    assert (twin.decision_function(X) == model.decision_function(X)).all()
    assert twin.mistakes_ == model.mistakes_


def test_grid_search_finds_the_better_kernel(three):
    grid = {
        "kernelperceptron__kernel": ["linear", "gaussian"],
        "kernelperceptron__keep": ["last", "averaged"],
    }
    search = GridSearchCV(make_pipeline(StandardScaler(), KernelPerceptron(random_state=0)), grid, cv=3)
    search.fit(*three)
    assert search.best_params_["kernelperceptron__kernel"] == "gaussian"
    assert search.best_score_ > 0.8


def test_grid_search_takes_budgets_and_rules_as_values(noisy):
    grid = {"budget": [None, 10, Forgetron(10)], "rule": ["rosenblatt"], "gamma": [0.1, "scale", "auto"]}
    search = GridSearchCV(KernelPerceptron(random_state=0, epochs=2), grid, cv=2).fit(*noisy)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_cross_validation_reaches_what_the_family_is_known_to_reach():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), KernelPerceptron(random_state=0))
    assert cross_val_score(model, X, y, cv=5).mean() > 0.96
    X, y = load_iris(return_X_y=True)
    assert cross_val_score(model, X, y, cv=5).mean() > 0.92


def test_cross_val_predict_gives_decision_values(three):
    X, y = three
    model = KernelPerceptron(random_state=0)
    values = cross_val_predict(model, X, y, method="decision_function", cv=3)
    assert values.shape == (90, 3)
    assert (values.argmax(axis=1) == y).mean() > 0.7


def test_calibration_makes_probabilities_of_decision_values(noisy):
    X, y = noisy
    model = CalibratedClassifierCV(KernelPerceptron(random_state=0), cv=3).fit(X, y)
    probability = model.predict_proba(X)
    assert np.allclose(probability.sum(axis=1), 1.0)
    assert probability[y == 1, 1].mean() > probability[y == 0, 1].mean() + 0.3


def test_sample_weight_is_routed_to_fit_once_it_is_asked_for(noisy):
    X, y = noisy
    weight = np.where(y == 1, 5.0, 0.5)
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises(UnsetMetadataPassedError, match="set_fit_request"):
            make_pipeline(KernelPerceptron(random_state=0)).fit(X, y, sample_weight=weight)
        asking = KernelPerceptron(random_state=0).set_fit_request(sample_weight=True)
        routed = make_pipeline(asking).fit(X, y, sample_weight=weight)
    direct = KernelPerceptron(random_state=0).fit(X, y, sample_weight=weight)
    assert (routed[-1].dual_coef_ == direct.dual_coef_).all()


# ---------------------------------------------------------------- names and tables


def test_a_frame_made_by_set_output_brings_its_names():
    frame = load_breast_cancer(as_frame=True)
    model = make_pipeline(StandardScaler(), KernelPerceptron(random_state=0)).set_output(transform="pandas")
    model.fit(frame.data, frame.target)
    assert model[-1].feature_names_in_.tolist() == frame.data.columns.tolist()
    plain = make_pipeline(StandardScaler(), KernelPerceptron(random_state=0))
    plain.fit(frame.data.to_numpy(), frame.target)
    assert not hasattr(plain[-1], "feature_names_in_")
    assert (plain[-1].dual_coef_ == model[-1].dual_coef_).all()


def test_names_in_another_order_are_refused():
    frame = load_iris(as_frame=True)
    model = KernelPerceptron().fit(frame.data, frame.target)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.data.iloc[:, ::-1])
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(frame.data.iloc[:, ::-1], frame.target)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(frame.data.to_numpy())


TABLES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("library", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("budget", [None, 10])
def test_a_table_is_its_numbers(library, budget, three):
    X, y = three
    table = library({"a": X[:, 0], "b": X[:, 1]})
    model = KernelPerceptron(budget=budget, random_state=0, keep="last").fit(table, y)
    plain = KernelPerceptron(budget=budget, random_state=0, keep="last").fit(X, y)
    assert model.support_.tolist() == plain.support_.tolist()
    assert (model.decision_function(table) == plain.decision_function(X)).all()
    assert (
        model.partial_fit(table, y).mistakes_per_class_ == plain.partial_fit(X, y).mistakes_per_class_
    ).all()


LAYOUTS = {
    "csr of int32": lambda X: indexed(sparse.csr_array(X), np.int32),
    "csr of int64": lambda X: indexed(sparse.csr_matrix(X), np.int64),
    "csc": sparse.csc_array,
    "coo": sparse.coo_matrix,
    "float32": lambda X: X.astype(np.float32),
    "Fortran order": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "int8": lambda X: X.astype(np.int8),
    "lists": lambda X: X.tolist(),
}


def indexed(matrix: Any, kind: type) -> Any:
    matrix.indices, matrix.indptr = matrix.indices.astype(kind), matrix.indptr.astype(kind)
    return matrix


@pytest.mark.parametrize("laid_out", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "polynomial", "linear"])
@pytest.mark.parametrize("budget", [None, Forgetron(10)], ids=str)
def test_the_same_numbers_in_another_layout_give_the_same_mistakes(laid_out, kernel, budget):
    generator = np.random.default_rng(2)
    X, y = generator.integers(-2, 3, size=(70, 6)).astype(float), generator.integers(0, 3, size=70)
    settings = {"kernel": kernel, "budget": budget, "keep": "last", "epochs": 2, "random_state": 0}
    model, plain = (KernelPerceptron(**settings).fit(rows, y) for rows in (laid_out(X), X))
    assert model.mistakes_per_class_.tolist() == plain.mistakes_per_class_.tolist()
    assert model.support_.tolist() == plain.support_.tolist()
    assert model.predict(laid_out(X)).tolist() == plain.predict(X).tolist()
    got = model.support_vectors_
    assert np.asarray(got.toarray() if sparse.issparse(got) else got).tolist() == X[plain.support_].tolist()


# ---------------------------------------------------------------- classes


NAMES = {
    "words": np.array(["ant", "bee", "cat"]),
    "objects": np.array(["ant", "bee", "cat"], dtype=object),
    "whole floats": np.array([-1.0, 0.0, 5.0]),
    "large numbers": np.array([-(2**40), 3, 2**40]),
    "uint8": np.array([0, 7, 255], dtype=np.uint8),
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@each_configuration()
def test_classes_may_be_called_anything(settings, names, three):
    X, y = three
    plain = KernelPerceptron(random_state=0, epochs=3, **settings).fit(X, y)
    model = KernelPerceptron(random_state=0, epochs=3, **settings).fit(X, names[y])
    assert model.classes_.tolist() == names.tolist()
    assert (model.decision_function(X) == plain.decision_function(X)).all()
    assert model.predict(X).tolist() == names[plain.predict(X)].tolist()
    assert model.predict(X).dtype == names.dtype


@pytest.mark.parametrize(
    "y", [[False, True], ["no", "yes"], np.array(["no", "yes"], object), [-1, 1]], ids=str
)
def test_of_two_classes_the_second_is_the_positive_one(y, noisy):
    X, labels = noisy
    model = KernelPerceptron(random_state=0).fit(X, np.array(y)[labels])
    assert model.classes_.tolist() == list(y)
    assert model.decision_function(X).shape == (120,)
    assert model.dual_coef_.shape == (1, len(model.support_))
    assert ((model.decision_function(X) > 0) == (model.predict(X) == y[1])).all()


@each_configuration(but=("RandomBudget",))  # there each class draws numbers of its own
def test_with_more_classes_each_has_a_perceptron_against_the_rest(settings, three):
    X, y = three
    settings = {"gamma": 0.5, "order": "given", "epochs": 3, "random_state": 0, **settings}
    together = KernelPerceptron(**settings).fit(X, y)
    apart = [KernelPerceptron(**settings).fit(X, y == c) for c in range(3)]
    values = np.column_stack([model.decision_function(X) for model in apart])
    assert together.mistakes_per_class_.tolist() == [model.mistakes_ for model in apart]
    np.testing.assert_allclose(together.decision_function(X), values, rtol=1e-9, atol=1e-12)
    assert (together.predict(X) == values.argmax(axis=1)).all()


def test_it_agrees_with_one_versus_rest(three):
    X, y = three
    model = KernelPerceptron(gamma=0.5, order="given").fit(X, y)
    wrapped = OneVsRestClassifier(KernelPerceptron(gamma=0.5, order="given")).fit(X, y)
    assert (wrapped.predict(X) == model.predict(X)).all()


def test_ten_classes_have_ten_columns():
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(200, 4)), np.arange(200) % 10
    model = KernelPerceptron(random_state=0, epochs=2).fit(X, y)
    assert model.decision_function(X).shape == (200, 10)
    assert model.dual_coef_.shape == (10, len(model.support_))
    assert model.mistakes_per_class_.shape == (10,)
    assert len(model.survival_) == 10
    assert all(survival.sum() == 400 for survival in model.survival_)


@each_configuration(but=("polynomial", "a function"))
def test_of_equal_scores_the_first_class_wins(settings, three):
    X, y = three
    model = KernelPerceptron(gamma=1.0, random_state=0, **{**settings, "offset": False}).fit(X, y)
    far = np.array([[1e6, 0.0], [0.0, -1e6]])  # where every K is 0
    if settings.get("keep") != "voted":
        assert (model.decision_function(far) == 0.0).all()
    assert model.predict(far).tolist() == [0, 0]


@pytest.mark.parametrize(("tie", "answer"), [("mistake", "a"), ("negative", "a"), ("positive", "b")])
@pytest.mark.parametrize("keep", ["last", "averaged", "voted", "random"])
def test_a_score_of_0_is_the_first_of_two_classes_unless_tie_says_otherwise(tie, answer, keep, noisy):
    X, y = noisy
    model = KernelPerceptron(gamma=1.0, keep=keep, tie=tie, random_state=0).fit(X, np.array(["a", "b"])[y])
    assert model.predict(np.full((1, 5), 1e6)).tolist() == [answer]


# ---------------------------------------------------------------- weights


@each_configuration()
@pytest.mark.parametrize("order", ["given", "shuffled"])
def test_a_row_of_weight_0_is_absent(settings, order, three):
    X, y = three
    weight = np.where(np.arange(90) % 4 == 2, 0.0, 1.0)
    there = np.flatnonzero(weight)
    holed = X.copy()
    holed[weight == 0.0] = np.nan  # what is absent may be anything
    model, plain = KernelPerceptron(order=order, **settings), KernelPerceptron(order=order, **settings)
    for each in (model, plain):
        each.set_params(random_state=0, epochs=3)
    if order == "given":
        plain.fit(X[there], y[there])
        model.fit(holed, y, sample_weight=weight)
        assert model.support_.tolist() == there[plain.support_].tolist()
    else:
        plain.fit(X, y, sample_weight=weight)
        model.fit(holed, y, sample_weight=weight)
    assert model.kernel_ == plain.kernel_
    assert model.mistakes_per_class_.tolist() == plain.mistakes_per_class_.tolist()
    assert (model.decision_function(X) == plain.decision_function(X)).all()
    assert model.examples_seen_ == 3 * len(there)


@pytest.mark.parametrize("settings", [{}, {"gamma": 2.0, "kernel": Gaussian(gamma="scale")}], ids=str)
@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
@pytest.mark.parametrize("absent", [np.nan, np.inf, 1e6])
def test_an_absent_row_has_no_say_in_the_scale(settings, learn, absent, three):
    X, y = three
    weight, holed = np.ones(90), X.copy()
    weight[5], holed[5] = 0.0, absent
    model, plain = KernelPerceptron(**settings), KernelPerceptron(**settings)
    getattr(model, learn)(holed, y, sample_weight=weight)
    getattr(plain, learn)(X[weight > 0], y[weight > 0])
    assert model.kernel_ == plain.kernel_


def test_weights_of_1_are_no_weights(three):
    X, y = three
    plain = KernelPerceptron(random_state=0).fit(X, y)
    model = KernelPerceptron(random_state=0).fit(X, y, sample_weight=np.ones(90))
    assert (model.dual_coef_ == plain.dual_coef_).all()


@each_configuration()
def test_balanced_is_the_dict_that_it_says(settings, three):
    X, y = three
    counts = np.bincount(y)
    weights = {c: 90 / (3 * counts[c]) for c in range(3)}
    balanced = KernelPerceptron(class_weight="balanced", random_state=0, **settings).fit(X, y)
    given = KernelPerceptron(class_weight=weights, random_state=0, **settings).fit(X, y)
    by_hand = KernelPerceptron(random_state=0, **settings)
    by_hand.fit(X, y, sample_weight=[weights[label] for label in y])
    for other in (given, by_hand):
        assert (balanced.decision_function(X) == other.decision_function(X)).all()


def test_balanced_counts_rows_by_their_weight(three):
    X, y = three
    weight = np.random.default_rng(0).uniform(0.1, 2.0, size=90)
    totals = np.bincount(y, weights=weight)
    model = KernelPerceptron(class_weight="balanced", random_state=0).fit(X, y, sample_weight=weight)
    by_hand = KernelPerceptron(random_state=0).fit(X, y, weight * (weight.sum() / (3 * totals))[y])
    np.testing.assert_allclose(model.dual_coef_, by_hand.dual_coef_, rtol=1e-12)


def test_balanced_in_parts_goes_by_all_rows_so_far(three):
    X, y = three
    model = KernelPerceptron(class_weight="balanced", gamma=1.0)
    by_hand = KernelPerceptron(gamma=1.0)
    for part in np.split(np.arange(90), [30, 50]):
        seen = np.bincount(y[: part[-1] + 1], minlength=3)
        model.partial_fit(X[part], y[part], classes=range(3))
        by_hand.partial_fit(X[part], y[part], range(3), (seen.sum() / (3 * seen))[y[part]])
    np.testing.assert_allclose(model.dual_coef_, by_hand.dual_coef_, rtol=1e-12)


def test_a_class_that_a_dict_does_not_name_weighs_1(three):
    X, y = three
    model = KernelPerceptron(class_weight={1: 3.0}, random_state=0).fit(X, y)
    same = KernelPerceptron(class_weight={0: 1, 1: 3, 2: 1.0}, random_state=0).fit(X, y)
    assert (model.dual_coef_ == same.dual_coef_).all()


# ---------------------------------------------------------------- fit and fit again


@each_configuration()
def test_to_fit_again_forgets_what_was_learned(settings, three, noisy):
    model = KernelPerceptron(random_state=0, **settings).fit(*noisy)
    fresh = KernelPerceptron(random_state=0, **settings).fit(*three)
    model.fit(*three)
    assert model.n_features_in_ == 2
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.mistakes_ == fresh.mistakes_
    assert (model.decision_function(three[0]) == fresh.decision_function(three[0])).all()


@each_configuration()
def test_the_same_seed_gives_the_same_run(settings, three):
    def run(seed: Any) -> list[Any]:
        model = KernelPerceptron(random_state=seed, epochs=2, **settings).fit(*three)
        return [model.mistakes_per_class_.tolist(), model.decision_function(three[0]).tolist()]

    assert run(7) == run(7)
    assert run(np.random.RandomState(7)) == run(np.random.RandomState(7))
    assert run(7) != run(8)


@each_configuration()
def test_parts_in_the_order_given_are_one_pass(settings, three):
    X, y = three
    whole = KernelPerceptron(order="given", epochs=1, gamma=0.7, random_state=0, **settings).fit(X, y)
    parts = KernelPerceptron(gamma=0.7, random_state=0, **settings)
    for part in np.array_split(np.arange(90), 6):
        parts.partial_fit(X[part], y[part], classes=[0, 1, 2])
    assert parts.mistakes_per_class_.tolist() == whole.mistakes_per_class_.tolist()
    assert parts.support_.tolist() == whole.support_.tolist()
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), rtol=1e-9, atol=1e-9)
    assert (parts.epochs_, parts.examples_seen_) == (6, 90)


def test_classes_are_announced_in_the_first_call(three):
    X, y = three
    first = np.flatnonzero(y == 1)[:5]
    model = KernelPerceptron().partial_fit(X[first], y[first], classes=[2, 0, 1])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict(X[:3]).shape == (3,)
    model.partial_fit(X, y)
    model.partial_fit(X, y, classes=[0, 1, 2, 2])
    with pytest.raises(ValueError, match=r"classes: got \[0, 1\], learning began with \[0, 1, 2\]"):
        model.partial_fit(X, y, classes=[0, 1])


def test_the_classes_of_the_first_part_are_all_unless_announced(three):
    X, y = three
    two = np.flatnonzero(y < 2)
    model = KernelPerceptron().partial_fit(X[two], y[two])
    assert model.classes_.tolist() == [0, 1]
    with pytest.raises(
        ValueError, match=r"y: label 2 in row \d+ is not one of the classes \[0, 1\]; announce"
    ):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match=r"y: only one class, 1, .*classes=\[\.\.\.\]"):
        KernelPerceptron().partial_fit(X[:1], [1])


def test_rows_are_numbered_over_all_parts(three):
    X, y = three
    model = KernelPerceptron(gamma=1.0)
    for part in np.array_split(np.arange(90), 5):
        model.partial_fit(X[part], y[part], classes=[0, 1, 2])
    assert (model.support_vectors_ == X[model.support_]).all()


# ---------------------------------------------------------------- when it stops, what it tells


def test_epochs_are_made_all_of_them(separable):
    X, y = separable
    model = KernelPerceptron(epochs=60, random_state=0).fit(X, y)
    assert (model.epochs_, len(model.history_), model.examples_seen_) == (60, 60, 60 * len(y))
    assert model.history_[-1].mistakes == 0
    assert model.converged_


@pytest.mark.parametrize(
    "order", ["given", "shuffled", list(range(60))[::-1]], ids=["given", "shuffled", "list"]
)
@pytest.mark.parametrize("budget", [None, 100], ids=str)
def test_until_separated_stops_after_the_first_pass_without_a_mistake(order, budget, separable):
    model = KernelPerceptron(order=order, epochs=None, until="separated", random_state=0, budget=budget)
    model.fit(*separable)
    mistakes = [record.mistakes for record in model.history_]
    assert mistakes[-1] == 0
    assert all(mistakes[:-1])
    assert model.converged_
    assert (model.set_params(keep="last").predict(separable[0]) == separable[1]).all()


def test_any_labels_of_distinct_rows_are_separated_by_a_gaussian(noisy):
    X, _ = noisy
    y = np.random.default_rng(0).integers(0, 4, size=len(X))
    model = KernelPerceptron(gamma=1.0, keep="last", epochs=None, until="separated", random_state=0).fit(
        X, y
    )
    assert model.converged_
    assert (model.predict(X) == y).all()


def test_epochs_are_the_most_passes_of_until_separated(noisy):
    model = KernelPerceptron(kernel="linear", epochs=3, until="separated", random_state=0).fit(*noisy)
    assert model.epochs_ == 3
    assert not model.converged_


@each_configuration()
def test_history_has_a_record_of_each_pass_and_they_add_up(settings, three):
    model = KernelPerceptron(epochs=4, random_state=1, **settings).fit(*three)
    assert [record.epoch for record in model.history_] == [1, 2, 3, 4]
    assert sum(record.mistakes for record in model.history_) == model.mistakes_
    assert sum(record.updates for record in model.history_) == model.updates_
    assert {record.examples_seen for record in model.history_} == {90}
    assert model.mistakes_ == model.mistakes_per_class_.sum() <= model.updates_
    assert all(record.seconds > 0 for record in model.history_)
    assert model.converged_ == (model.history_[-1].mistakes == 0)


def test_callbacks_see_each_record_and_one_that_returns_true_ends_the_run(three):
    seen: list[Epoch] = []

    def third_pass(record: Epoch) -> bool:
        return record.epoch == 3

    model = KernelPerceptron(callbacks=[third_pass, seen.append], random_state=0).fit(*three)
    assert model.epochs_ == 3
    assert seen == model.history_
    same = KernelPerceptron(epochs=3, random_state=0).fit(*three)
    assert (model.dual_coef_ == same.dual_coef_).all()


def test_one_callback_needs_no_list(noisy):
    seen: list[Epoch] = []
    KernelPerceptron(callbacks=seen.append, epochs=2).fit(*noisy)
    assert [record.epoch for record in seen] == [1, 2]


@pytest.mark.parametrize("answer", [None, False, np.False_, "yes", 1])
def test_a_callback_that_does_not_return_true_lets_the_run_go_on(answer, noisy):
    assert KernelPerceptron(callbacks=lambda record: answer, epochs=3).fit(*noisy).epochs_ == 3


@pytest.mark.parametrize("budget", [None, Forgetron(10)], ids=str)
def test_a_callback_that_raises_leaves_what_was_learned_before(budget, noisy):
    X, y = noisy
    model = KernelPerceptron(random_state=0, epochs=2, budget=budget).fit(X, y)
    before, history = model.decision_function(X), model.history_

    def burst(record: Epoch) -> None:
        raise KeyboardInterrupt

    for warm in (False, True):
        model.set_params(callbacks=burst, warm_start=warm)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, 1 - y)
        assert (model.decision_function(X) == before).all()
        assert model.history_ is history


@pytest.mark.parametrize("budget", [None, 10])
def test_progress_is_shown_on_stderr_when_asked_for(budget, noisy, capsys):
    KernelPerceptron(progress=True, budget=budget).fit(*noisy)
    shown = capsys.readouterr()
    assert "mistakes" in shown.err
    assert "support rows" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("progress", [False, None])
def test_a_short_run_shows_nothing_unless_asked(progress, noisy, capsys):
    KernelPerceptron(progress=progress).fit(*noisy)
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "")


@each_configuration()
def test_the_same_cache_or_none_makes_the_same_run(settings, three):
    plain, small = (
        KernelPerceptron(cache_size=size, random_state=0, **settings).fit(*three) for size in ("2GB", "1MB")
    )
    assert small.mistakes_per_class_.tolist() == plain.mistakes_per_class_.tolist()
    assert small.support_.tolist() == plain.support_.tolist()


# ---------------------------------------------------------------- what was learned


@each_configuration()
def test_decision_values_are_the_sum_over_the_support(settings, three):
    X, y = three
    model = KernelPerceptron(gamma=0.5, random_state=0, **settings).fit(X, y)
    if settings.get("keep") == "voted":
        with pytest.raises(AttributeError, match="decision_function or predict"):
            _ = model.dual_coef_
        assert not hasattr(model, "dual_coef_")
        return
    distance2 = ((X[:, None, :] - model.support_vectors_[None]) ** 2).sum(axis=2)
    K = {
        "gaussian": lambda: np.exp(-0.5 * distance2),
        Polynomial(degree=2): lambda: (1.0 + X @ model.support_vectors_.T) ** 2,
        overlap: lambda: overlap(X, model.support_vectors_),
    }[model.kernel]() + model.offset
    np.testing.assert_allclose(model.decision_function(X), K @ model.dual_coef_.T, rtol=1e-9, atol=1e-9)
    assert (model.support_vectors_ == X[model.support_]).all()


@each_configuration()
def test_what_is_given_out_may_be_written_to(settings, noisy):
    X, y = noisy
    model = KernelPerceptron(random_state=0, **settings).fit(X, y)
    before = model.decision_function(X)
    model.support_[:] = 0
    if settings.get("keep") != "voted":
        model.dual_coef_[:] = 0.0
    assert (model.decision_function(X) == before).all()


def test_learning_does_not_write_into_what_it_was_given(three):
    X, y = three
    rows, labels, weight = X.copy(), y.copy(), np.ones(90)
    KernelPerceptron(kernel="polynomial", class_weight="balanced").fit(rows, labels, sample_weight=weight)
    assert (rows == X).all()
    assert (labels == y).all()
    assert (weight == 1.0).all()


def test_all_that_is_kept_is_in_the_record_of_one_run(noisy):
    X, y = noisy
    model = KernelPerceptron(random_state=0).fit(X, y)
    for keep in ("last", "averaged", "voted", "random"):
        fresh = KernelPerceptron(keep=keep, random_state=0).fit(X, y)
        assert (model.set_params(keep=keep).decision_function(X) == fresh.decision_function(X)).all()
    assert model.survival_.sum() == model.examples_seen_
    assert len(model.survival_) == model.updates_ + 1


# ---------------------------------------------------------------- validation, warm start, tracked errors


@pytest.mark.parametrize("keep", ["last", "averaged", "voted"])
def test_validation_keeps_what_was_best_on_other_rows_and_says_when(keep, three):
    X, y = three
    model = KernelPerceptron(
        kernel="linear", keep=keep, epochs=8, random_state=5, validation=(X[60:], y[60:])
    )
    model.fit(X[:60], y[:60])
    errors = [record.validation_error for record in model.history_]
    assert model.best_epoch_ == 1 + int(np.argmin(errors))
    there = KernelPerceptron(kernel="linear", keep=keep, epochs=model.best_epoch_, random_state=5)
    there.fit(X[:60], y[:60])
    assert (there.decision_function(X) == model.decision_function(X)).all()
    assert np.mean(model.predict(X[60:]) != y[60:]) == pytest.approx(min(errors))
    assert model.epochs_ == 8


def test_the_error_tracked_in_a_pass_is_that_of_a_run_which_ends_there(three):
    X, y = three
    model = KernelPerceptron(epochs=3, random_state=2, track_error=True).fit(X, y)
    ends = [KernelPerceptron(epochs=t, random_state=2).fit(X, y) for t in (1, 2, 3)]
    assert [record.training_error for record in model.history_] == [
        pytest.approx(np.mean(end.predict(X) != y)) for end in ends
    ]


@pytest.mark.parametrize("budget", [None, Forgetron(10)], ids=str)
def test_a_warm_start_goes_on_where_the_last_run_ended(budget, three):
    X, y = three
    twice = KernelPerceptron(epochs=2, random_state=0, warm_start=True, budget=budget, gamma=1.0).fit(X, y)
    twice.fit(X, y)
    once = KernelPerceptron(epochs=4, random_state=0, budget=budget, gamma=1.0).fit(X, y)
    assert twice.mistakes_ == once.mistakes_
    assert twice.epochs_ == 4
    np.testing.assert_allclose(twice.decision_function(X), once.decision_function(X), rtol=1e-9, atol=1e-9)
