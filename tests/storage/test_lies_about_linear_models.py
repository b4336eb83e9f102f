"""Model files with a lie in them, about a linear model: each is refused by name, with what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.models.saving import load
from tests.storage.conftest import number

HUGE, LARGEST = 1 << 60, np.iinfo(np.int64).max


LIES = {
    # (golden file, what is changed, what is said)
    "an unknown kind": ("two-last", {"kind": "oracle"}, "kind: expected one of 'perceptron'"),
    "an unknown rule": ("two-last", {"state.rule.name": "adaline"}, "rule.name: expected one of"),
    "a rule below its range": ("two-last", {"state.rule.parameters.rate": -1.0}, "Rosenblatt.rate"),
    "a parameter the rule has not": (
        "two-last",
        {"state.rule.parameters.tau": 1.0},
        "'tau' is not a parameter",
    ),
    "an unknown keeper": ("two-last", {"state.keep": "best"}, "state.keep: expected one of"),
    "another keeper": ("two-last", {"state.keep": "averaged"}, "keeper.late: this array is missing"),
    "an unknown tie": ("two-last", {"state.tie": "both"}, "state.tie"),
    "an offset that is a number": ("two-last", {"state.offset": 1}, "state.offset: expected true or false"),
    "an offset where there is none": (
        "two-last",
        {"state.offset": False},
        "an offset in a model without one",
    ),
    "another kind of state": ("two-last", {"state_kind": "together"}, "state"),
    "a target that does not fit": (
        "two-last",
        {"target": "classes"},
        "does not match this kind of state",
    ),
    "more features": ("two-last", {"n_features": 4}, r"state.weights: shape \(1, 4\), expected any × 5"),
    "no features": ("two-last", {"n_features": 0}, "n_features: expected a whole number from 1"),
    "a true number of features": ("two-last", {"n_features": True}, "n_features"),
    "a seed below 0": ("two-last", {"seed": -1}, "seed"),
    "too many weights": (
        "two-last",
        {"state.weights": lambda w: np.hstack([w, w])},
        "state.weights: shape",
    ),
    "two vectors": ("two-last", {"state.weights": lambda w: np.vstack([w, w])}, "expected 2"),
    "mistakes below 0": ("two-last", {"state.mistakes": number(0, -1)}, "state.mistakes: a number is not"),
    "more false positives than mistakes": (
        "kinds-two",
        {"state.false_positives": number(0, 1000)},
        "state.false_positives: they do not match the mistakes",
    ),
    "rows that no class missed and one took": (
        "kinds-shared",
        {"state.false_positives": number(0, 1000)},
        "state.false_positives: they do not match the mistakes",
    ),
    "false positives below 0": (
        "kinds-two",
        {"state.false_positives": number(0, -1)},
        "state.false_positives: a number is not",
    ),
    "false negatives beyond the mistakes": ("kinds-two", {"false_negatives": 1000}, "false_negatives"),
    "a pass of more false negatives than mistakes": (
        "kinds-two",
        {"history.false_negatives": number(0, 1000)},
        "history.false_negatives: more than there are mistakes",
    ),
    "a threshold that is a text": ("two-last", {"threshold": "0.5"}, "threshold: expected a finite number"),
    "a threshold that is infinite": ("two-last", {"threshold": 1e999}, "threshold|Infinity|number"),
    "an unknown calibration": (
        "two-last",
        {"calibration": {"method": "spline"}},
        "calibration.method: expected one of 'platt', 'isotonic'",
    ),
    "two curves for one column": (
        "two-last",
        {
            "calibration": {"method": "platt"},
            "calibration.slope": np.ones(2),
            "calibration.shift": np.ones(2),
        },
        r"calibration.slope: shape \(2,\), expected 1",
    ),
    "a polygon that goes back": (
        "two-last",
        {
            "calibration": {"method": "isotonic"},
            "calibration.sizes": np.array([2]),
            "calibration.x": np.array([1.0, 1.0]),
            "calibration.y": np.array([0.0, 1.0]),
        },
        "calibration.x: the points of a curve do not rise",
    ),
    "a probability above 1": (
        "two-last",
        {
            "calibration": {"method": "isotonic"},
            "calibration.sizes": np.array([2]),
            "calibration.x": np.array([1.0, 2.0]),
            "calibration.y": np.array([0.0, 1.5]),
        },
        "calibration.y: a probability is above 1",
    ),
    "counts beyond counting": ("two-last", {"state.examples_seen": number(0, LARGEST)}, "examples_seen"),
    "a scale of 0": ("two-last", {"state.scale": number(0, 0.0)}, "state.scale"),
    "a length below 0": ("two-last", {"state.norm2": number(0, -1.0)}, "state.norm2"),
    "memory before the start": ("two-averaged-alma", {"state.memory.k": number(0, 0.0)}, "memory.k"),
    "one class": ("two-last", {"classes.values": lambda c: c[:1]}, "classes: 1 of them, expected 2"),
    "no class": ("two-last", {"classes.values": lambda c: c[:0]}, "classes: there is no class"),
    "a class twice": ("two-last", {"classes.values": number(1, 0)}, "one comes twice"),
    "classes of objects": ("two-last", {"classes.dtype": "|O"}, "classes.dtype: '|O' is not a"),
    "classes of records": ("two-last", {"classes.dtype": "i4,i4"}, "is not an allowed type"),
    "a class between numbers": ("two-pocket", {"classes.values": number(1, 0.5)}, "not a whole number"),
    "characters there are not": ("two-voted-romma", {"classes.values": number(0, 0x110000)}, "not texts"),
    "no time": ("many-sparse", {"classes.values": number(0, -LARGEST - 1)}, "a class is not a time"),
    "times without a unit": ("many-sparse", {"classes.dtype": "<M8"}, "is not an allowed type"),
    "feature names that are too few": (
        "labels-table",
        {"feature_names.ends": lambda e: e[:-1]},
        "feature_names",
    ),
    "texts that end too late": ("labels-table", {"feature_names.ends": number(-1, 99)}, "feature_names"),
    "texts that end before they begin": (
        "labels-table",
        {"feature_names.ends": lambda e: e[[1, 0, 2]]},
        "do not end",
    ),
    "texts that are not": ("labels-table", {"label_names.utf8": number(0, 255)}, "not UTF-8"),
    "labels like objects": ("labels-table", {"like": "|O"}, "like"),
    "labels that are no numbers": (
        "labels-table",
        {"classes.values": number(0, 9)},
        "classes: the classes of a table of labels",
    ),
    "constant labels there are not": (
        "labels-sparse",
        {"constant_labels": lambda c: np.array([4])},
        "constant_labels",
    ),
    "totals below 0": ("two-last", {"class_totals": number(0, -1.0)}, "class_totals"),
    "an unknown parameter": (
        "two-last",
        {"parameters.deep": 1},
        "parameters.deep: there is no such parameter",
    ),
    "a section as a text": ("two-last", {"parameters.tie": {"kind": "text"}}, "parameters.tie.kind"),
    "times of no length": ("many-sparse", {"classes.dtype": "<M8[0D]"}, "classes.dtype"),
    "threads without end": ("many-averaged", {"parameters.n_jobs": 1 << 40}, "at most 65536 threads"),
    "weights of classes that are none": (
        "two-margin-class-weight",
        {"parameters.class_weight.pairs": [[0]]},
        "pairs",
    ),
    "an infinite start": ("many-averaged", {"parameters.init.w": number(0, np.inf)}, "init.w"),
    # committees
    "a member whose row is not there": (
        "two-voted-romma",
        {"state.keeper.row": number(1, 10_000)},
        "has no row",
    ),
    "a member before the first row": ("two-voted-romma", {"state.keeper.row": number(2, -1)}, "has no row"),
    "a first member with a row": ("two-voted-romma", {"state.keeper.row": number(0, 0)}, "has no row"),
    "more members than there are": (
        "two-voted-romma",
        {"state.keeper.members": number(0, 50)},
        "row: shape",
    ),
    "no members": ("two-voted-romma", {"state.keeper.members": number(0, 0)}, "members"),
    "endless members": ("two-voted-romma", {"state.keeper.members": number(0, 1 << 53)}, "row: shape"),
    "members of other columns": (
        "many-voted",
        {"state.states.keeper.members": lambda m: m[[1, 0, 2]]},
        "has no row",
    ),
    "survival below 0": ("two-voted-romma", {"state.keeper.survival": number(0, -5)}, "survival"),
    "a committee that overflows": (
        "two-voted-romma",
        {"state.keeper.delta": number(1, 1e308), "state.keeper.support.values": lambda v: v * 100},
        "overflows",
    ),
    "a column beyond the last": (
        "two-voted-sparse",
        {"state.keeper.support.indices": number(0, 3)},
        "a column is outside 0…2",
    ),
    "a column far beyond": (
        "two-voted-sparse",
        {"state.keeper.support.indices": number(0, (1 << 64) - 1)},
        "a column is outside",
    ),
    "columns that fall": (
        "two-voted-sparse",
        {"state.keeper.support.indices": lambda i: i[::-1].copy()},
        "do not rise",
    ),
    "a column twice": (
        "two-voted-sparse",
        {"state.keeper.support.indices": lambda i: i * 0},
        "do not rise",
    ),
    "rows that begin late": ("two-voted-sparse", {"state.keeper.support.starts": number(0, 1)}, "starts"),
    "rows that end late": (
        "two-voted-sparse",
        {"state.keeper.support.starts": number(-1, 1 << 40)},
        "starts",
    ),
    "a row that ends before it begins": (
        "two-voted-sparse",
        {"state.keeper.support.starts": number(1, 1 << 40)},
        "ends before it begins",
    ),
    "indices of two sizes": (
        "two-voted-sparse",
        {"state.keeper.support.starts": lambda s: s.astype(np.uint32)},
        "starts: numbers of type",
    ),
    "signed indices": (
        "two-voted-sparse",
        {"state.keeper.support.indices": lambda s: s.view(np.int64)},
        "indices: numbers of type",
    ),
    "rows of other features": (
        "two-voted-sparse",
        {"state.keeper.support.n_features": 1 << 40},
        "n_features: expected 3",
    ),
    "an unknown layout": ("two-voted-sparse", {"state.keeper.support.layout": "coo"}, "layout"),
    # pockets and columns
    "a pocket that stands nowhere": ("two-pocket", {"state.keeper.standing": number(0, 3)}, "standing"),
    "a pocket of another size": ("two-pocket", {"state.keeper.best": lambda b: b[:, :-1]}, "best: shape"),
    "a run below 0": ("shared-pocket", {"state.pocket.run": number(0, -1)}, "pocket.run"),
    "columns by a rule of one": (
        "many-averaged",
        {"state.rule": {"name": "alma", "parameters": {}}},
        "cannot train many classifiers together",
    ),
    "columns in pockets": (
        "many-averaged",
        {"state.keep": "pocket"},
        "cannot train many classifiers together",
    ),
    "sharing a tie": ("shared-pocket", {"state.tie": "positive"}, "applies to two classes only"),
    "an unknown sharing": ("shared-pocket", {"state.sharing": "none"}, "sharing: expected one of"),
    "labels that share": ("shared-pocket", {"target": "labels"}, "labels do not share their mistakes"),
    "a bound that is too low": (
        "many-averaged",
        {"state.length2": number(0, 0.0)},
        "less than the squared length",
    ),
    "a column from the future": (
        "many-late",
        {"state.since": number(0, 1 << 40)},
        "begins after the last step",
    ),
    "starts of other columns": (
        "many-averaged",
        {"state.start": lambda s: np.vstack([s, s])},
        "6 of them for 3 columns",
    ),
    "starts without end": (
        "many-voted",
        {"state.one_start_for_all": False, "state.starts": HUGE},
        "starts",
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_a_lie_about_a_model_is_named(name, tamper, check_refusal):
    source, changes, why = LIES[name]
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
