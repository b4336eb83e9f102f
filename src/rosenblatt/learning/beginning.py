"""Which state to begin: settled here, once, from the settings and the target."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt import keepers
from rosenblatt.arithmetic.examples import Rows, n_features
from rosenblatt.learning.columns import Columns, begin_columns, can_learn_together
from rosenblatt.learning.one_column import begin
from rosenblatt.learning.separately import Separate, begin_separately
from rosenblatt.learning.sharing import as_sharing, check_shared
from rosenblatt.learning.state import LinearState


class Recipe(NamedTuple):
    """What every linear state is made by."""

    rule: Any = "rosenblatt"
    keep: str = "last"
    offset: bool = True
    tie: str = "mistake"
    init: Any = "zeros"


def begin_linear(
    recipe: Recipe, rows: Rows, n_columns: int | None, order: Any = "given", sharing: Any = None
) -> LinearState:
    """The state before the first look at such rows. n_columns: one for each class or label; None: two
    classes, which are one column. sharing: how classes share a mistake; None: each is on its own."""
    if n_columns is None:
        return begin(n_features(rows), *recipe)
    return begin_columns_of(recipe, rows, n_columns, order, sharing)


def begin_columns_of(
    recipe: Recipe, rows: Rows, n_columns: int, order: Any = "given", sharing: Any = None
) -> Columns | Separate:
    """The state of many columns before the first look."""
    keepers.begin(recipe.keep, np.zeros(1))
    if sharing is not None:
        check_shared(recipe.rule, recipe.keep, recipe.tie, order)
        return begin_columns(n_columns, rows, *recipe, as_sharing(sharing))
    if can_learn_together(recipe.rule, recipe.keep, order):
        return begin_columns(n_columns, rows, *recipe)
    return begin_separately(n_columns, n_features(rows), *recipe)
