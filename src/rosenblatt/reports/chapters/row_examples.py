"""Held-out rows that are predicted right or wrong, each with its words or columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rosenblatt.explanations.coloured_texts import excerpt, shaded
from rosenblatt.explanations.example_rows import ExampleRow
from rosenblatt.explanations.row_explanations import Contribution, RowExplanation
from rosenblatt.numeric.row_batches import plain
from rosenblatt.reports.facts import Facts

MOST_LETTERS = 400  # of a text
MOST_PARTS = 5  # columns or features of a row


def row_examples(facts: Facts) -> list[dict[str, Any]] | None:
    """Return the groups of rows to show, or None if there are no held-out rows."""
    if facts.examples is None:
        return None
    groups = (("Wrong", facts.examples.wrong), ("Right", facts.examples.right))
    return [{"title": title, "rows": [_row(each) for each in rows]} for title, rows in groups if rows]


def _row(example: ExampleRow) -> dict[str, Any]:
    found = example.explanation
    parts = list(_parts(found))
    largest = max((abs(adds) for _, adds in parts), default=0.0) or 1.0
    return {
        "row": found.row + 1,
        "label": plain(example.label),
        "predicted": plain(found.predicted),
        "runner_up": plain(found.runner_up),
        "margin": found.margin,
        "texts": [
            {"column": column, "words": list(shaded(excerpt(words, MOST_LETTERS)))}
            for column, words in found.texts.items()
        ],
        "parts": [(label, adds, abs(adds) / largest) for label, adds in parts[:MOST_PARTS]],
        "n_more": max(0, len(parts) - MOST_PARTS),
    }


def _parts(found: RowExplanation) -> Iterator[tuple[str, float]]:
    """Yield what each column adds to the lead, the largest first; without columns, each feature.

    Nothing is yielded if only texts contribute: their words are coloured.
    """
    sums = {column: adds for column, adds in found.by_column.items() if adds}
    if set(sums) == {""}:
        yield from ((each.label, each.amount) for each in found.contributions if each.amount)
    elif not set(sums) <= set(found.texts):
        of_column: dict[str, list[Contribution]] = {}
        for each in found.contributions:
            of_column.setdefault(each.term.column, []).append(each)
        for column, adds in sums.items():
            yield _column_label(column, of_column[column]), adds


def _column_label(column: str, of_column: list[Contribution]) -> str:
    """Return the name of a column with its cell, if it is known."""
    first = of_column[0]
    if first.cell:
        return f"{column} = {first.cell}"
    return first.label if len(of_column) == 1 else column or "other features"
