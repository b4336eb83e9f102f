"""`rosenblatt separate --regression`: which coefficients of a logistic regression are infinite."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from rosenblatt.cli.reading_options import LabelledRows, against_rest, open_rows, warn_of_columns

BITS = 30  # features are hashed into so many that two names hardly ever share one


class RegressionRows(NamedTuple):
    """Hold the rows of a regression in dummy coding, with the names of their columns."""

    X: Any
    y: Any
    names: list[str] | None
    source: LabelledRows


def regression_rows(file: str, options: dict[str, Any]) -> RegressionRows:
    """Return the rows of a file, with a column for each level of a category except the first, as in R."""
    import numpy as np

    from rosenblatt.data.sources.feature_names import Vocabulary
    from rosenblatt.data.sources.naming import FeatureNames
    from rosenblatt.data.sources.reading import all_rows
    from rosenblatt.data.sources.recorded_names import record_names

    source = open_rows(file, {**options, "bits": BITS})
    warn_of_columns(source)
    recorder = record_names(source)
    X, y, names = all_rows(source)
    rows = LabelledRows(X, against_rest(y, options["positive"]), file, None if file == "-" else source)
    if names is not None or not hasattr(X, "indices"):
        return RegressionRows(X, rows.y, names, rows)
    recorded = None if recorder is None else Vocabulary.of(recorder.names(), np.empty(0, np.uint32), "all")
    features = FeatureNames(source.settings(), None, recorded).of(np.unique(X.indices))
    kept = _kept_columns(
        {j: feature.name for j, feature in features.items()}, source.settings().get("columns", ())
    )
    signs = np.array([features[j].sign or 1.0 for j in kept])
    coded = (X[:, kept] * signs[None, :]).tocsr()
    return RegressionRows(coded, rows.y, [features[j].name for j in kept], rows)


def _kept_columns(names: dict[int, str], columns: Iterable[tuple[str, str]]) -> list[int]:
    """Return the features in the order of the columns, without the first level of each category.

    >>> _kept_columns({7: "b=y", 9: "b=x", 4: "a"}, [("a", "number"), ("b", "category")])
    [4, 7]
    """
    kept: list[int] = []
    left = dict(names)
    for column, role in columns:
        own = {j: name for j, name in left.items() if name == column or name.startswith(f"{column}=")}
        levels = sorted(own, key=lambda j: _level_key(own[j].partition("=")[2]))
        kept += levels[1:] if role == "category" else levels
        left = {j: name for j, name in left.items() if j not in own}
    return [*kept, *sorted(left)]


def _level_key(level: str) -> tuple[int, float, str]:
    """Return a sort key that puts numbers, by value, before text."""
    try:
        return 0, float(level), level
    except ValueError:
        return 1, 0.0, level
