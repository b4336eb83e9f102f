"""Why a model predicts a class: the contributions of the features of a row, which sum to the score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from html import escape
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.feature_names import NameRecorder, Vocabulary
from rosenblatt.data.sources.field_roles import TEXT
from rosenblatt.data.sources.naming import FeatureNames
from rosenblatt.data.sources.numbered_features import NUMBERS, numbers_in
from rosenblatt.data.sources.recorded_names import indices_in, record_names
from rosenblatt.errors import counted
from rosenblatt.explanations.coloured_texts import (
    Segments,
    Span,
    as_lists,
    coloured_words,
    excerpt,
    for_html,
    spans_of,
)
from rosenblatt.explanations.feature_terms import Term
from rosenblatt.explanations.model_terms import ModelTerms
from rosenblatt.explanations.row_cells import chunks_with_cells
from rosenblatt.models.request_rows import TableRows, request_rows_of
from rosenblatt.numeric.row_batches import Dense, Rows
from rosenblatt.storage.perceptrons import PerceptronRecord
from rosenblatt.training.streams.stream_targets import fit_to

MOST_LISTED, MOST_LETTERS = 12, 1500


class Contribution(NamedTuple):
    """Hold what a feature adds to the lead of the predicted class over the runner-up: weight × value.

    Parameters
    ----------
    term : Term
        The column, kind, value and label of the feature.
    value : float
        The value of the feature, as the model sees it.
    weight : float
        Its weight for the predicted class, less that for the runner-up.
    amount : float
        The contribution, rounded once.
    feature : int
        The number of the feature.
    cell : str, default=""
        The number in the row, in its own units.
    """

    term: Term
    value: float
    weight: float
    amount: float
    feature: int
    cell: str = ""

    @property
    def label(self) -> str:
        """Name of the feature, and the number in the row."""
        return f"{self.term.label} = {self.cell}" if self.cell else self.term.label

    @property
    def exact(self) -> Fraction:
        """Product weight × value without rounding."""
        return Fraction(self.weight) * Fraction(self.value)

    def as_dict(self) -> dict[str, Any]:
        """Return the contribution for JSON.

        Returns
        -------
        dict
            The contribution.
        """
        return {
            "feature": self.term.label, "column": self.term.column or None, "kind": self.term.kind,
            "cell": self.cell or None, "value": self.value, "weight": self.weight, "adds": self.amount,
        }  # fmt: skip


@dataclass(frozen=True)
class RowExplanation:
    """Hold why a model predicts a class for a row.

    Parameters
    ----------
    row : int
        The number of the row, from 0.
    predicted, runner_up : class
        The class with the largest score, and the class with the next.
    margin : float
        The lead of the predicted class: the sum of all contributions and of the offset.
    offset : float
        The offset of the predicted class, less that of the runner-up.
    contributions : list of Contribution
        What each feature adds, the largest first.
    smallest : list of Contribution or None
        The smallest set of features whose removal changes the answer; None if no set does.
    texts : dict of str to list of (str, float)
        The text of each text column in parts with their contributions.
    """

    row: int
    predicted: Any
    runner_up: Any
    margin: float
    offset: float
    contributions: list[Contribution]
    smallest: list[Contribution] | None
    texts: dict[str, Segments] = field(default_factory=dict)

    @cached_property
    def by_column(self) -> dict[str, float]:
        """Sum of the contributions of each column, the largest first."""
        sums: dict[str, float] = {}
        for each in self.contributions:
            sums[each.term.column] = sums.get(each.term.column, 0.0) + each.amount
        return dict(sorted(sums.items(), key=lambda item: -abs(item[1])))

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation for JSON.

        Returns
        -------
        dict
            The explanation.
        """
        smallest = None if self.smallest is None else [each.as_dict() for each in self.smallest]
        return {
            "row": self.row, "predicted": self.predicted, "runner_up": self.runner_up,
            "margin": self.margin, "offset": self.offset, "by_column": self.by_column,
            "contributions": [each.as_dict() for each in self.contributions],
            "smallest_change": smallest,
            "texts": {column: as_lists(parts) for column, parts in self.texts.items()},
        }  # fmt: skip

    def _repr_html_(self) -> str:
        """Return the explanation as HTML, for notebooks and reports."""
        lines = [
            f"<p>Row {self.row + 1:,}, counted from 1: <b>{escape(str(self.predicted))}</b>, ahead of "
            f"{escape(str(self.runner_up))} by {self.margin:.4g}.</p>"
        ]
        lines += [
            f"<blockquote>{for_html(excerpt(parts, MOST_LETTERS))}</blockquote>"
            for parts in self.texts.values()
        ]
        rows = "".join(
            f"<tr><th scope='row'>{escape(each.label)}</th><td>{each.amount:+.4g}</td></tr>"
            for each in self.contributions[:MOST_LISTED]
        )
        if rest := self.contributions[MOST_LISTED:]:
            adds = sum(each.amount for each in rest)
            rows += (
                f"<tr><th scope='row'><i>{counted(len(rest), 'other feature')}</i></th>"
                f"<td>{adds:+.4g}</td></tr>"
            )
        lines.append(
            f"<table><thead><tr><th>feature</th><th>adds</th></tr></thead><tbody>{rows}"
            f"<tr><th scope='row'><i>offset</i></th><td>{self.offset:+.4g}</td></tr></tbody></table>"
        )
        lines.append(f"<p>{escape(change_text(self.smallest))}</p>")
        return "".join(lines)


