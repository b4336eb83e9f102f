"""Model files with inconsistent values are refused with the place and the fault.

`test_generated_lies` damages each array and field alone; these values are valid alone, or at a boundary.
"""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.models.saving import load
from rosenblatt.storage.container import read
from tests.storage.conftest import number

HUGE, LARGEST = 1 << 60, np.iinfo(np.int64).max


def isotonic(x, y):
    curve = {"calibration.sizes": np.array([2]), "calibration.x": np.array(x), "calibration.y": np.array(y)}
    return {"calibration": {"method": "isotonic"}, **curve}


LIES = [
    # (golden file, changes, message)
    ("two-last", {"state.rule.parameters.rate": -1.0}, "Rosenblatt.rate"),
    ("two-last", {"state.rule.parameters.tau": 1.0}, "'tau' is not a parameter"),
    ("two-last", {"state.keep": "averaged"}, "keeper.late: this array is missing"),
    ("two-last", {"state.offset": False}, "an offset in a model without one"),
    ("two-last", {"state_kind": "together"}, "state"),
    ("two-last", {"target": "classes"}, "does not match this kind of state"),
    ("two-last", {"n_features": 4}, r"state.weights: shape \(1, 4\), expected any × 5"),
    ("two-last", {"n_features": 0}, "n_features: expected a whole number from 1"),
    ("two-last", {"state.weights": lambda w: np.vstack([w, w])}, "expected 2"),
    (
        "kinds-two",
        {"state.false_positives": number(0, 1000)},
        "state.false_positives: they do not match the mistakes",
    ),
    ("kinds-two", {"false_negatives": 1000}, "false_negatives"),
    (
        "kinds-two",
        {"history.false_negatives": number(0, 1000)},
        "history.false_negatives: more than there are mistakes",
    ),
    ("two-last", {"threshold": "0.5"}, "threshold: expected a finite number"),
    ("two-last", {"threshold": 1e309}, "threshold|Infinity|number"),
    (
        "two-last",
        {"calibration": {"method": "spline"}},
        "calibration.method: expected one of 'platt', 'isotonic'",
    ),
    (
        "two-last",
        {
            "calibration": {"method": "platt"},
            "calibration.slope": np.ones(2),
            "calibration.shift": np.ones(2),
        },
        r"calibration.slope: shape \(2,\), expected 1",
    ),
    (
        "two-last",
        isotonic([1.0, 1.0], [0.0, 1.0]),
        "calibration.x: the points of a curve do not rise",
    ),
    (
        "two-last",
        isotonic([1.0, 2.0], [0.0, 1.5]),
        "calibration.y: a probability is above 1",
    ),
    ("two-last", {"state.scale": number(0, 0.0)}, "state.scale"),
    ("two-averaged-alma", {"state.memory.k": number(0, 0.0)}, "memory.k"),
    ("two-last", {"classes.values": number(1, 0)}, "one comes twice"),
    ("two-last", {"classes.dtype": "|O"}, "classes.dtype: '|O' is not a"),
    ("two-last", {"classes.dtype": "i4,i4"}, "is not an allowed type"),
    ("two-pocket", {"classes.values": number(1, 0.5)}, "not a whole number"),
    ("two-voted-romma", {"classes.values": number(0, 1114112)}, "not texts"),
    ("many-sparse", {"classes.values": number(0, -LARGEST - 1)}, "a class is not a time"),
    ("many-sparse", {"classes.dtype": "<M8"}, "is not an allowed type"),
    ("labels-table", {"feature_names.ends": lambda e: e[[1, 0, 2]]}, "do not end"),
    ("labels-table", {"like": "|O"}, "like"),
    ("labels-table", {"classes.values": number(0, 9)}, "classes: the classes of a table of labels"),
    ("labels-sparse", {"constant_labels": lambda c: np.array([4])}, "constant_labels"),
    ("two-last", {"parameters.deep": 1}, "parameters.deep: there is no such parameter"),
    ("many-sparse", {"classes.dtype": "<M8[0D]"}, "classes.dtype"),
    ("two-margin-class-weight", {"parameters.class_weight.pairs": [[0]]}, "pairs"),
    ("many-averaged", {"parameters.init.w": number(0, np.inf)}, "init.w"),
    ("two-voted-romma", {"state.keeper.row": number(1, 10000)}, "has no row"),
    ("two-voted-romma", {"state.keeper.row": number(0, 0)}, "has no row"),
    ("two-voted-romma", {"state.keeper.members": number(0, 0)}, "members"),
    ("many-voted", {"state.states.keeper.members": lambda m: m[[1, 0, 2]]}, "has no row"),
    (
        "two-voted-romma",
        {"state.keeper.delta": number(1, 1e308), "state.keeper.support.values": lambda v: v * 100},
        "overflows",
    ),
    ("two-voted-sparse", {"state.keeper.support.indices": number(0, 3)}, "a column is outside 0…2"),
    ("two-voted-sparse", {"state.keeper.support.indices": lambda i: i[::-1].copy()}, "do not rise"),
    ("two-voted-sparse", {"state.keeper.support.indices": lambda i: i * 0}, "do not rise"),
    ("two-voted-sparse", {"state.keeper.support.starts": number(0, 1)}, "starts"),
    ("two-voted-sparse", {"state.keeper.support.starts": number(1, 1 << 40)}, "ends before it begins"),
    (
        "many-averaged",
        {"state.rule": {"name": "alma", "parameters": {}}},
        "cannot train many classifiers together",
    ),
    ("many-averaged", {"state.keep": "pocket"}, "cannot train many classifiers together"),
    ("shared-pocket", {"state.tie": "positive"}, "applies to two classes only"),
    ("shared-pocket", {"target": "labels"}, "labels do not share their mistakes"),
    ("many-averaged", {"state.length2": number(0, 0.0)}, "less than the squared length"),
    ("many-late", {"state.since": number(0, 1 << 40)}, "begins after the last step"),
    ("many-averaged", {"state.start": lambda s: np.vstack([s, s])}, "6 of them for 3 columns"),
    ("kernel-two", {"state.unlimited.member": number(0, 10000)}, "member"),
    ("kernel-two", {"state.unlimited.look": lambda look: look[::-1].copy()}, "not in order"),
    ("kernel-two", {"state.looks": 3}, "after the last step"),
    ("kernel-two", {"state.rows_given": 3}, "was never given"),
    ("kernel-voted", {"state.unlimited.updates": lambda u: np.array([u.sum()])}, "mistakes: shape"),
    ("kernel-two", {"state.largest2": number(0, 0.5)}, "less than the squared length"),
    ("kernel-voted", {"state.unlimited.rows_0.values": number(0, 0.5)}, "not whole"),
    ("kernel-two", {"state.unlimited.groups": [HUGE]}, "groups"),
    ("kernel-two", {"state.unlimited.groups": []}, "0 rows, expected"),
    ("kernel-two", {"state.kernel.parameters.gamma": 0.0}, "gamma"),
    ("kernel-two", {"state.kernel.parameters.gamma": "scale"}, "gamma is not a number"),
    ("kernel-two", {"state.rule": {"name": "romma", "parameters": {}}}, "no dual form"),
    ("kernel-two", {"classes.values": lambda c: np.arange(3)}, "3 of them for 1 columns"),
    ("budget-oldest", {"state.budgeted.budget.parameters.size": 1 << 30}, "coefficient: shape"),
    ("budget-oldest", {"state.budgeted.used": number(0, 31)}, "used"),
    ("budget-oldest", {"state.budgeted.used": number(0, 30)}, "origin: shape"),
    ("budget-projectron", {"state.budgeted.matrix": lambda m: m[:, :0, :0]}, "matrix: shape"),
    ("budget-random", {"state.budgeted.matrix": lambda m: np.zeros((3, 3, 3))}, "matrix: shape"),
    ("budget-oldest", {"state.budgeted.budget.name": "forgetron"}, "matrix: shape"),
    ("budget-forgetron", {"state.rule.parameters.rate": 2.0}, "steps of 1"),
    (
        "polynomial-kernel",
        {
            "learner.state.kernel.parameters.degree": 5000,
            "learner.parameters.kernel.parameters.degree": 5000,
            "parameters.degree": 5000,
        },
        "above 1000",
    ),
    (
        "polynomial-map",
        {
            "learner.state.kernel.parameters.degree": 9,
            "learner.parameters.kernel.parameters.degree": 9,
            "parameters.degree": 9,
        },
        "too few or too many",
    ),
    ("polynomial-map", {"learner.monomial_weights": number(0, 7.0)}, "not those of the monomials"),
    ("polynomial-map", {"parameters.degree": 40}, "the degree is not that of the kernel"),
    ("polynomial-map", {"parameters.coef0": 2.0}, "coef0 is not that of"),
    (
        "polynomial-map",
        {
            "learner.state.kernel.parameters.coef0": 0.0,
            "learner.parameters.kernel.parameters.coef0": 0.0,
            "parameters.coef0": 0.0,
        },
        "too few or too many",
    ),
    ("polynomial-kernel", {"learner.state.kernel": {"name": "gaussian", "parameters": {}}}, "is not"),
    ("learner-kernel-named", {"n_features": 1 << 40}, "is too few for 3 named"),
    ("learner-named", {"n_features": 1}, "1 is too few for 3 named features"),
    ("learner-named", {"feature_names": {"type": "mixed", "values": ["u", "u"]}}, "a name occurs twice"),
    ("learner-named", {"feature_names": {"type": "mixed", "values": [[1]]}}, "neither a text nor a number"),
    (
        "learner-named",
        {"feature_names": {"type": "mixed", "values": [{"date": "soon"}]}},
        "is not of type date",
    ),
    ("learner-linear", {"state_kind": "kernel"}, "but the parameters require 'linear'"),
    ("learner-classes", {"state.classes": {"type": "mixed", "values": [1]}}, "1 of them for 3 columns"),
    ("learner-waiting", {"state.classes": {"type": "mixed", "values": [1]}}, "1 of them for 0 columns"),
    ("learner-linear", {"parameters.budget": 5}, "there is no kernel"),
    ("learner-kernel", {"parameters.budget": 5, "parameters.keep": "last"}, "does not match the budget"),
    (
        "learner-budget",
        {"state.budgeted.budget.parameters.size": 1 << 30, "parameters.budget": 1 << 30},
        "coefficient: shape",
    ),
    ("learner-waiting", {"parameters.init.w": number(0, np.nan)}, "init.w"),
]


