"""The contract with scikit-learn: its own checks, and the company that our classifiers keep there."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from rosenblatt import KernelPerceptron, Perceptron, PolynomialThreshold
from rosenblatt.budgets import Forgetron
from rosenblatt.kernels import Gaussian, Polynomial
from rosenblatt.rules import Margin, PassiveAggressive1
from tests.contract import TWICE_IS_NOT_DOUBLE, assert_fails, contract, excuses
from tests.covering import case_id, in_turn
from tests.models.kernel_configurations import CONFIGURATIONS

TEN_PASSES = (
    "the check gives 1000 passes over unscaled features to whatever has a max_iter; epochs=10 is a "
    "promise of ten passes. With two classes Perceptron(epochs=100) passes"
)
ANY_HALFSPACE = (
    "with three classes the check wants 87 of 100 rows for a class that weighs 10⁷ times as much as the "
    "others; every halfspace that holds all its training rows is then as good as another, and the "
    "perceptron keeps the first that it finds (86 of 100), or the mean of those on the way (80)"
)
ERRORS_COUNT_ONCE = (
    "the pocket chooses among weight vectors by the number of rows they get wrong, whatever these weigh"
)
WORST_ONLY = "on noise the worst row is looked at again and again, so few of the rows are heard at all"
PLANES_GO_ON = (
    "one of three planes is the highest somewhere far out, whatever its class weighs; 1000 passes bring "
    "the answers for the heavy class to 86 %, and the check asks for 87 %"
)

FAMILY = [
    Perceptron(),
    Perceptron(epochs=100),
    Perceptron(epochs=100, keep="voted"),
    Perceptron(epochs=100, keep="pocket"),
    Perceptron(epochs=100, keep="averaged", rule="passive_aggressive_1"),
    Perceptron(epochs=100, rule=Margin(tau=0.5), tie="positive", init="unit"),
    Perceptron(epochs=100, rule="forgetting", class_weight="balanced", track_error=True),
    Perceptron(epochs=20, keep="averaged", order="worst_mistake"),
    Perceptron(epochs=100, keep="averaged", n_jobs=2),
    Perceptron(epochs=100, multiclass="ultraconservative"),
    Perceptron(epochs=100, multiclass="ultraconservative", sharing="uniform", keep="averaged"),
    Perceptron(epochs=100, multiclass="ultraconservative", rule="passive_aggressive_1", keep="pocket"),
    Perceptron(epochs=100, rule="margin", allow_new_classes=True),
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
    PolynomialThreshold(),
    PolynomialThreshold(way="map", keep="averaged"),
    PolynomialThreshold(way="kernel", keep="voted", tie="positive", degree=4),
    PolynomialThreshold(way="map", keep="random", order="given", rule="margin"),
    PolynomialThreshold(rule="passive_aggressive_1", validation=0.2, track_error=True, keep="averaged"),
]
CLASS_WEIGHT = "check_class_weight_classifiers"
EXCUSES = [
    (Perceptron, lambda model: model.get_params() == Perceptron().get_params(), CLASS_WEIGHT, TEN_PASSES),
    (
        Perceptron,
        lambda model: model.epochs != 10 and model.rule in ("rosenblatt", "margin"),
        CLASS_WEIGHT,
        ANY_HALFSPACE,
    ),
    (Perceptron, lambda model: model.keep == "pocket", CLASS_WEIGHT, ERRORS_COUNT_ONCE),
    (Perceptron, lambda model: model.order == "worst_mistake", CLASS_WEIGHT, WORST_ONLY),
    (KernelPerceptron, lambda model: model.kernel == "linear", CLASS_WEIGHT, PLANES_GO_ON),
]


def expected_failures(estimator):
    """The checks that cannot hold for this one, each with the reason."""
    return TWICE_IS_NOT_DOUBLE | {
        check: reason
        for kind, condition, check, reason in EXCUSES
        if type(estimator) is kind and condition(estimator)
    }


@contract(FAMILY, expected_failures)
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@excuses(FAMILY, expected_failures)
def test_no_excuse_is_made_for_a_check_that_passes(estimator, check):
    assert_fails(estimator, check)


# ---------------------------------------------------------------- parameters

OF_ALL = {
    "rule": "rosenblatt", "keep": "last", "epochs": 10, "until": None, "order": "shuffled",
    "class_weight": None, "validation": None, "callbacks": None, "warm_start": False, "random_state": None,
    "progress": None, "track_error": False, "tie": "mistake",
}  # fmt: skip
DEFAULTS = {
    Perceptron: OF_ALL | {
        "offset": True, "init": "zeros", "multiclass": "one_vs_rest", "sharing": "worst",
        "allow_new_classes": False, "n_jobs": None, "device": "cpu",
    },
    KernelPerceptron: OF_ALL | {
        "kernel": "gaussian", "degree": 3, "gamma": "scale", "coef0": 1.0, "offset": False,
        "keep": "averaged", "budget": None, "cache_size": "2GB", "device": "auto",
    },
    PolynomialThreshold: OF_ALL | {"degree": 2, "way": "auto", "coef0": 1.0},
}  # fmt: skip
each = pytest.mark.parametrize("kind", DEFAULTS)


@each
def test_every_parameter_is_stored_as_it_was_given(kind):
    names = list(inspect.signature(kind).parameters)
    given = {name: object() for name in names}
    model = kind(**given)
    assert {name: getattr(model, name) for name in names} == given
    assert model.get_params(deep=False) == given


@each
def test_the_defaults_are_those_of_the_manual(kind):
    assert kind().get_params() == DEFAULTS[kind]


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(rule=PassiveAggressive1(C=0.1), keep="pocket", random_state=3),
        KernelPerceptron(kernel=Polynomial(degree=2), rule=Margin(tau=0.5), random_state=3),
        PolynomialThreshold(degree=3, way="map", rule=Margin(tau=0.5), random_state=3),
        PolynomialThreshold(degree=3, way="kernel", rule=Margin(tau=0.5), random_state=3),
    ],
    ids=str,
)
def test_a_clone_has_the_parameters_and_nothing_that_was_learned(model, noisy):
    X, y = noisy
    model.fit(X, y)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        check_is_fitted(twin)
    assert (twin.fit(X, y).decision_function(X) == model.decision_function(X)).all()
    assert twin.mistakes_ == model.mistakes_


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(rule="margin", init=np.ones(5)),
        KernelPerceptron(kernel=Gaussian(gamma=0.3), rule="margin", budget=np.int64(9)),
        PolynomialThreshold(rule=Margin(tau=0.5), degree=np.int64(2)),
    ],
    ids=case_id,
)
def test_fit_does_not_change_a_parameter(model, noisy):
    model.set_params(order=list(range(len(noisy[1])))[::-1])
    before = {name: id(value) for name, value in model.get_params().items()}
    model.fit(*noisy)
    assert {name: id(value) for name, value in model.get_params().items()} == before


@each
def test_it_says_that_it_is_a_classifier_for_any_number_of_classes_that_reads_sparse_rows(kind):
    tags = kind().__sklearn_tags__()
    assert is_classifier(kind())
    assert tags.classifier_tags.multi_class
    assert tags.classifier_tags.multi_label == (kind is Perceptron)
    assert tags.input_tags.sparse
    assert not tags.input_tags.allow_nan


def test_classes_that_share_mistakes_are_no_labels():
    assert not Perceptron(multiclass="ultraconservative").__sklearn_tags__().classifier_tags.multi_label


@each
def test_before_fit_every_question_is_answered_by_not_fitted(kind, noisy):
    X, y = noisy
    questions = {
        "predict": (X,),
        "decision_function": (X,),
        "training_error": (X, y),
        "weights_by_name": (),
    }
    for ask, arguments in questions.items():
        if ask in ("predict", "decision_function") or kind is Perceptron:
            with pytest.raises(NotFittedError, match="Call 'fit'"):
                getattr(kind(), ask)(*arguments)


@pytest.mark.parametrize(
    ("kind", "learned"),
    [
        (Perceptron, "coef_ intercept_ classes_ survival_ mistakes_ history_ converged_"),
        (PolynomialThreshold, "polynomial_ survival_ way_ classes_ mistakes_ n_monomials_"),
    ],
)
def test_before_fit_there_are_no_learned_attributes(kind, learned):
    for name in learned.split():
        assert not hasattr(kind(), name)


def test_a_committee_has_no_coef_and_says_what_to_ask_instead(noisy):
    model = Perceptron(keep="voted").fit(*noisy)
    assert not hasattr(model, "coef_")
    with pytest.raises(AttributeError, match="decision_function or predict"):
        _ = model.intercept_
    with pytest.raises(AttributeError, match="keep='voted'"):
        _ = Perceptron().fit(*noisy).survival_


# ---------------------------------------------------------------- company


PICKLED = [
    *(
        Perceptron(keep=keep, rule=rule, order="given", epochs=2)
        for keep, rule in in_turn(["last", "averaged", "voted", "pocket"], ["rosenblatt", "alma", "margin"])
    ),
    *(
        KernelPerceptron(random_state=0, epochs=2, **settings)
        for name, settings in CONFIGURATIONS.items()
        if name != "a function"  # a test module cannot be imported by its name
    ),
    *(PolynomialThreshold(way=way, random_state=0, epochs=2) for way in ("map", "kernel")),
]


@pytest.mark.parametrize("model", PICKLED, ids=str)
def test_a_pickled_model_decides_and_goes_on_as_the_original(model, noisy):
    X, y = noisy
    twin = pickle.loads(pickle.dumps(model.fit(X, y)))
    assert (twin.decision_function(X) == model.decision_function(X)).all()
    assert (twin.history_, twin.classes_.tolist()) == (model.history_, model.classes_.tolist())
    model.partial_fit(X[:50], y[:50])
    twin.partial_fit(X[:50], y[:50])
    assert (twin.decision_function(X) == model.decision_function(X)).all()
    assert twin.mistakes_ == model.mistakes_


def test_grid_search_finds_the_better_parameters():
    X, y = load_breast_cancer(return_X_y=True)
    grid = {"perceptron__keep": ["last", "averaged"], "perceptron__rule": ["rosenblatt", Margin(tau=1.0)]}
    search = GridSearchCV(make_pipeline(StandardScaler(), Perceptron(random_state=0)), grid, cv=3)
    search.fit(X, y)
    assert search.best_params_["perceptron__keep"] == "averaged"
    assert search.best_score_ > 0.96


def test_grid_search_takes_budgets_and_rules_as_values(noisy):
    grid = {"budget": [None, 10, Forgetron(10)], "rule": ["rosenblatt"], "gamma": [0.1, "scale", "auto"]}
    search = GridSearchCV(KernelPerceptron(random_state=0, epochs=2), grid, cv=2).fit(*noisy)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("model", [Perceptron(keep="averaged"), KernelPerceptron()], ids=str)
def test_cross_validation_reaches_what_the_family_is_known_to_reach(model):
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), model.set_params(random_state=0))
    assert cross_val_score(model, X, y, cv=5).mean() > 0.96


def test_cross_val_predict_gives_decision_values(noisy, three):
    X, y = noisy
    values = cross_val_predict(Perceptron(random_state=0), X, y, method="decision_function", cv=4)
    assert values.shape == y.shape
    assert ((values > 0) == y).mean() > 0.7
    X, y = three
    values = cross_val_predict(KernelPerceptron(random_state=0), X, y, method="decision_function", cv=3)
    assert values.shape == (90, 3)
    assert (values.argmax(axis=1) == y).mean() > 0.7


@pytest.mark.parametrize("model", [Perceptron(keep="averaged"), KernelPerceptron()], ids=str)
def test_calibration_makes_probabilities_of_decision_values(model, noisy):
    X, y = noisy
    model = CalibratedClassifierCV(model.set_params(random_state=0), cv=3).fit(X, y)
    probability = model.predict_proba(X)
    assert np.allclose(probability.sum(axis=1), 1.0)
    assert probability[y == 1, 1].mean() > probability[y == 0, 1].mean() + 0.3


@pytest.mark.parametrize("kind", [Perceptron, KernelPerceptron])
def test_a_frame_made_by_set_output_brings_its_names(kind):
    frame = load_breast_cancer(as_frame=True)
    model = make_pipeline(StandardScaler(), kind(random_state=0)).set_output(transform="pandas")
    model.fit(frame.data, frame.target)
    assert model[-1].feature_names_in_.tolist() == frame.data.columns.tolist()
    plain = make_pipeline(StandardScaler(), kind(random_state=0))
    plain.fit(frame.data.to_numpy(), frame.target)
    assert not hasattr(plain[-1], "feature_names_in_")
    assert (plain.predict(frame.data.to_numpy()) == model.predict(frame.data)).all()


@pytest.mark.parametrize("kind", [Perceptron, KernelPerceptron])
def test_names_in_another_order_are_refused(kind):
    frame = load_breast_cancer(as_frame=True)
    model = kind().fit(frame.data, frame.target)
    for ask, labels in ((model.predict, ()), (model.partial_fit, (frame.target,))):
        with pytest.raises(ValueError, match="feature names should match"):
            ask(frame.data.iloc[:, ::-1], *labels)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(frame.data.to_numpy())


@pytest.mark.parametrize(("kind", "learned"), [(Perceptron, "coef_"), (KernelPerceptron, "dual_coef_")])
def test_sample_weight_is_routed_to_fit_once_it_is_asked_for(kind, learned, noisy):
    X, y = noisy
    weight = np.where(y == 1, 5.0, 0.5)
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises(UnsetMetadataPassedError, match="set_fit_request"):
            make_pipeline(kind(random_state=0)).fit(X, y, sample_weight=weight)
        asking = kind(random_state=0).set_fit_request(sample_weight=True)
        routed = make_pipeline(asking).fit(X, y, sample_weight=weight)
        scores = cross_val_score(
            asking.set_score_request(sample_weight=False), X, y, cv=3, params={"sample_weight": weight}
        )
    direct, plain = (kind(random_state=0).fit(X, y, sample_weight=given) for given in (weight, None))
    weights = [getattr(model, learned) for model in (routed[-1], direct, plain)]
    assert np.array_equal(weights[0], weights[1])
    assert not np.array_equal(weights[0], weights[2])
    assert scores.shape == (3,)
