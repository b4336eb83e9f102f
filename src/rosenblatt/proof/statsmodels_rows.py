"""The rows and labels of a regression model of statsmodels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput

LINKS = ("Logit", "Probit", "CLogLog", "LogLog")
"""The links of a binomial GLM for which the results of `overlap` hold: log F and log(1 − F) are concave."""


def is_model(X: Any) -> bool:
    """Return whether X is a model of statsmodels, or the results of one."""
    model = getattr(X, "model", X)
    return type(model).__module__.startswith("statsmodels") and hasattr(model, "exog")


def rows_of_model(X: Any) -> tuple[NDArray[np.float64], NDArray[Any], list[str]]:
    """Return the rows, the labels and the column names of a model or its results.

    A binomial row with successes and failures becomes two rows, one for each label. Rows of weight 0 are
    dropped. Raise `BadInput` if the model is not a logit, probit or complementary log-log regression.
    """
    model = getattr(X, "model", X)
    rows, y, names = np.asarray(model.exog, np.float64), np.asarray(model.endog), list(model.exog_names)
    kinds = {cls.__name__ for cls in type(model).__mro__}
    if "MNLogit" in kinds:
        labels = model._ynames_map  # statsmodels has no public name for them
        return rows, np.array([str(labels[int(code)]) for code in y]), names
    if "GLM" in kinds and type(model.family).__name__ == "Binomial":
        link = type(model.family.link).__name__
        if link not in LINKS:
            raise BadInput(f"X: a binomial GLM with the link {link}; expected {', '.join(LINKS)}")
        is_present = np.asarray(model.freq_weights) > 0
        rows, y = rows[is_present], y[is_present]
        succeeded, failed = np.flatnonzero(y > 0.0), np.flatnonzero(y < 1.0)
        order = np.argsort(np.concatenate([succeeded, failed]), kind="stable")
        both = np.concatenate([succeeded, failed])[order]
        return rows[both], np.repeat([1, 0], [len(succeeded), len(failed)])[order], names
    if not kinds & {"Logit", "Probit"}:
        raise BadInput(
            f"X: a model of type {type(model).__name__}; expected Logit, Probit, MNLogit, or GLM with the "
            "family Binomial"
        )
    if not np.isin(y, (0, 1)).all():
        raise BadInput("X: the labels of a Logit or Probit model must be 0 and 1 here, not shares")
    return rows, y.astype(np.int64), names
