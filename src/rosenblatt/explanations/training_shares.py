"""The exact share of each training row in the lead of the predicted class over the runner-up.

w = Σ αᵢxᵢ over the rows that caused updates, so a score is the sum of αᵢ(xᵢ·x + 1). A second-order rule
adds αΣx; its diagonal Σ is replayed in the recorded order, only for the features of the rows to explain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.labels import places
from rosenblatt.errors import BadInput
from rosenblatt.explanations.row_cells import first_line_of, texts_of_rows
from rosenblatt.explanations.row_explanations import Explainer, RowExplanation, entries_of
from rosenblatt.numeric.row_batches import take
from rosenblatt.rules.covariance_memory import LEFT
from rosenblatt.training.streams.shuffling import labels_of
from rosenblatt.training.streams.splitting import places as positions
from rosenblatt.training.streams.stream_targets import fit_to
from rosenblatt.training.update_record import PART_BITS, UpdateRecord, digest_of


class RowShare(NamedTuple):
    """Hold the share of a training row in a lead, with its number, label and text."""

    row: int
    share: float
    label: Any
    text: str


@dataclass(frozen=True)
class BecauseOf:
    """Hold the shares of the training rows in one explained lead, the largest first.

    `total` is the sum over all rows: the lead by the unrounded weights, without a threshold. `stored` is
    the lead by the stored weights.
    """

    explanation: RowExplanation
    total: float
    stored: float
    n_rows: int
    positive: list[RowShare]
    negative: list[RowShare]

    def as_dict(self) -> dict[str, Any]:
        """Return the shares for JSON."""
        return {
            "row": self.explanation.row, "predicted": self.explanation.predicted,
            "runner_up": self.explanation.runner_up, "total": self.total, "stored": self.stored,
            "rows_with_updates": self.n_rows,
            "positive": [each._asdict() for each in self.positive],
            "negative": [each._asdict() for each in self.negative],
        }  # fmt: skip


def because_of(
    explainer: Explainer, found: Sequence[RowExplanation], record: UpdateRecord, source: Any, top: int
) -> list[BecauseOf]:
    """Return the `top` training rows with the largest positive and negative shares in each lead.

    `source` holds the training rows, opened with the reading options of the model. They are read twice:
    for the shares, and for the texts of the rows that are listed.
    """
    classes = explainer.record.classes
    if record.n_steps != explainer.record.examples_seen:
        raise BadInput(
            f"record: it is of a run of {record.n_steps:,} steps, and the model has seen "
            f"{explainer.record.examples_seen:,} examples; give the record of the model's run"
        )
    query = _Query(found, explainer.record.n_features, record.offset)
    used: list[Any] = []
    numbers_of_rows, origin, digest, n_all = [], [], 0, 0
    for part, chunk in enumerate(source.chunks()):
        y, size = labels_of(chunk, source.name), len(chunk)
        chosen = np.arange(size)
        if record.split:
            where = positions(y, record.split["seed"], part)
            chosen = np.flatnonzero(where >= record.split["part"])
        rows = fit_to(chunk.rows, explainer.record.n_features)
        numbers = places(y, classes)[chosen]
        if (numbers < 0).any():
            raise _another_file(source)
        codes = (part << PART_BITS) + np.arange(len(chosen))
        digest += digest_of(take(rows, chosen), numbers, codes)
        used += [query.project(*entries_of(rows, i)) for i in chosen.tolist()]
        numbers_of_rows.append(numbers)
        origin.append(n_all + chosen)
        n_all += size
        chunk.release()
    n = len(used)
    if n != record.n_rows or f"{digest % (1 << 64):016x}" != record.digest:
        raise _another_file(source)
    shares = query.replay(record, used, explainer)
    labels = explainer.record.classes[np.concatenate(numbers_of_rows)].tolist()
    first = first_line_of(source, n_all) or 1
    rows_of_file = np.concatenate(origin)
    orders = np.argsort(-shares, axis=0, kind="stable")
    listed = np.unique(np.concatenate([orders[:top], orders[::-1][:top]]))
    texts = {} if source.comes_once else texts_of_rows(source, rows_of_file[listed].tolist())

    def row_shares(which: NDArray[np.int64], of: NDArray[np.float64], sign: float) -> list[RowShare]:
        return [
            RowShare(at + first, float(of[i]), labels[i], texts.get(at, ""))
            for i, at in zip(which.tolist(), rows_of_file[which].tolist(), strict=True)
            if sign * of[i] > 0.0
        ]

    n_rows = len(np.unique(record.updates["row"]))
    result = []
    for each, of, order in zip(found, shares.T, orders.T, strict=True):
        stored = float(sum(one.exact for one in each.contributions)) + query.stored_offset(each, explainer)
        positive, negative = row_shares(order[:top], of, 1.0), row_shares(order[::-1][:top], of, -1.0)
        result.append(BecauseOf(each, float(of.sum()), stored, n_rows, positive, negative))
    return result


def _another_file(source: Any) -> BadInput:
    return BadInput(
        f"{source.name}: is not the training file of this record, or it has changed since; give the file "
        "that the model was trained on"
    )


class _Query:
    """Hold the rows to explain as columns of a matrix over their features; the offset is the last one."""

    def __init__(self, found: Sequence[RowExplanation], n_features: int, offset: float) -> None:
        features = sorted({each.feature for row in found for each in row.contributions})
        self._place = np.full(n_features, -1, np.int64)
        self._place[features] = np.arange(len(features))
        self._offset = offset
        self._matrix = np.zeros((len(features) + 1, len(found)))
        for k, row in enumerate(found):
            for each in row.contributions:
                self._matrix[self._place[each.feature], k] = each.value
        self._matrix[-1] = offset
        self._found = found

    def project(self, at: NDArray[np.int64], x: NDArray[np.float64]) -> tuple[Any, Any]:
        """Return the entries of a training row at features of the rows to explain, and at the offset."""
        places = self._place[at]
        met = places >= 0
        return np.append(places[met], len(self._matrix) - 1), np.append(x[met], self._offset)

    def replay(self, record: UpdateRecord, rows: list[Any], explainer: Explainer) -> NDArray[np.float64]:
        """Return the share of each training row (first axis) in each lead (second axis)."""
        is_binary = explainer.terms.is_binary
        n_columns = 1 if is_binary else len(explainer.record.classes)
        signs = np.zeros((n_columns, len(self._found)))
        for k, each in enumerate(self._found):
            predicted, rival = (explainer.class_number(label) for label in (each.predicted, each.runner_up))
            if is_binary:
                signs[0, k] = 1.0 if predicted else -1.0
            else:
                signs[predicted, k], signs[rival, k] = 1.0, -1.0
        shares = np.zeros((record.n_rows, len(self._found)))
        variance = np.ones((n_columns, len(self._matrix)))
        for update, factor in zip(record.updates.tolist(), record.survival().tolist(), strict=True):
            i, _, c, coefficient, beta, _ = update
            at, x = rows[i]
            own = variance[c, at]
            shares[i] += signs[c] * (factor * coefficient * ((own * x) @ self._matrix[at]))
            if beta:
                variance[c, at] = own * np.maximum(LEFT, 1.0 - beta * own * x * x)
        return shares

    def stored_offset(self, each: RowExplanation, explainer: Explainer) -> float:
        """Return the offset of a lead without a threshold."""
        threshold = explainer.record.threshold or 0.0
        return each.offset + (threshold if explainer.class_number(each.predicted) else -threshold)
