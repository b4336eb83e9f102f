"""`verify` for rows that need not fit into memory: one reading, with the checks of `verify`.

A hyperplane is checked block by block; of a combination only its own rows are held.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.agreements import smallest_agreement
from rosenblatt.arithmetic.examples import Batch, Dense, Rows, stack
from rosenblatt.arithmetic.integers import root_below
from rosenblatt.errors import BadInput, ProofRejected
from rosenblatt.proof.facts import Facts
from rosenblatt.proof.pieces import Pieces, is_source, rows_among
from rosenblatt.proof.proof import (
    Combination,
    Gordan,
    Proof,
    Separator,
    contradiction,
    digest_of,
    digest_of_digests,
)
from rosenblatt.proof.verify import check_cancelling, combination_margin, whole_hyperplane


def verify_in_pieces(proof: Proof, source: Any) -> Facts:
    """Check every part of a proof against the rows of a source."""
    if not is_source(source):
        raise BadInput("y: expected the labels of X, or a source from rosenblatt.read alone")
    pieces = Pieces.of(source)
    if (pieces.n_rows, pieces.n_features) != (proof.n_rows, proof.n_features):
        raise ProofRejected(
            f"the proof is about {proof.n_rows} rows of {proof.n_features} features, and these are "
            f"{pieces.n_rows} rows of {pieces.n_features}"
        )
    if proof.question or pieces.class_names != proof.classes:
        raise ProofRejected(
            f"the proof is about the classes {proof.classes!r:.60}, and these rows have "
            f"{pieces.class_names!r:.60}; give the rows that it is about"
        )
    for part in proof.parts:
        if not isinstance(part, (Separator, Combination, Gordan)):
            raise ProofRejected(
                f"the part {type(part).__name__} needs all rows in memory; verify(proof, X, y) checks it"
            )
    margins, held = _look(proof, pieces)
    lower, upper, separable, equal = 0.0, math.inf, None, None
    for k, part in enumerate(proof.parts):
        if isinstance(part, Separator):
            lower, separable = max(lower, _agree(part.margin, margins[k])), True
        elif isinstance(part, Combination):
            here = part._replace(rows=held.places(part.rows))
            upper = min(upper, _agree(part.margin, combination_margin(held.batch, proof.offset, here)))
        elif isinstance(part, Gordan):
            places = held.places(part.rows)
            check_cancelling(held.batch, proof.offset, places, part.weights)
            separable, lower, upper = False, 0.0, 0.0
            pair = contradiction(part._replace(rows=places), held.batch.labels)
            equal = None if pair is None else (int(held.rows[pair[0]]), int(held.rows[pair[1]]))
    kind = "undecided" if separable is None else "separable" if separable else "not separable"
    return Facts(
        proof.n_rows, proof.n_features, proof.offset, separable, kind, (lower, upper),
        np.empty(0, np.int64), proof.classes, proof.question, equal,
    )  # fmt: skip


def less(a: int, a_exponent: int, b: int, b_exponent: int) -> bool:
    """Return whether a·2^a_exponent < b·2^b_exponent."""
    common = min(a_exponent, b_exponent)
    return a << (a_exponent - common) < b << (b_exponent - common)


class _Held:
    """Some rows in memory, and their numbers among all."""

    def __init__(self, rows: NDArray[np.int64], batch: Batch) -> None:
        self.rows, self.batch = rows, batch

    def places(self, rows: tuple[int, ...]) -> tuple[int, ...]:
        place = {int(row): k for k, row in enumerate(self.rows)}
        if any(row not in place for row in rows):
            raise ProofRejected("the rows of a combination must be rows of the data")
        return tuple(place[row] for row in rows)


def _look(proof: Proof, pieces: Pieces) -> tuple[dict[int, float], _Held]:
    """One reading: the margin of each separator, and the rows that other parts name."""
    named = {row for part in proof.parts if isinstance(part, (Combination, Gordan)) for row in part.rows}
    wanted = np.array(sorted(row for row in named if 0 <= row < pieces.n_rows), np.int64)
    nobody = Batch(Dense(np.empty((0, pieces.n_features))), np.empty(0, np.int8), np.empty(0))
    hyperplanes = {
        k: whole_hyperplane(nobody, proof.offset, part.w, part.b)
        for k, part in enumerate(proof.parts)
        if isinstance(part, Separator)
    }
    best: dict[int, tuple[int, int, int]] = {}
    digests, rows, labels = [], [], []
    for digest, smallest, own, y in pieces.map(check_block, hyperplanes, wanted):
        digests.append(digest)
        for k, found in smallest.items():
            if k not in best or less(found[0], found[1], best[k][0], best[k][1]):
                best[k] = found
        if len(y):
            rows.append(own)
            labels.append(y)
    if digest_of_digests(pieces.n_rows, pieces.n_features, digests) != proof.digest:
        raise ProofRejected("the proof is about other data: their digests differ")
    margins = {k: _margin(hyperplanes[k], *found) for k, found in best.items()}
    held = Batch(stack(rows), np.concatenate(labels), np.empty(0)) if rows else nobody
    return margins, _Held(wanted if rows else np.empty(0, np.int64), held)


def check_block(
    first: int, batch: Batch, hyperplanes: dict[int, list[int]], wanted: NDArray[np.int64]
) -> tuple[str, dict[int, tuple[int, int, int]], Rows, NDArray[np.int8]]:
    """Process one block: its digest, the smallest margins, and the rows that are wanted.

    For each hyperplane the functional margin is returned with its row.
    """
    found = {}
    for k, w in hyperplanes.items():
        smallest, exponent, row = smallest_agreement(batch, w)
        found[k] = smallest, exponent, first + row
    return digest_of(batch.rows, batch.labels), found, *rows_among(first, batch, wanted)


def _margin(w: list[int], smallest: int, exponent: int, row: int) -> float:
    """As `verify.separator_margin` has it."""
    if smallest <= 0:
        raise ProofRejected(f"the separator does not have row {row} strictly on its side (counted from 0)")
    squared = sum(number * number for number in w[:-1])
    return math.inf if squared == 0 else root_below(smallest * smallest, squared, exponent)


def _agree(claimed: float, proved: float) -> float:
    if not isinstance(claimed, float) or claimed != proved:
        raise ProofRejected(f"a margin of {claimed!r} is claimed, and the part proves {proved!r}")
    return proved
