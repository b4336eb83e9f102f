"""`Proof`: what is claimed about a data set, with everything needed to check it, as JSON.

A proof is a list of parts. Each part is a claim that stands alone, and `verify` checks it from the data:

* `Separator`: (w, b) with every yᵢ(w·xᵢ+b) > 0: separable, and margin ≥ minᵢ yᵢ(w·xᵢ+b)/‖w‖.
* `Combination`: whole weights λ on some rows, each class with the same sum H (without offset: all rows
  with the sum H): margin ≤ ‖Σ λᵢyᵢxᵢ‖/(2H) (without offset ‖Σ λᵢyᵢxᵢ‖/H).
* `Gordan`: whole weights λ > 0 on some rows with Σ λᵢ yᵢ(xᵢ, 1) = 0: nothing separates (Gordan 1873).
* `QuasiSeparation`: a direction with every yᵢ(w·xᵢ+b) ≥ 0, and > 0 for some rows.
* `Overlap`: Gordan weights on rows that span all rows: no such direction exists (Stiemke 1915).

Doubles are written as hexadecimal floats and integers as hexadecimal integers: nothing is rounded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.blocks import blocks
from rosenblatt.arithmetic.examples import Rows, n_features, n_rows
from rosenblatt.errors import ProofRejected, counted

FORMAT = "rosenblatt-proof"
VERSIONS = (1, 2)
"""In version 2 the digest alone is another one: that of the digests of blocks (`digest_of_digests`), which
can be made in pieces, anywhere."""

Number = float | int
Numbers = tuple[Number, ...]


class Separator(NamedTuple):
    """A hyperplane with every point strictly on its side; `margin` is proved from below."""

    w: Numbers
    b: Number
    margin: float


class Combination(NamedTuple):
    """Two points of the hulls (without offset: one point of the hull); `margin` is proved from above."""

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    margin: float


class Gordan(NamedTuple):
    """Points that cancel each other: Σ λᵢ yᵢ(xᵢ, 1) = 0."""

    rows: tuple[int, ...]
    weights: tuple[int, ...]


def contradiction(part: Gordan, labels: NDArray[np.int8]) -> tuple[int, int] | None:
    """The two rows of a part that are equal and have different labels, where it is of such two:
    λ(x₁, 1) − λ(x₂, 1) = 0."""
    if len(part.rows) != 2 or part.weights[0] != part.weights[1]:
        return None
    one, other = sorted(part.rows)
    return (one, other) if labels[one] != labels[other] else None


class QuasiSeparation(NamedTuple):
    """A hyperplane with no point on the wrong side and `separated` of them off it, on the right one."""

    w: Numbers
    b: Number
    separated: int


class Overlap(NamedTuple):
    """Points that cancel each other and span all points.

    columns: as many as the rank, in which the chosen rows have full rank (column d is the offset).
    relations: for every other column c, numbers by column with Σ relation[j]·column j = 0 in all rows and
    relation[c] ≠ 0: so no row leaves the span.
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    columns: tuple[int, ...]
    relations: tuple[dict[int, int], ...]


Part = Separator | Combination | Gordan | QuasiSeparation | Overlap

KINDS: dict[str, type[Any]] = {
    "separator": Separator,
    "combination": Combination,
    "gordan": Gordan,
    "quasi-separation": QuasiSeparation,
    "overlap": Overlap,
}
_NAMES = {cls: name for name, cls in KINDS.items()}


