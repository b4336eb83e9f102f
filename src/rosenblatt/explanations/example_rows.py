"""Some rows that a model predicts right and some that it predicts wrong, each with its explanation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.labels import places
from rosenblatt.explanations.label_suspects import margins_over_rivals
from rosenblatt.explanations.row_cells import chunks_with_cells
from rosenblatt.explanations.row_explanations import Explainer, RowExplanation
from rosenblatt.numeric.row_batches import Rows, take
from rosenblatt.storage.perceptrons import PerceptronRecord
from rosenblatt.training.streams.shuffling import labels_of
from rosenblatt.training.streams.stream_targets import fit_to

MOST_ROWS = 10_000
"""The number of rows among which examples are sought."""

Part = Callable[[NDArray[Any], int], NDArray[np.bool_]]
"""part(labels, k) marks the rows of chunk k that may become examples."""


class ExampleRow(NamedTuple):
    """Hold a row with its label; `explanation.row` is its number in the source, from 0."""

    label: Any
    explanation: RowExplanation


class ExampleRows(NamedTuple):
    """Hold rows that are predicted right and wrong, among the first `n_rows` rows."""

    right: list[ExampleRow]
    wrong: list[ExampleRow]
    n_rows: int


class _Row(NamedTuple):
    rank: tuple[float, int]  # the smallest is shown first
    label: int
    rows: Rows
    cells: Any


def example_rows(
    record: PerceptronRecord, source: Any, part: Part | None = None, number: int = 5
) -> ExampleRows:
    """Return rows that a model predicts right, class by class, and those it predicts wrong by the most.

    `source` holds labelled rows with the features of the model, and `part` selects rows of it. Rows are
    examined until MOST_ROWS of them have been seen; rows with labels unknown to the model are left out.
    """
    explainer, answers = Explainer(record), record.answers()
    right: list[_Row] = []
    wrong: list[_Row] = []
    of_class = np.zeros(len(record.classes), np.int64)
    before, n_rows = 0, 0
    for k, (chunk, batch) in enumerate(chunks_with_cells(source)):
        y = labels_of(chunk, source.name)
        chosen = np.arange(len(y)) if part is None else np.flatnonzero(part(y, k))
        numbers = places(y, record.classes)[chosen]
        chosen, numbers = chosen[numbers >= 0], numbers[numbers >= 0]
        chosen, numbers = chosen[: MOST_ROWS - n_rows], numbers[: MOST_ROWS - n_rows]
        if len(chosen):
            rows = fit_to(take(chunk.rows, chosen), record.n_features)
            is_right = answers.best(rows) == numbers
            values = answers.values(rows).reshape(len(chosen), -1)
            values = values[:, 0] - (record.threshold or 0.0) if values.shape[1] == 1 else values
            leads = margins_over_rivals(values, numbers)[0]
            ranks = np.where(is_right, _occurrences(numbers, of_class), leads)
            for listed, among in ((right, is_right), (wrong, ~is_right)):
                best = np.flatnonzero(among)
                for i in best[np.argsort(ranks[best], kind="stable")][:number].tolist():
                    at = int(chosen[i])
                    cells = None if batch is None else batch.slice(at, 1)
                    row = take(rows, np.array([i]))
                    listed.append(_Row((float(ranks[i]), before + at), int(numbers[i]), row, cells))
                listed.sort(key=lambda each: each.rank)
                del listed[number:]
        n_rows += len(chosen)
        before += len(y)
        chunk.release()
        if n_rows >= MOST_ROWS:
            break
    return ExampleRows(_explain(explainer, right), _explain(explainer, wrong), n_rows)


def _occurrences(numbers: NDArray[np.int64], of_class: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many rows of the same class come before each row, and add the rows to `of_class`."""
    found = np.empty(len(numbers), np.int64)
    for number in np.unique(numbers).tolist():
        rows = np.flatnonzero(numbers == number)
        found[rows] = of_class[number] + np.arange(len(rows))
        of_class[number] += len(rows)
    return found


def _explain(explainer: Explainer, rows: list[_Row]) -> list[ExampleRow]:
    found = []
    for each in rows:
        (explanation,) = explainer.rows(each.rows, each.cells)
        label = explainer.record.classes[each.label].item()
        found.append(ExampleRow(label, replace(explanation, row=each.rank[1])))
    return found