def change_text(smallest: Sequence[Any] | None) -> str:
    """Return a sentence about the smallest set of features whose removal changes the answer."""
    if smallest is None:
        return "No removal of features changes the answer."
    listed = ", ".join(each.label for each in smallest[:MOST_LISTED])
    more = f" and {len(smallest) - MOST_LISTED} more" if len(smallest) > MOST_LISTED else ""
    what = "1 feature" if len(smallest) == 1 else f"{len(smallest)} features"
    return f"Without {what} the answer would change: {listed}{more}."


class Explainer:
    """Explain the predictions of a linear model.

    Raises
    ------
    BadInput
        If the model is a committee.
    """

    def __init__(self, record: PerceptronRecord) -> None:
        self.terms = ModelTerms(record)
        self.record, self._answers = record, record.answers()
        kept = self.terms.decision_weights
        if self.terms.is_binary:  # score(second) − score(first) = w·x + b − threshold
            kept = np.stack([np.zeros_like(kept), kept])
            kept[0, -1] = record.threshold or 0.0
        self._weights = kept
        self._labels = record.label_names or record.classes.tolist()
        self._ties_go_to_second = self.terms.is_binary and record.state.tie == "positive"

    @cached_property
    def _numbers(self) -> Any:
        reading = self.terms.reading
        return numbers_in(reading) if NUMBERS in reading else None

    def place_of(self, hashes: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return the feature of each of these hashes; −1 if the model does not have it."""
        indices = indices_in(hashes, self.terms.reading)
        return indices.astype(np.int64) if self._numbers is None else self._numbers.places(indices)

    def class_number(self, label: Any) -> int:
        """Return the number of a class."""
        number: int = self._labels.index(label)
        return number

    def source(self, source: Any) -> Iterator[RowExplanation]:
        """Yield an explanation of each row of a source, opened with the reading options of the model."""
        recorder = record_names(source) if self.terms.names.is_hashed else None
        before = 0
        for chunk, batch in chunks_with_cells(source):
            for explanation in self.rows(chunk.rows, batch, recorder):
                yield replace(explanation, row=before + explanation.row)
            before += len(chunk)
            chunk.release()

    def examples(self, examples: Sequence[Any]) -> Iterator[RowExplanation]:
        """Yield an explanation of each example, given as for the service: a mapping, a list or a text."""
        parser = request_rows_of(self.record)
        recorder = NameRecorder() if self.terms.names.is_hashed else None
        rows = parser.parse(examples, recorder)
        batch = parser.batch_of(examples) if isinstance(parser, TableRows) else None
        yield from self.rows(parser.renumber(rows, grows=False), batch, recorder)

    def rows(
        self, rows: Rows, batch: Any = None, recorder: NameRecorder | None = None
    ) -> Iterator[RowExplanation]:
        """Yield an explanation of each row.

        `batch` holds their cells, and `recorder` the names of their words and categories.
        """
        rows = fit_to(rows, self.record.n_features)
        best = self._answers.best(rows)
        names = self.terms.names
        if recorder is not None:  # the names in these rows, also if the model stores none
            known = Vocabulary.of(recorder.names(), np.empty(0, np.uint32), "all")
            names = FeatureNames(self.terms.reading, self.record.feature_names, known)
        cells, fields = {}, self.terms.fields
        if batch is not None and fields is not None:
            shown_fields = replace(fields, labelled=False)
            cells = shown_fields.cells(batch, shown_fields.places_in(batch.schema.names, "x"))
        for i, predicted in enumerate(best.tolist()):
            at, x = entries_of(rows, i)
            yield self._explain(i, predicted, at, x, names, cells)

    def _explain(
        self, i: int, predicted: int, at: NDArray[np.int64], x: NDArray[np.float64], names: FeatureNames,
        cells: dict[str, Any],
    ) -> RowExplanation:  # fmt: skip
        weights = self._weights[:, np.append(at, -1)]
        constant = np.append(x, 1.0)
        scores = weights @ constant
        scores[predicted] = -np.inf
        rival = int(np.argmax(scores))
        apart = weights[predicted] - weights[rival]
        exact = [Fraction(w) * Fraction(v) for w, v in zip(apart.tolist(), constant.tolist(), strict=True)]
        texts = self._texts(i, cells)
        tokens = {token for _, spans in texts.values() for token, _, _ in spans}
        named = names.of(at)
        found = []
        for k, j in enumerate(at.tolist()):
            in_text = tuple(name for name in named[j].names if name in tokens)
            term = self.terms.term_of(named[j]._replace(names=in_text) if in_text else named[j])
            cell = cells.get(term.column) if term.kind in ("number", "piece") else None
            text = "" if cell is None else _as_text(cell[i].as_py())
            found.append(Contribution(term, float(x[k]), float(apart[k]), float(exact[k]), j, text))
        amounts = {each.feature: each.amount for each in found}
        by_size = sorted(found, key=lambda each: -abs(each.amount))
        smallest = smallest_change(
            weights[predicted] - weights, constant, predicted, self._ties_go_to_second
        )
        return RowExplanation(
            i, self._labels[predicted], self._labels[rival], float(sum(exact)), float(exact[-1]), by_size,
            None if smallest is None else [found[k] for k in smallest],
            {name: coloured_words(*each, amounts, self.place_of) for name, each in texts.items()},
        )  # fmt: skip

    def _texts(self, i: int, cells: dict[str, Any]) -> dict[str, tuple[str, list[Span]]]:
        """Return the texts of a row with their tokens, by column."""
        fields = self.terms.fields
        if fields is None or not cells:
            return {}
        texts = {name: cells[name][i].as_py() for name in fields.names(TEXT)}
        return {
            name: (str(text), spans_of(str(text), name, fields.encoding))
            for name, text in texts.items()
            if text
        }


def _as_text(cell: Any) -> str:
    if cell is None:
        return "missing"
    return (
        f"{cell:,.6g}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell)
    )


def entries_of(rows: Rows, i: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the features of a row that are not 0, and their values."""
    if isinstance(rows, Dense):
        values = rows.values[i].astype(np.float64)
        at = np.flatnonzero(values)
        return at, values[at]
    part = slice(int(rows.starts[i]), int(rows.starts[i + 1]))
    at, values = rows.indices[part].astype(np.int64), rows.values[part].astype(np.float64)
    return at[values != 0.0], values[values != 0.0]


def smallest_change(
    apart: NDArray[np.float64], x: NDArray[np.float64], predicted: int, ties_go_to_second: bool = False
) -> list[int] | None:
    """Return the smallest set of features whose removal makes another class win; None if none does.

    apart[c] is w_predicted − w_c with the offset last, and x the values of the features with 1 last. For
    one rival, the features with the largest contributions are removed first: no other set of this size
    leaves a smaller lead. Of the sets for all rivals, the smallest is returned. All sums are exact. Of
    equal scores, the first class wins (of two classes with `ties_go_to_second`, the second).

    >>> smallest_change(np.array([[0.0, 0.0, 0.0, 0.0], [3.0, 1.0, 2.0, -2.0]]), np.ones(4), 0)
    [0, 2]
    """
    if len(x) < 2:
        return None
    products = apart * x
    order = np.argsort(-products[:, :-1], axis=1, kind="stable")
    sorted_products = np.take_along_axis(products[:, :-1], order, axis=1)
    leads = products.sum(axis=1)[:, None] - np.cumsum(np.maximum(sorted_products, 0.0), axis=1)
    doubt = 1e-9 * np.abs(products).sum(axis=1)[:, None]
    may_change = leads <= doubt  # a first look without exact sums
    sizes = np.where(may_change.any(axis=1), may_change.argmax(axis=1) + 1, leads.shape[1] + 1)
    sizes[predicted] = leads.shape[1] + 1
    best: list[int] | None = None
    for rival in np.argsort(sizes, kind="stable").tolist():
        if rival == predicted or sizes[rival] > leads.shape[1] or (best and sizes[rival] > len(best)):
            break
        exact = [Fraction(w) * Fraction(v) for w, v in zip(apart[rival].tolist(), x.tolist(), strict=True)]
        ranked = sorted((k for k in range(len(exact) - 1) if exact[k] > 0), key=lambda k: -exact[k])
        rest = accumulate((-exact[k] for k in ranked), initial=sum(exact, Fraction(0)))
        wins_ties = (rival > predicted) if ties_go_to_second else (rival < predicted)
        for n, lead in enumerate(rest):
            if lead < 0 or (lead == 0 and wins_ties):
                if n and (best is None or n < len(best)):
                    best = sorted(ranked[:n])
                break
    return best
