"""`rosenblatt separate --regression`: which coefficients of a logistic regression are infinite."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import click

from rosenblatt.cli.reading_options import LabelledRows, labelled_rows

BITS = 30  # features are hashed into so many that two names hardly ever share one


class RegressionRows(NamedTuple):
    """Hold the rows of a regression in dummy coding, with the names of their columns."""

    X: Any
    y: Any
    names: list[str] | None
    source: LabelledRows


def regression_rows(file: str, options: dict[str, Any]) -> RegressionRows:
    """Return the rows of a file, with a column for each level of a category except the first, as in R."""
    rows = labelled_rows(file, {**options, "bits": BITS})
    if rows.features is not None or not hasattr(rows.X, "indices"):
        return RegressionRows(rows.X, rows.y, rows.features, rows)
    if rows.source is None:
        raise click.UsageError("--regression reads the names in the file a second time; give a file")
    import numpy as np

    from rosenblatt.data.sources.naming import feature_names

    settings = rows.source.settings()
    used = np.unique(rows.X.indices)
    features = feature_names(settings, None, used.tolist(), file)
    columns = settings.get("columns", ())
    kept = _kept_columns({j: feature.name for j, feature in features.items()}, columns)
    signs = np.array([features[j].sign or 1.0 for j in kept])
    X = (rows.X[:, kept] * signs[None, :]).tocsr()
    return RegressionRows(X, rows.y, [features[j].name for j in kept], rows)


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
    """Sort numbers by value before text."""
    try:
        return 0, float(level), level
    except ValueError:
        return 1, 0.0, level
