"""Model files with a lie in them, about kernels, budgets, polynomials and learners: each is refused."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.storage.container import read
from tests.storage.conftest import number

HUGE = 1 << 60


LIES = {
    # (golden file, what is changed, what is said)
    "a support row there is not": ("kernel-two", {"state.unlimited.member": number(0, 10_000)}, "member"),
    "a support row below 0": ("kernel-two", {"state.unlimited.member": number(0, -1)}, "member"),
    "looks that fall": (
        "kernel-two",
        {"state.unlimited.look": lambda look: look[::-1].copy()},
        "not in order",
    ),
    "a look to come": ("kernel-two", {"state.looks": 3}, "after the last step"),
    "a row never given": ("kernel-two", {"state.rows_given": 3}, "was never given"),
    "updates below 0": ("kernel-two", {"state.unlimited.updates": number(0, -1)}, "updates"),
    "updates that are not there": (
        "kernel-two",
        {"state.unlimited.updates": number(0, 1 << 50)},
        "member: shape",
    ),
    "fewer columns": (
        "kernel-voted",
        {"state.unlimited.updates": lambda u: np.array([u.sum()])},
        "mistakes: shape",
    ),
    "rows that are longer than the longest": (
        "kernel-two",
        {"state.largest2": number(0, 0.5)},
        "less than the squared length",
    ),
    "numbers that are not whole": (
        "kernel-voted",
        {"state.unlimited.rows_0.values": number(0, 0.5)},
        "not whole",
    ),
    "groups of rows that are not": ("kernel-two", {"state.unlimited.groups": [HUGE]}, "groups"),
    "fewer rows": ("kernel-two", {"state.unlimited.groups": []}, "0 rows, expected"),
    "an unknown kernel": ("kernel-two", {"state.kernel.name": "rbf"}, "kernel.name"),
    "a width of 0": ("kernel-two", {"state.kernel.parameters.gamma": 0.0}, "gamma"),
    "a width in words": ("kernel-two", {"state.kernel.parameters.gamma": "scale"}, "gamma is not a number"),
    "an endless degree": ("kernel-voted", {"state.kernel.parameters.degree": 1 << 50}, "a degree above"),
    "a rule without a dual form": (
        "kernel-two",
        {"state.rule": {"name": "romma", "parameters": {}}},
        "no dual form",
    ),
    "an unknown device": ("kernel-two", {"state.device": "cuda:99"}, "device"),
    "classes for other columns": (
        "kernel-two",
        {"classes.values": lambda c: np.arange(3)},
        "3 of them for 1 columns",
    ),
    "a kernel of other features": ("kernel-sparse", {"n_features": 1 << 40}, "n_features: expected"),
    # budgets
    "a budget without end": (
        "budget-oldest",
        {"state.budgeted.budget.parameters.size": 1 << 30},
        "coefficient: shape",
    ),
    "a budget beyond any": ("budget-oldest", {"state.budgeted.budget.parameters.size": HUGE}, "size"),
    "more slots in use than there are": ("budget-oldest", {"state.budgeted.used": number(0, 31)}, "used"),
    "slots whose rows are not there": (
        "budget-oldest",
        {"state.budgeted.used": number(0, 30)},
        "origin: shape",
    ),
    "no matrix": ("budget-projectron", {"state.budgeted.matrix": lambda m: m[:, :0, :0]}, "matrix: shape"),
    "a matrix where none belongs": (
        "budget-random",
        {"state.budgeted.matrix": lambda m: np.zeros((3, 3, 3))},
        "matrix: shape",
    ),
    "another budget": ("budget-oldest", {"state.budgeted.budget.name": "forgetron"}, "matrix: shape"),
    "a slot filled in the future": (
        "budget-oldest",
        {"state.budgeted.joined": number(0, 1 << 40)},
        "after the last step",
    ),
    "a budget whose steps are not 1": (
        "budget-forgetron",
        {"state.rule.parameters.rate": 2.0},
        "steps of 1",
    ),
    # polynomials
    "monomials without end": ("polynomial-map", {"learner.n_features": 1 << 50}, "n_features|shape"),
    "a degree beyond counting": (
        "polynomial-kernel",
        {
            "learner.state.kernel.parameters.degree": 5000,
            "learner.parameters.kernel.parameters.degree": 5000,
            "parameters.degree": 5000,
        },
        "above 1000",
    ),
    "monomials of another degree": (
        "polynomial-map",
        {
            "learner.state.kernel.parameters.degree": 9,
            "learner.parameters.kernel.parameters.degree": 9,
            "parameters.degree": 9,
        },
        "too few or too many",
    ),
    "weights of other monomials": (
        "polynomial-map",
        {"learner.monomial_weights": number(0, 7.0)},
        "not those of the monomials",
    ),
    "another degree": ("polynomial-map", {"parameters.degree": 40}, "the degree is not that of the kernel"),
    "another constant": ("polynomial-map", {"parameters.coef0": 2.0}, "coef0 is not that of"),
    "a constant that the monomials do not have": (
        "polynomial-map",
        {
            "learner.state.kernel.parameters.coef0": 0.0,
            "learner.parameters.kernel.parameters.coef0": 0.0,
            "parameters.coef0": 0.0,
        },
        "too few or too many",
    ),
    "a polynomial that is a Gaussian": (
        "polynomial-kernel",
        {"learner.state.kernel": {"name": "gaussian", "parameters": {}}},
        "is not",
    ),
    # learners
    "room without end": ("learner-kernel-named", {"n_features": 1 << 40}, "is too few for 3 named"),
    "more names than features": ("learner-named", {"n_features": 1}, "1 is too few for 3 named features"),
    "a name twice": (
        "learner-named",
        {"feature_names": {"type": "mixed", "values": ["u", "u"]}},
        "a name comes twice",
    ),
    "a name that is a list": (
        "learner-named",
        {"feature_names": {"type": "mixed", "values": [[1]]}},
        "neither a text nor a number",
    ),
    "a date that is none": (
        "learner-named",
        {"feature_names": {"type": "mixed", "values": [{"date": "soon"}]}},
        "is not of type date",
    ),
    "features that are neither": ("learner-named", {"features": "hashed"}, "features: expected one of"),
    "a state of another kind": (
        "learner-linear",
        {"state_kind": "kernel"},
        "but the parameters require 'linear'",
    ),
    "fewer classes than columns": (
        "learner-classes",
        {"state.classes": {"type": "mixed", "values": [1]}},
        "1 of them for 3 columns",
    ),
    "classes without columns": (
        "learner-waiting",
        {"state.classes": {"type": "mixed", "values": [1]}},
        "1 of them for 0 columns",
    ),
    "a budget without a kernel": ("learner-linear", {"parameters.budget": 5}, "there is no kernel"),
    "a budget without its slots": (
        "learner-kernel",
        {"parameters.budget": 5, "parameters.keep": "last"},
        "does not match the budget",
    ),
    "an enormous budget of a learner": (
        "learner-budget",
        {"state.budgeted.budget.parameters.size": 1 << 30, "parameters.budget": 1 << 30},
        "coefficient: shape",
    ),
    "a start that is not finite": ("learner-waiting", {"parameters.init.w": number(0, np.nan)}, "init.w"),
}


@pytest.mark.parametrize("name", LIES)
def test_a_lie_about_a_model_is_named(name, tamper, check_refusal):
    source, changes, why = LIES[name]
    assert len(check_refusal(tamper(source, changes), why)) < 600


def test_dense_rows_of_named_features_are_refused(tamper, check_refusal):
    """They could not grow with the features."""
    n = len(read(tamper("learner-kernel-named"))[0]["state.unlimited.origin"])
    dense = {
        "state.unlimited.rows_0": {"layout": "dense"},
        "state.unlimited.rows_0.values": np.zeros((n, 64)),
    }
    check_refusal(tamper("learner-kernel-named", dense), "rows of named features are compressed")
