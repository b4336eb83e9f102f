"""Training rows whose label is probably wrong, by the margins of models that were trained without them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from rosenblatt.data.labels import places, tidy_labels
from rosenblatt.data.sources.numbered_features import number_features
from rosenblatt.errors import BadInput, counted
from rosenblatt.explanations.row_cells import texts_of_rows
from rosenblatt.models.default_settings import has_text
from rosenblatt.models.perceptron import Perceptron
from rosenblatt.numeric.row_batches import plain
from rosenblatt.rules import PassiveAggressive1
from rosenblatt.training.streams.rows_in_memory import load_rows

FOLDS, PASSES = 5, 3
MOST_BYTES = 1 << 30
"""The largest size of the rows in memory."""
MOST_BYTES_TO_CHECK, MOST_BYTES_LEARNED = 1 << 26, 1 << 29
"""The largest size of the rows of `check_labels` in memory, and this size times the number of classes."""


class Suspect(NamedTuple):
    """Hold a row whose label is doubtful.

    `score` is the margin of the given label over its strongest rival, in standard deviations of all
    margins: the smaller, the more doubtful. `late_mistakes` counts the models that were trained on the row
    and still misclassify it.
    """

    row: int
    given: Any
    proposed: Any
    score: float
    late_mistakes: int

    def as_dict(self) -> dict[str, Any]:
        """Return the suspect for JSON."""
        return self._asdict()


def find_suspects(
    source: Any, folds: int = FOLDS, seed: int = 0, every_row: bool = False
) -> tuple[list[Suspect], int]:
    """Return the rows whose label is doubtful, the most doubtful first, and the number of all rows.

    A row is doubtful if its score is negative (see `margins_of_folds`): on average the models prefer
    another class, although all but one of them were trained on its label. With `every_row`, all rows are
    returned.
    """
    held = load_rows(number_features(source, reads_all_first=True), MOST_BYTES)
    if held is None:
        raise BadInput(f"{source.name}: the rows take more than 1 GB of memory; give a part of them")
    X, y = held
    classes, numbers, counts = np.unique(y, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise BadInput(f"{source.name}: all rows have the label {classes[0]}; give rows of two classes")
    if counts.min() < folds:
        few = classes[np.argmin(counts)]
        raise BadInput(
            f"{source.name}: the class {few} has {counted(int(counts.min()), 'row')}, fewer than the "
            f"{folds} folds; give fewer folds, or leave these rows out"
        )
    return rank_rows(X, classes, numbers, has_text(source), folds, seed, every_row), len(y)


def rank_rows(
    X: Any, classes: NDArray[Any], numbers: NDArray[np.int64], is_text: bool, folds: int = FOLDS,
    seed: int = 0, every_row: bool = False,
) -> list[Suspect]:  # fmt: skip
    """Return the rows whose score is negative, or all rows, in the order of their scores."""
    rule = PassiveAggressive1(C=1.0 if is_text else 0.01)
    margins, rivals, late = margins_of_folds(X, numbers, rule, folds, seed)
    order = np.argsort(margins, kind="stable")
    order = order if every_row else order[margins[order] < 0.0]
    names = [plain(label) for label in tidy_labels(classes).tolist()]
    return [
        Suspect(i, names[numbers[i]], names[rivals[i]], float(margins[i]), int(late[i]))
        for i in order.tolist()
    ]


class LabelCheck(NamedTuple):
    """Hold the suspects among the rows of a source, or the reason why labels were not checked."""

    suspects: list[Suspect]
    n_rows: int
    n_suspects: int
    texts: Mapping[int, str] = {}  # the cells of each suspect, by its row
    why_not: str = ""


def check_labels(source: Any, known: NDArray[Any], is_text: bool, number: int = 10) -> LabelCheck:
    """Return the `number` most doubtful rows of a source of numbered features, at a limited cost.

    `known` holds the classes of the model; rows with other labels are left out, and so are classes with
    fewer rows than folds. Labels are not checked if the rows take more than MOST_BYTES_TO_CHECK of memory,
    or if the classes times these bytes are more than MOST_BYTES_LEARNED.
    """
    held = load_rows(source, MOST_BYTES_TO_CHECK)
    if held is None:
        return LabelCheck(
            [], 0, 0, why_not=f"the rows take more than {MOST_BYTES_TO_CHECK >> 20} MB of memory"
        )
    X, y = held
    if y.ndim > 1:
        return LabelCheck([], len(y), 0, why_not="each row has several labels")
    numbers = places(y, known)
    large = np.flatnonzero(np.bincount(numbers[numbers >= 0], minlength=len(known)) >= FOLDS)
    if len(large) < 2:
        return LabelCheck([], len(y), 0, why_not=f"fewer than two classes have {FOLDS} rows")
    n_bytes = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes
    if n_bytes * len(large) > MOST_BYTES_LEARNED:
        return LabelCheck([], len(y), 0, why_not=f"{len(known):,} classes would take too long")
    chosen = np.flatnonzero(np.isin(numbers, large))
    found = rank_rows(X[chosen], known[large], np.searchsorted(large, numbers[chosen]), is_text)
    first = [each._replace(row=int(chosen[each.row])) for each in found[:number]]
    texts = texts_of_rows(source, [each.row for each in first])
    return LabelCheck(first, len(y), len(found), texts)


def margins_of_folds(
    X: Any, numbers: NDArray[np.int64], rule: Any, folds: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the score of each row, its strongest rival class, and its number of late mistakes.

    The score is the mean of two margins in standard deviations: the margin of the row's class by the model
    that was not trained on the row, which also determines the rival, and the mean of its margins by the
    other models. A late mistake is a model that was trained on the row and still misclassifies it.
    """
    n, n_classes = len(numbers), int(numbers.max()) + 1
    outside, inside, late = np.empty(n), np.zeros(n), np.zeros(n, np.int64)
    rivals = np.empty(n, np.int64)
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(numbers, numbers)
    for train, held in splits:
        model = Perceptron(
            rule=rule, keep="averaged", epochs=PASSES, random_state=seed,
            multiclass="ultraconservative" if n_classes > 2 else "one_vs_rest",
        ).fit(X[train], numbers[train])  # fmt: skip
        margin, rival = margins_over_rivals(model.decision_function(X), numbers)
        outside[held] = margin[held] / (margin[held].std() or 1.0)
        rivals[held] = rival[held]
        inside[train] += margin[train] / (margin[train].std() or 1.0)
        late[train] += margin[train] < 0.0
    return (outside + inside / (folds - 1)) / 2.0, rivals, late


def margins_over_rivals(
    values: NDArray[np.float64], numbers: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the lead of the class of each row over its strongest rival, and this rival.

    >>> margins_over_rivals(np.array([2.0, -1.0]), np.array([1, 1]))
    (array([ 2., -1.]), array([0, 0]))
    """
    if values.ndim == 1:
        return np.where(numbers == 1, values, -values), 1 - numbers
    own = np.take_along_axis(values, numbers[:, None], axis=1)[:, 0]
    others = values.copy()
    np.put_along_axis(others, numbers[:, None], -np.inf, axis=1)
    rivals = others.argmax(axis=1)
    return own - others[np.arange(len(own)), rivals], rivals
