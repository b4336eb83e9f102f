"""Invalid calls that every estimator refuses, with the message that each must give."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from rosenblatt.rules import Margin
from tests.covering import in_turn

ROWS = np.array([[i, (i * i) % 5, 1.5 - i] for i in range(8)], dtype=np.float64)
LABELS = np.array([0, 1, 1, 0, 1, 0, 0, 1])


class Bad(NamedTuple):
    """A call that must be refused: what differs from a good one, and what the message must say."""

    says: str
    X: Any = ROWS
    y: Any = LABELS
    sample_weight: Any = None
    settings: dict[str, Any] = {}  # noqa: RUF012
    error: type[Exception] | tuple[type[Exception], ...] = ValueError


def holding(value: Any, dtype: Any = np.float64) -> Any:
    """The rows with `value` in row 5, column 2."""
    X = ROWS.astype(dtype)
    X[5, 2] = value
    return X


def frame(column: Any, library: Callable[..., Any] = pd.DataFrame) -> Any:
    return library({"a": ROWS[:, 0], "b": ROWS[:, 1], "c": column})


def broken(damage: Callable[[Any], None]) -> Any:
    matrix = sparse.csr_array(ROWS)
    damage(matrix)
    return matrix


def set_to(array: str, place: int, value: int) -> Callable[[Any], None]:
    def damage(matrix: Any) -> None:
        getattr(matrix, array)[place] = value

    return damage


WORDS = ["x", "y", "x", "y", "x", "w", "x", "y"]
GAP = [1, 2, 3, 4, 5, None, 7, 8]
YES_NO_GAP = [True, False, True, False, True, None, True, False]
NAN_HERE = r"X: .*NaN in row 5, column 2; drop the row or fill"
INFINITE_HERE = r"X: .*infinity in row 5, column 2; drop the row or fill"
NOT_2D = r"X: .*2D.*[Rr]eshape"

BAD_X = {
    "NaN": Bad(NAN_HERE, X=holding(np.nan)),
    "NaN in float32": Bad(NAN_HERE, X=holding(np.nan, np.float32)),
    "NaN in a list": Bad(NAN_HERE, X=holding(np.nan).tolist()),
    "infinity": Bad(INFINITE_HERE, X=holding(np.inf)),
    "NaN in CSR": Bad(NAN_HERE, X=sparse.csr_array(holding(np.nan))),
    "infinities that cancel": Bad(
        r"X: .*infinity in row 2, column 0",
        X=sparse.csr_array(([1.0, 2.0, np.inf, -np.inf] * 2, [0] * 8, range(9)), shape=(8, 3)),
        settings={"order": "given"},
    ),
    "masked": Bad(r"masked", X=np.ma.masked_array(ROWS, mask=ROWS[5, 2] == ROWS)),
    "no rows": Bad(r"X: .*0 sample\(s\).*minimum of 1", X=ROWS[:0], y=[]),
    "no features": Bad(r"X: .*0 feature\(s\).*minimum of 1", X=ROWS[:, :0]),
    "no rows in CSR": Bad(r"X: .*0 sample\(s\)", X=sparse.csr_array((0, 3)), y=[]),
    "no features in CSR": Bad(r"X: .*0 feature\(s\)", X=sparse.csr_array((8, 0))),
    "one dimension": Bad(NOT_2D, X=ROWS[:, 0]),
    "a number": Bad(NOT_2D, X=3.0),
    "nothing": Bad(r"X: ", X=None),
    "a word": Bad(r"X: ", X="rows"),
    "a pandas Series": Bad(r"X: .*(2D|two dim|table|reshape|to_frame)", X=pd.Series(ROWS[:, 0])),
    "a LazyFrame": Bad(r"X: .*collect", X=frame(ROWS[:, 2], pl.DataFrame).lazy()),
    "complex": Bad(r"X: Complex data not supported.*two columns", X=ROWS + 1j),
    "complex, sparse": Bad(r"X: Complex data not supported.*two columns", X=sparse.csr_array(ROWS + 1j)),
    "one dimension, sparse": Bad(r"X: .*two dimensions.*\(8,\)", X=sparse.coo_array(ROWS[:, 0])),
    "a list as value": Bad(r"X: a value is itself a list", X=[[1, [], 3]] * 8),
    "rows of different length": Bad(r"X: .*row 2", X=[[1, 2, 3], [1, 2, 3], [1, 2]] + [[1, 2, 3]] * 5),
    "dates": Bad(r"X: expected numbers, got datetime64.*convert", X=ROWS.astype("M8[s]")),
    "a word among objects": Bad(
        r"X: .*row 5, column 2 holds 'two'.*encode or drop", X=holding("two", object)
    ),
    "a mapping among objects": Bad(r"X: .*number.*dict", X=holding({}, object), error=TypeError),
    "None among objects": Bad(NAN_HERE, X=holding(None, object)),
    "text column, pandas": Bad(r"X: column 'c' holds String.*encode or drop", X=frame(WORDS)),
    "categories": Bad(r"X: column 'c' holds Categorical.*encode or drop", X=frame(pd.Categorical(WORDS))),
    "missing Int64": Bad(NAN_HERE, X=frame(pd.array(GAP, dtype="Int64"))),
    "missing boolean": Bad(
        r"X: .*(row 5|column 'c'|column 2).*(fill|drop)", X=frame(pd.array(YES_NO_GAP, dtype="boolean"))
    ),
    "missing, polars": Bad(NAN_HERE, X=frame(GAP, pl.DataFrame)),
    "two columns of one name": Bad(r"'a'", X=pd.DataFrame(ROWS, columns=["a", "b", "a"])),
    "names of two kinds": Bad(
        r"string names", X=pd.DataFrame(ROWS, columns=["a", "b", 3]), error=(TypeError, ValueError)
    ),
    "column index too large": Bad(
        r"X: a column index .*outside 0…2; rebuild", X=broken(set_to("indices", 4, 3))
    ),
    "row pointers beyond the end": Bad(
        r"X: the row pointers .*rebuild", X=broken(set_to("indptr", -1, 99))
    ),
}

BAD_Y = {
    "none": Bad(r"y: .*requires y", y=None),
    "too few": Bad(r"y: 7 labels for 8 rows.*one label for each row", y=LABELS[:7]),
    "a number": Bad(r"y should be a 1d array", y=1),
    "one class": Bad(r"y: only one class, 1\b.*two classes are needed.*classes=", y=np.ones(8, int)),
    "measurements": Bad(r"y: Unknown label type: continuous \(0\.5 in row 1\)", y=LABELS / 2.0),
    "NaN": Bad(r"y: .*NaN in row 3.*(drop|label)", y=[0, 1, 1, np.nan, 1, 0, 0, 1]),
    "None among words": Bad(
        r"y: .*row 3.*(drop|label)", y=np.array(["a", "b", "b", None, "b", "a", "a", "b"], object)
    ),
    "missing among objects": Bad(
        r"y: .*(NaN|missing).*(drop|label)", y=np.array([0, 1, 1, pd.NA, 1, 0, 0, 1], object)
    ),
    "words and numbers": Bad(r"y: ", y=np.array(["a", 1, 1, "a", 1, "a", "a", 1], object)),
    "complex": Bad(r"Complex data not supported", y=LABELS + 1j),
    "no time": Bad(r"y: .*row 5", y=np.array(["2024-01-01"] * 5 + ["NaT"] + ["2025-01-01"] * 2, "M8[D]")),
    "missing, pandas": Bad(r"y: .*row 5", y=pd.array([*WORDS[:5], pd.NA, *WORDS[6:]], dtype="string")),
}

BAD_WEIGHTS = {
    "negative": Bad(
        r"sample_weight: row 2 has -1\.0; .*at least 0", sample_weight=[1, 1, -1, 1, 1, 1, 1, 1]
    ),
    "NaN": Bad(r"sample_weight: row 2 has nan; give finite", sample_weight=[1, 1, np.nan, 1, 1, 1, 1, 1]),
    "missing": Bad(r"sample_weight: row 5", sample_weight=pd.array(GAP, dtype="Float64")),
    "all zero": Bad(
        r"sample_weight: all .*zero.*at least one row a positive weight", sample_weight=[0] * 8
    ),
    "too few": Bad(r"sample_weight: .*8 rows, got shape \(7,\)", sample_weight=[1] * 7),
    "words": Bad(r"sample_weight: ", sample_weight=["heavy"] * 8),
}

BAD_CLASS_WEIGHT = {
    "a word": Bad(
        r"class_weight: expected a dict, 'balanced' or None, got 'even'", settings={"class_weight": "even"}
    ),
    "negative": Bad(r"class_weight: .*at least 0.*\{0: -1\}", settings={"class_weight": {0: -1}}),
    "a word for a weight": Bad(r"class_weight: ", settings={"class_weight": {0: "much"}}),
}


def setting(says: str, **settings: Any) -> Bad:
    return Bad(says, settings=settings)


# Settings that no check of the table in rosenblatt.training.settings refuses
BAD_SETTINGS = {
    "rule unknown": setting(r"rule: got 'adaline', expected one of 'rosenblatt', 'margin'", rule="adaline"),
    "rule a number": setting(r"rule: got 3, expected a name \(rosenblatt, .*rule object such as", rule=3),
    "rule a class": setting(r"rule: got <class .*rule object such as .*Margin\(", rule=Margin),
    "rule parameter negative": setting(r"Margin\.tau: .*at least 0, got -1", rule=Margin(tau=-1)),
    "order unknown": setting(r"order: got 'random', expected one of 'given', 'shuffled'", order="random"),
    "order empty": setting(r"order: .*sequence of row numbers, got \[\]", order=[]),
    "order out of range": setting(r"order: row 8 does not exist, X has rows 0…7", order=[0, 8]),
    "order of fractions": setting(r"order: .*sequence of row numbers", order=[0.5, 1.0]),
    "order of absent rows only": Bad(
        r"order: every row it names has sample weight 0",
        sample_weight=[0, 0, 1, 1, 1, 1, 1, 1],
        settings={"order": [0, 1]},
    ),
    "random_state a word": setting(r"'seed'", random_state="seed"),
    "random_state negative": setting(r"Seed must be between 0", random_state=-1),
    "validation too large": setting(r"validation: .*between 0 and 1.*got 1\.5", validation=1.5),
    "validation a word": setting(
        r"validation: expected a fraction such as 0\.1, a pair", validation="some"
    ),
}


def cases_of(labels: Any, **kinds: dict[str, Bad]) -> dict[str, Bad]:
    """All of these under the name of their kind, with the labels that are good ones here."""
    return {
        f"{kind}: {name}": bad._replace(y=labels) if bad.y is LABELS else bad
        for kind, cases in kinds.items()
        for name, bad in cases.items()
    }


unnamed = pytest.mark.filterwarnings("ignore:X has feature names")  # the good rows have none


def each(cases: dict[str, Bad], but: tuple[str, ...] = (), **others: Any) -> Any:
    """Parametrizes a test with each bad call, and with the others in turn: each(BAD_X, keep=["last"])."""
    chosen = {name: bad for name, bad in cases.items() if name not in but}
    names = ("bad", *others)
    values = [list(chosen.values()), *others.values()]
    return pytest.mark.parametrize(
        names if others else "bad", in_turn(*values) if others else values[0], ids=chosen
    )


def assert_message(bad: Bad, error: pytest.ExceptionInfo[Exception]) -> None:
    message = " ".join(str(error.value).split())
    assert re.search(bad.says, message), f"expected {bad.says!r} in {message!r}"
