"""Check whether a proof establishes its claims about some data (`verify`).

Nothing here searches or learns. Every claim is checked by additions, multiplications and comparisons of
integers, which represent the given floats exactly. (`numeric.agreements` explains where floating point
speeds this up, and how its rounding errors are excluded.)
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.data.labels import as_labels
from rosenblatt.errors import ProofRejected
from rosenblatt.numeric.agreements import agreement_signs, empty_columns, entries
from rosenblatt.numeric.blocks import native, select_rows
from rosenblatt.numeric.integers import as_dyadic, root_above, root_below
from rosenblatt.numeric.row_batches import Batch, Rows, as_rows, check_finite, n_features, n_rows, take
from rosenblatt.proof.coefficient_facts import (
    CoefficientFacts,
    dependent_columns,
    in_columns_of,
    lifted_sum,
    rows_on_hyperplane,
)
from rosenblatt.proof.digests import digest_of_digests
from rosenblatt.proof.labelled_rows import (
    Agreement,
    LabelledRows,
    RowsInMemory,
    digests_of,
    join_pieces,
    least,
    rows_among,
    rows_without_labels,
    smallest_agreements,
)
from rosenblatt.proof.loss_bounds import LossBounds, check_rest_separator, dual_bound, total_hinge_loss
from rosenblatt.proof.multinomial_rows import rows_of_pairs
from rosenblatt.proof.part_numbers import cancelling_sum, check_cancelling, check_rows, whole_hyperplane
from rosenblatt.proof.parts import (
    Collinearity,
    Combination,
    Gordan,
    Growth,
    HingeLoss,
    Maximality,
    Overlap,
    QuasiSeparation,
    RestSeparator,
    Separator,
    contradiction,
)
from rosenblatt.proof.proof import Proof
from rosenblatt.proof.proved_facts import Facts
from rosenblatt.proof.statsmodels_rows import is_model, rows_of_model

PRIMES = (2**31 - 1, 2**31 - 19, 2**31 - 61)
"""Primes for `_rank_modulo`; the product of two residues fits into 64 bits.