@pytest.mark.parametrize(
    ("source", "changes", "why"),
    LIES,
    ids=lambda part: ", ".join(part) if isinstance(part, dict) else str(part),
)
def test_a_lie_about_a_model_is_named(source, changes, why, tamper, check_refusal):
    assert len(check_refusal(tamper(source, changes), why)) < 600


MAYBE = {
    "a mean that overflows": (
        "two-averaged-alma",
        {
            "state.keeper.late": number(0, 1e308),
            "state.examples_seen": number(0, 1),
            "state.keeper.looks": number(0, 1 << 50),
        },
    ),
    "rows of other columns": (
        "many-voted",
        {"state.states.keeper.support_rows": lambda m: m + np.array([1, -1, 0])},
    ),
}


@pytest.mark.parametrize("name", MAYBE)
def test_a_lie_that_may_pass_leaves_a_model_that_works(name, tamper, fuzz):
    path = tamper(*MAYBE[name])
    assert fuzz.attempt(name, path.read_bytes(), path) in ("refused", "used")


def test_an_untouched_copy_is_loaded(tamper, golden, zoo):
    """The lies above are refused for what was changed, and not for having been written by a test."""
    for path in golden.glob("*.safetensors"):
        assert zoo.answers(load(tamper(path.stem))) == zoo.answers(load(path))


def test_dense_rows_of_named_features_are_refused(tamper, check_refusal):
    """They could not grow with the features."""
    n = len(read(tamper("learner-kernel-named"))[0]["state.unlimited.origin"])
    dense = {
        "state.unlimited.rows_0": {"layout": "dense"},
        "state.unlimited.rows_0.values": np.zeros((n, 64)),
    }
    check_refusal(tamper("learner-kernel-named", dense), "rows of named features are compressed")
