"""scikit-learn's checks: all for default settings, those that fit and predict for other settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

FIT_AND_PREDICT = {
    "check_class_weight_classifiers",
    "check_classifiers_classes",
    "check_classifiers_train",
    "check_dict_unchanged",
    "check_fit2d_1sample",
    "check_fit_idempotent",
    "check_methods_subset_invariance",
    "check_regressors_train",
}
TWICE_IS_NOT_DOUBLE = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "an online learner takes one larger step on a row of weight 2, but visits a repeated row twice, and "
    "the second visit may find nothing to correct",
)
Excused = Callable[[BaseEstimator], Mapping[str, str]]


def contract(family: Sequence[BaseEstimator], excused: Excused = lambda estimator: {}) -> Any:
    """Parametrize a test with (estimator, check); the first estimator of each class has the defaults.

    `excused` returns the checks that cannot hold for an estimator, each with the reason.
    """
    every = parametrize_with_checks(family, expected_failed_checks=excused)
    names, pairs = every.args
    kept = [pair for pair in pairs if _is_included(family, *getattr(pair, "values", pair))]
    return pytest.mark.parametrize(names, kept, ids=every.kwargs["ids"])


def excuses(family: Sequence[BaseEstimator], excused: Excused) -> Any:
    """Parametrize a test with each estimator and the names of the checks that it is excused from."""
    return pytest.mark.parametrize(
        ("estimator", "check"),
        [
            (estimator, check)
            for estimator in family
            for check in excused(estimator)
            if _is_default(family, estimator) or check in FIT_AND_PREDICT
        ],
    )


def assert_fails(estimator: BaseEstimator, check: str) -> None:
    """Check that an excused check fails, so that its excuse is needed."""
    with pytest.raises(AssertionError):
        getattr(estimator_checks, check)(type(estimator).__name__, clone(estimator))


def _is_default(family: Sequence[BaseEstimator], estimator: BaseEstimator) -> bool:
    return estimator is next(each for each in family if type(each) is type(estimator))


def _is_included(family: Sequence[BaseEstimator], estimator: BaseEstimator, check: Any) -> bool:
    # other rows (read-only, of single precision) are read alike whatever the settings
    is_included = check.func.__name__ in FIT_AND_PREDICT and not check.keywords
    return _is_default(family, estimator) or is_included