@dataclass(frozen=True)
class Proof:
    """Claims about one data set, which `verify` can check without trusting who made them.

    classes: the labels that became −1 and +1; a single label became +1.
    digest: SHA-256 of rows and labels (`digest_of`; in version 2 `digest_of_digests`).
    question: of data with more classes, which are meant:
    (a, b) the rows of these two, in order, with b as −1 and a as +1; (a,) all rows, with all but a as −1.
    """

    offset: bool
    n_rows: int
    n_features: int
    classes: tuple[Any, ...]
    digest: str
    parts: tuple[Part, ...]
    question: tuple[Any, ...] = ()
    version: int = 1

    def to_json(self) -> str:
        head = {
            "format": FORMAT,
            "version": self.version,
            "offset": self.offset,
            "n_rows": self.n_rows,
            "n_features": self.n_features,
            "classes": list(self.classes),
            "digest": self.digest,
            "question": list(self.question),
        }
        return json.dumps({**head, "parts": [_part_to_plain(part) for part in self.parts]})

    @classmethod
    def from_json(cls, text: str | bytes) -> Proof:
        """The proof that `to_json` wrote. Reading runs no code; what is missing or odd is named."""
        try:
            plain = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ProofRejected(f"not a proof: not JSON ({error})") from error
        if not isinstance(plain, dict) or plain.get("format") != FORMAT:
            raise ProofRejected(f"not a proof: expected a JSON object with format {FORMAT!r}")
        if type(plain.get("version")) is not int or plain["version"] not in VERSIONS:
            raise ProofRejected(
                f"a proof of version {plain.get('version')!r}, expected {VERSIONS[0]} or {VERSIONS[1]}; "
                "update rosenblatt"
            )
        try:
            return cls(
                offset=_of(bool, plain["offset"]),
                n_rows=_of(int, plain["n_rows"]),
                n_features=_of(int, plain["n_features"]),
                classes=tuple(_label(label) for label in _of(list, plain["classes"])),
                digest=_of(str, plain["digest"]),
                parts=tuple(_part_from_plain(part) for part in _of(list, plain["parts"])),
                question=tuple(_label(label) for label in _of(list, plain["question"])),
                version=plain["version"],
            )
        except KeyError as error:
            raise ProofRejected(f"a broken proof: {error} is missing") from error
        except (TypeError, ValueError, OverflowError) as error:
            raise ProofRejected(f"a broken proof: {error}") from error

    def save(self, path: str | Path) -> None:
        Path(path).write_text(self.to_json() + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Proof:
        try:
            return cls.from_json(Path(path).read_bytes())
        except ProofRejected as error:
            raise ProofRejected(f"{path}: {error}") from error

    def __repr__(self) -> str:
        kinds = ", ".join(_NAMES[type(part)] for part in self.parts) or "nothing"
        return (
            f"<Proof of {kinds} for {counted(self.n_rows, 'row')} of {counted(self.n_features, 'feature')}>"
        )


def digest_of(rows: Rows, labels: NDArray[np.int8]) -> str:
    """SHA-256 of the numbers that are not zero, their places and the labels.

    The same for dense and sparse rows, float32 and float64, and 0 and −0. Hashed are: for each row how many
    of its numbers are not zero, the columns of these (for rows that have a zero), the numbers, the labels.
    """
    hashed = hashlib.sha256(f"{n_rows(rows)} rows, {n_features(rows)} features;".encode())
    counts, columns, values = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
    for count, column, value in nonzeros_in(rows):
        counts.update(count)
        columns.update(column)
        values.update(value)
    hashed.update(labels.astype("i1").tobytes())
    for part in (counts, columns, values):
        hashed.update(part.digest())
    return hashed.hexdigest()


def nonzeros_in(rows: Rows) -> Iterator[tuple[Any, Any, Any]]:
    """What is hashed of rows, some at a time: counts, columns and numbers, as bytes."""
    for _, matrix in blocks(rows):
        count, column, value = _nonzeros(matrix)
        yield (
            np.ascontiguousarray(count, "<u8").data,
            np.ascontiguousarray(column, "<u8").data,
            np.ascontiguousarray(value, "<f8").data,
        )


def digest_of_digests(n_rows: int, n_features: int, digests: Iterable[str]) -> str:
    """SHA-256 of the digests (`digest_of`) of blocks of `pieces.BLOCK_ROWS` rows, in their order."""
    hashed = hashlib.sha256(f"{n_rows} rows, {n_features} features, in blocks;".encode())
    for digest in digests:
        hashed.update(bytes.fromhex(digest))
    return hashed.hexdigest()


def _nonzeros(matrix: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """How many numbers of each row are not zero, the columns of these in rows that have a zero, and all
    of these numbers."""
    n, d = matrix.shape
    if isinstance(matrix, np.ndarray):
        if matrix.all():
            return np.full(n, d), np.empty(0), matrix
        in_row, column = np.nonzero(matrix)
        value = matrix[in_row, column]
    else:
        stored = np.flatnonzero(matrix.data)
        in_row = np.repeat(np.arange(n), np.diff(matrix.indptr))[stored]
        column, value = matrix.indices[stored], matrix.data[stored]
    count = np.bincount(in_row, minlength=n)
    return count, column[count[in_row] < d], value


# ---------------------------------------------------------------- numbers as text


def _part_to_plain(part: Part) -> dict[str, Any]:
    plain: dict[str, Any] = {"kind": _NAMES[type(part)]}
    for name, value in part._asdict().items():
        if name in ("w", "weights"):
            plain[name] = [_to_text(number) for number in value]
        elif name in ("b", "margin"):
            plain[name] = _to_text(value)
        elif name == "relations":
            plain[name] = [{str(c): _to_text(k) for c, k in relation.items()} for relation in value]
        else:
            plain[name] = list(value) if isinstance(value, tuple) else value
    return plain


def _part_from_plain(plain: dict[str, Any]) -> Part:
    cls = KINDS.get(_of(dict, plain).get("kind"))
    if cls is None:
        raise ValueError(f"a part of kind {plain.get('kind')!r}, expected one of {', '.join(KINDS)}")
    fields: dict[str, Any] = {}
    for name in cls._fields:
        value = plain[name]
        if name in ("w", "weights"):
            fields[name] = tuple(_from_text(text) for text in _of(list, value))
        elif name in ("b", "margin"):
            fields[name] = _from_text(value)
        elif name == "relations":
            fields[name] = tuple(
                {int(c): int(_from_text(k)) for c, k in _of(dict, relation).items()} for relation in value
            )
        elif name == "separated":
            fields[name] = _of(int, value)
        else:
            fields[name] = tuple(_of(int, number) for number in _of(list, value))
    return cls(**fields)


def _to_text(number: Number) -> str:
    return float.hex(number) if isinstance(number, float) else hex(number)


def _from_text(text: Any) -> Number:
    """A double where it is written as one (with a power, or infinite), else an integer."""
    written = _of(str, text)
    return float.fromhex(written) if "p" in written or "i" in written else int(written, 16)


def _label(value: Any) -> Any:
    if not isinstance(value, (str, int, float)):
        raise TypeError(f"a class is a name or a number, got {value!r:.60}")
    return value


def _of(kind: type[Any], value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"expected {kind.__name__}, got {value!r:.60}")
    return value