The rank modulo a prime is too small only if the prime divides certain minors, so several are tried."""


class HoldsProof(Protocol):
    """Define an object with a `proof` attribute, such as a verdict."""

    @property
    def proof(self) -> Proof:
        """The proof."""


def verify(
    proof: Proof | HoldsProof | str | Path | dict[str, Any], X: Any, y: ArrayLike | None = None
) -> Facts:
    """Check every part of a proof against the data, and return the facts it establishes.

    Parameters
    ----------
    proof : Proof, Verdict, str, Path or dict
        The proof, an object with a proof (a verdict), the path of a proof file, or the proof as JSON.
    X : array-like, sparse matrix, table or source
        The rows. Without `y`, a source from `read`, which is read block by block.
    y : array-like of shape (n_rows,), default=None
        Their labels.

    Returns
    -------
    Facts
        The established facts.

    Raises
    ------
    ProofRejected
        If the proof does not hold or is about other data; the message states the reason.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> X, y = [[0.0], [3.0]], ["a", "b"]
    >>> print(verify(separate(X, y).proof, X, y))
    Valid: a hyperplane separates 2 rows of 1 feature; the best margin is at least 1.5 and at most 1.5.
    >>> verify(separate(X, y).proof, [[0.0], [4.0]], y)
    Traceback (most recent call last):
    rosenblatt.errors.ProofRejected: the proof is about other data: their digests differ
    """
    proof = as_proof(proof)
    if y is None and is_model(X):
        X, y, _ = rows_of_model(X)
    if proof.multinomial:
        return _verify_multinomial(proof, X, y)
    rows = _rows_elsewhere(proof, X) if y is None else _rows_in_memory(proof, X, y)
    separators, named = _read_once(proof, rows)
    lower, upper = 0.0, math.inf
    found: set[type] = set()
    separated, equal, is_maximal = np.empty(0, np.int64), None, False
    coefficients, losses = CoefficientFacts(proof.n_features + proof.offset), LossBounds()
    for part in proof.parts:
        found.add(type(part))
        match part:
            case Separator():
                lower = max(lower, _agree(part.margin, separator_margin(*next(separators))))
                coefficients.separate_all()
                losses.add_removal(0)
                coefficients.add_direction((*part.w, part.b))
            case Combination():
                margin = combination_margin(named.batch, proof.offset, named.place(part))
                upper = min(upper, _agree(part.margin, margin))
            case Gordan():
                places = named.place(part).rows
                check_cancelling(named.batch, proof.offset, places, part.weights)
                equal = contradiction(part, named.batch.labels[list(places)])
                losses.add_conflict(part.rows)
            case QuasiSeparation():
                off = separated_rows(_batch_of(rows, part), proof.offset, part)
                separated = off if len(off) > len(separated) else separated
                coefficients.add_direction((*part.w, part.b))
            case Overlap():
                empty = check_overlap(_batch_of(rows, part), proof.offset, part)
                coefficients.add_span(part.relations, empty, all_rows=True)
            case Maximality():
                empty = check_maximality(_batch_of(rows, part), proof.offset, part, separated)
                coefficients.add_span(part.relations, empty, all_rows=False)
                is_maximal = True
            case Collinearity():
                batch = _batch_of(rows, part)
                coefficients.add_collinearity(dependent_columns(batch, proof.offset, part.relation))
            case Growth():
                coefficients.add_growth(part, growth_sum(_batch_of(rows, part), proof.offset, part))
            case RestSeparator():
                check_rest_separator(_batch_of(rows, part), proof.offset, part)
                losses.add_removal(len(part.rows))
            case HingeLoss():
                batch = _batch_of(rows, part)
                least = dual_bound(batch, proof.offset, part)
                losses.add_hinge(least, total_hinge_loss(batch, proof.offset, part))
    if found & {QuasiSeparation, Maximality, Collinearity, Growth} and isinstance(rows, RowsInMemory):
        coefficients.add_collinearity(empty_columns(rows.batch))
    has_loss = losses.hinge is not None and losses.hinge[0] > 0
    is_refuted = bool(found & {Gordan, Overlap, Maximality}) or has_loss
    separable = True if Separator in found else False if is_refuted else None
    if separable is False:
        lower, upper = 0.0, 0.0
    kind = (
        "separable" if separable
        else "overlapping" if Overlap in found
        else "quasi-separable" if separable is False and QuasiSeparation in found
        else "not separable" if separable is False
        else "undecided"
    )  # fmt: skip
    if equal is not None and len(proof.question) == 2:
        # convert indices among the rows of these two classes to indices among all rows
        rows_in_question = np.flatnonzero(np.isin(np.asarray(y), proof.question))
        equal = int(rows_in_question[equal[0]]), int(rows_in_question[equal[1]])
    return Facts(
        proof.n_rows, proof.n_features, proof.offset, separable, kind, (lower, upper), separated,
        proof.classes, proof.question, equal, coefficients.limits() if found else (), is_maximal,
        errors=losses.errors, hinge_loss=losses.hinge,
    )  # fmt: skip


def _verify_multinomial(proof: Proof, X: Any, y: ArrayLike | None) -> Facts:
    """Check a proof about a multinomial regression on its rows of pairs, which all have the same class."""
    if y is None or proof.question:
        raise ProofRejected("a proof about a multinomial regression needs all rows, with their labels")
    rows = as_rows(X)
    _check_shape(proof, n_rows(rows), n_features(rows))
    check_finite(rows, None)
    pairs = rows_of_pairs(rows, y, proof.classes, proof.offset)
    inner = Proof(False, n_rows(pairs), n_features(pairs), (1,), proof.digest, proof.parts)
    facts = verify(inner, native(pairs), np.ones(inner.n_rows, np.int64))
    return replace(
        facts, n_rows=proof.n_rows, n_features=proof.n_features, offset=proof.offset, classes=proof.classes,
        separated=np.unique(facts.separated // (len(proof.classes) - 1)), multinomial=True,
        errors=(0, None), hinge_loss=None,  # those are about pairs
    )  # fmt: skip


# ---------------------------------------------------------------- what each part establishes


def separator_margin(w: list[int], smallest: Agreement) -> float:
    """Return the largest double ≤ minᵢ yᵢ(w·xᵢ+b)/‖w‖, given the numerator `smallest`.

    Return infinity if w = 0 and b has the sign of every label. Raise `ProofRejected` if the numerator is
    not positive.
    """
    number, exponent, row = smallest
    if number <= 0:
        raise ProofRejected(f"the separator does not have row {row} strictly on its side (counted from 0)")
    squared = sum(number * number for number in w[:-1])
    if squared == 0:
        return math.inf
    return root_below(number * number, squared, exponent)


def combination_margin(batch: Batch, offset: bool, part: Combination) -> float:
    """Return the smallest double ≥ ‖Σ λᵢyᵢxᵢ‖/Σ λᵢ.

    Raise `ProofRejected` if, with an offset, the weights of the two classes have different sums.
    """
    total = cancelling_sum(batch, part.rows, part.weights)
    positive = sum(part.weights[k] for k, i in enumerate(part.rows) if batch.labels[i] > 0)
    weight = sum(part.weights)
    if offset and 2 * positive != weight:
        raise ProofRejected("the weights of the two classes in the combination have different sums")
    squared = sum(number * number for number in total.integers)
    return root_above(squared, weight * weight, total.exponent)


def separated_rows(batch: Batch, offset: bool, part: QuasiSeparation) -> NDArray[np.int64]:
    """Return the rows with yᵢ(w·xᵢ+b) > 0; raise `ProofRejected` if any row has a negative value."""
    signs = agreement_signs(batch, whole_hyperplane(batch.n_features, offset, part.w, part.b))
    if (signs < 0).any():
        raise ProofRejected(
            f"row {int(np.flatnonzero(signs < 0)[0])} is on the wrong side of the direction"
        )
    separated = np.flatnonzero(signs > 0)
    if len(separated) != part.separated:
        raise ProofRejected(
            f"the direction separates {len(separated)} rows, and {part.separated} are claimed"
        )
    if not len(separated):
        raise ProofRejected("the direction has every row on its hyperplane, so it separates none")
    return separated


def check_overlap(batch: Batch, offset: bool, part: Overlap | Maximality) -> set[int]:
    """Raise `ProofRejected` unless the weighted rows sum to zero and their linear span contains all rows.

    Return the columns that are 0 in every row.

    Rows that sum to zero with positive weights have functional margin 0 under every direction that puts no
    row on the wrong side. If all rows are in their linear span, then every row has functional margin 0
    under such a direction.
    """
    check_cancelling(batch, offset, part.rows, part.weights)
    width = batch.n_features + offset
    columns = set(part.columns)
    if not all(0 <= column < width for column in columns) or len(columns) != len(part.columns):
        raise ProofRejected("the columns of the overlap are not columns of the data, each once")
    lifted = [_lift_row(batch, i, offset) for i in part.rows]
    chosen_columns = [[row[c] for c in part.columns] for row in lifted]
    if all(_rank_modulo(prime, chosen_columns) != len(part.columns) for prime in PRIMES):
        raise ProofRejected("the rows of the overlap do not have full rank in its columns")
    empty = empty_columns(batch)
    explained = set(empty)
    for relation in part.relations:
        others = {column for column, factor in relation.items() if factor} - columns
        if len(others) != 1 or not others <= set(range(width)):
            raise ProofRejected("a relation of the overlap does not explain one column by its columns")
        explained |= others
        if agreement_signs(*in_columns_of(relation, batch)).any():
            raise ProofRejected(f"column {min(others)} does not satisfy its relation")
    if columns | explained != set(range(width)):
        missing = min(set(range(width)) - columns - explained)
        raise ProofRejected(f"no relation shows that column {missing} is in the span")
    return empty - columns


def check_maximality(
    batch: Batch, offset: bool, part: Maximality, separated: NDArray[np.int64]
) -> set[int]:
    """Raise `ProofRejected` unless the rows that are not separated overlap.

    Return the columns that are 0 in these rows.
    """
    on = rows_on_hyperplane(batch.n_rows, separated)
    if not len(separated) or not set(part.rows) <= set(on.tolist()):
        raise ProofRejected(
            "a maximality is about rows on the hyperplane of the quasi-separation before it"
        )
    places = tuple(np.searchsorted(on, part.rows).tolist())
    on_it = Batch(take(batch.rows, on), batch.labels[on], np.empty(0))
    return check_overlap(on_it, offset, part._replace(rows=places))


def growth_sum(batch: Batch, offset: bool, part: Growth) -> list[int]:
    """Return Σ λᵢyᵢ(xᵢ, 1) times a power of two."""
    total = cancelling_sum(batch, part.rows, part.weights)
    balance = sum(int(batch.labels[i]) * weight for i, weight in zip(part.rows, part.weights, strict=True))
    return lifted_sum(total, balance, offset)


# ---------------------------------------------------------------- exact arithmetic


def _lift_row(batch: Batch, i: int, offset: bool) -> list[int]:
    """Return yᵢ(xᵢ, 1) as integers, after scaling by a power of two."""
    columns, values = entries(select_rows(batch.rows, np.array([i])), 0)
    numbers = as_dyadic(np.append(values, 1.0) if offset else values).integers
    lifted = [0] * (batch.n_features + offset)
    for column, number in zip([*columns, batch.n_features], numbers, strict=False):
        lifted[column] = number * int(batch.labels[i])
    return lifted


def _rank_modulo(prime: int, vectors: list[list[int]]) -> int:
    """Return the rank modulo a prime, a lower bound on the true rank, by Gaussian elimination."""
    matrix = np.array([[number % prime for number in vector] for vector in vectors], np.int64)
    rank = 0
    for column in range(matrix.shape[1]):
        pivots = np.flatnonzero(matrix[rank:, column])
        if not len(pivots):
            continue
        swap = rank + int(pivots[0])
        matrix[[rank, swap]] = matrix[[swap, rank]]
        inverse = pow(int(matrix[rank, column]), -1, prime)
        matrix[rank] = matrix[rank] * inverse % prime
        below = matrix[rank + 1 :]
        factors = below[:, column].copy()
        below[:] = (below - factors[:, None] * matrix[rank] % prime) % prime
        rank += 1
    return rank


# ---------------------------------------------------------------- the proof and the data


def as_proof(proof: Any) -> Proof:
    """Return the proof that an object, a JSON text or a file contains."""
    proof = getattr(proof, "proof", proof)  # a verdict contains its proof
    if isinstance(proof, Proof):
        return proof
    if isinstance(proof, dict):
        try:
            return Proof.from_json(json.dumps(proof))
        except (RecursionError, TypeError, ValueError) as error:
            raise ProofRejected(f"not a proof: {error}") from error
    if isinstance(proof, str) and proof.lstrip().startswith("{"):
        return Proof.from_json(proof)
    return Proof.load(proof)


def rows_of_question(question: tuple[Any, ...], rows: Rows, y: ArrayLike) -> tuple[Rows, NDArray[Any]]:
    """Return the rows and labels that a question concerns: two classes, or one class against all others."""
    labels = np.asarray(y)
    if not question:
        return rows, labels
    if labels.shape != (n_rows(rows),) or len(question) > 2:
        raise ProofRejected(
            "a question is about one class or two, and there must be one label for each row"
        )
    is_first = labels == question[0]
    if len(question) == 1:
        return rows, np.where(is_first, 1, -1)
    which = np.flatnonzero(is_first | (labels == question[1]))
    if not len(which):
        raise ProofRejected(f"no row has one of the classes {question!r:.60}")
    return take(rows, which), np.where(is_first[which], 1, -1)


def _rows_in_memory(proof: Proof, X: Any, y: ArrayLike) -> RowsInMemory:
    rows, y = rows_of_question(proof.question, as_rows(X), y)
    _check_shape(proof, n_rows(rows), n_features(rows))
    if len(proof.classes) not in (1, 2) or len(set(proof.classes)) != len(proof.classes):
        raise ProofRejected(f"a proof about the classes {proof.classes!r:.60}, expected one or two")
    try:
        labels = as_labels(y, proof.classes)
    except ValueError as error:
        raise ProofRejected(f"the proof is about other labels: {error}") from error
    if len(labels) != proof.n_rows:
        raise ProofRejected(f"the proof is about {proof.n_rows} rows, and there are {len(labels)} labels")
    if len(np.unique(labels)) != len(proof.classes):
        raise ProofRejected(f"the proof is about {len(proof.classes)} classes, and the data have fewer")
    check_finite(rows, None)
    return RowsInMemory(Batch(rows, labels, np.empty(0)), proof.classes)


def _rows_elsewhere(proof: Proof, X: Any) -> LabelledRows:
    rows = rows_without_labels(X)
    _check_shape(proof, rows.n_rows, rows.n_features)
    if proof.question or rows.classes != proof.classes:
        raise ProofRejected(
            f"the proof is about the classes {proof.classes!r:.60}, and these rows have "
            f"{rows.classes!r:.60}; give the rows that it is about"
        )
    return rows


def _batch_of(rows: LabelledRows, part: Any) -> Batch:
    if not isinstance(rows, RowsInMemory):
        raise ProofRejected(
            f"the part {type(part).__name__} needs all rows in memory; verify(proof, X, y) checks it"
        )
    return rows.batch


def _check_shape(proof: Proof, rows: int, features: int) -> None:
    if (rows, features) != (proof.n_rows, proof.n_features):
        raise ProofRejected(
            f"the proof is about {proof.n_rows} rows of {proof.n_features} features, and these are "
            f"{rows} rows of {features}"
        )


class _NamedRows(NamedTuple):
    """Hold the rows used in combinations, and their indices among all rows."""

    numbers: NDArray[np.int64]
    batch: Batch
    n_rows: int  # the number of all rows

    def place(self, part: Any) -> Any:
        """Return a combination whose row indices refer to the batch instead of to all rows."""
        check_rows(part.rows, self.n_rows)
        return part._replace(rows=tuple(np.searchsorted(self.numbers, part.rows).tolist()))


def _read_once(
    proof: Proof, rows: LabelledRows
) -> tuple[Iterator[tuple[list[int], Agreement]], _NamedRows]:
    """Check the digest in one pass, and return the margins and rows that the parts of the proof need.

    Return each separator with its smallest functional margin, and the rows used in combinations.
    """
    hyperplanes = [
        whole_hyperplane(rows.n_features, proof.offset, part.w, part.b)
        for part in proof.parts
        if isinstance(part, Separator)
    ]
    named = {i for part in proof.parts if isinstance(part, (Combination, Gordan)) for i in part.rows}
    wanted = np.array(sorted(i for i in named if 0 <= i < rows.n_rows), np.int64)
    digests, agreements, found = zip(*rows.map(_look_at_block, hyperplanes, wanted), strict=True)
    if digest_of_digests(rows.n_rows, rows.n_features, chain(*digests)) != proof.digest:
        raise ProofRejected("the proof is about other data: their digests differ")
    batch = join_pieces(found, rows.n_features)
    smallest = map(least, zip(*agreements, strict=True))
    return zip(hyperplanes, smallest, strict=True), _NamedRows(wanted, batch, rows.n_rows)


def _look_at_block(
    first: int, batch: Batch, hyperplanes: list[list[int]], wanted: NDArray[np.int64]
) -> tuple[list[str], list[Agreement], tuple[Rows, NDArray[np.int8]]]:
    """Return a block's digests, its smallest functional margins, and the wanted rows in it."""
    return (
        digests_of(first, batch),
        smallest_agreements(first, batch, hyperplanes),
        rows_among(first, batch, wanted),
    )


def _agree(claimed: float, proved: float) -> float:
    """Return the claimed margin if it equals the proved one exactly, or raise `ProofRejected`."""
    if not isinstance(claimed, float):
        raise ProofRejected("a claimed margin must be a double")
    if claimed != proved:
        raise ProofRejected(f"a margin of {claimed!r} is claimed, and the part proves {proved!r}")
    return proved
