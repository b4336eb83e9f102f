"""`Proof`: claims about a data set with everything needed to check them, as JSON.

A proof is a list of parts. Each part is an independent claim, and `verify` checks it from the data:

* `Separator`: (w, b) with yᵢ(w·xᵢ+b) > 0 for all rows. The margin is at least minᵢ yᵢ(w·xᵢ+b)/‖w‖.
* `Combination`: integer weights λ on some rows, with the same sum H in each class. The margin is at most ‖Σ
  λᵢyᵢxᵢ‖/(2H). Without an offset, H is the sum over all rows, and the margin is at most ‖Σ λᵢyᵢxᵢ‖/H.
* `Gordan`: integer weights λ > 0 on some rows with Σ λᵢ yᵢ(xᵢ, 1) = 0. No hyperplane separates the classes
  (Gordan 1873).
* `QuasiSeparation`: (w, b) with yᵢ(w·xᵢ+b) ≥ 0 for all rows, and > 0 for some rows.
* `Overlap`: weights as in `Gordan`, on rows whose linear span contains all rows. No (w, b) as in
  `QuasiSeparation` exists (Stiemke 1915).
* `Maximality`: an `Overlap` of the rows on the hyperplane of a `QuasiSeparation`. No (w, b) separates more
  rows.
* `Collinearity`: factors with Σ factorⱼ·column j = 0 in every row. These coefficients are not identified.
* `RestSeparator`: rows, and (w, b) with yᵢ(w·xᵢ+b) > 0 for all other rows. Several `Gordan` parts without a
  common row prove a lower bound on the number of rows to remove.
* `HingeLoss`: (w, b) and weights 0 < αᵢ ≤ 1 on some rows with Σ αᵢyᵢ(xᵢ, 1) = 0. The smallest total hinge
  loss is at most Σ max(0, 1 − yᵢ(w·xᵢ+b)) and at least Σ αᵢ.
* `Growth`: weights that prove that the sign of wⱼ is the same for every (w, b) as in `QuasiSeparation`.

Doubles are written as hexadecimal floats and integers as hexadecimal integers, so nothing is rounded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import ProofRejected, counted
from rosenblatt.numeric.blocks import blocks
from rosenblatt.numeric.row_batches import Rows, n_features, n_rows

FORMAT = "rosenblatt-proof"
VERSION = 2

Number = float | int
Numbers = tuple[Number, ...]


class Separator(NamedTuple):
    """State a hyperplane with every point strictly on its side; `margin` is a proved lower bound.

    Parameters
    ----------
    w : tuple of float or int
        The weights.
    b : float or int
        The offset.
    margin : float
        The value of minᵢ yᵢ(w·xᵢ+b)/‖w‖, rounded down.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> separate([[0.0], [3.0]], ["a", "b"]).proof.parts[0].margin
    1.5
    """

    w: Numbers
    b: Number
    margin: float


class Combination(NamedTuple):
    """State one point in each class's convex hull; their distance proves an upper bound on the margin.

    Parameters
    ----------
    rows : tuple of int
        The rows combined.
    weights : tuple of int
        Their weights λ; with an offset, the weights of each class have the same sum.
    margin : float
        Half the distance between the two points, rounded up. Without an offset, there is one point in the
        hull of all yᵢxᵢ, and this is its norm, rounded up.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> sorted(separate([[0.0], [3.0]], ["a", "b"]).proof.parts[1].rows)
    [0, 1]
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    margin: float


class Gordan(NamedTuple):
    """State positive weights with Σ λᵢ yᵢ(xᵢ, 1) = 0, which prove that no hyperplane separates the classes.

    Parameters
    ----------
    rows : tuple of int
        The rows combined.
    weights : tuple of int
        Their weights λ > 0.

    References
    ----------
    Gordan (1873).

    Examples
    --------
    >>> from rosenblatt import separate
    >>> separate([[1.0], [1.0]], [0, 1]).proof.parts[0]
    Gordan(rows=(0, 1), weights=(1, 1))
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]


def contradiction(part: Gordan, labels: NDArray[np.int8]) -> tuple[int, int] | None:
    """Return the two row indices if the combination consists of two equal rows with different labels.

    Such a combination is λ(x₁, 1) − λ(x₂, 1) = 0; for any other combination, return None. `labels` are the
    labels of the rows in the combination.
    """
    if len(part.rows) != 2 or part.weights[0] != part.weights[1] or labels[0] == labels[1]:
        return None
    one, other = sorted(part.rows)
    return one, other


class QuasiSeparation(NamedTuple):
    """State a hyperplane with no point on the wrong side and `separated` points not on the hyperplane.

    Parameters
    ----------
    w : tuple of float or int
        The weights.
    b : float or int
        The offset.
    separated : int
        The number of points that are not on the hyperplane but on the correct side.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> parts = separate([[1.0], [2.0], [2.0]], [0, 0, 1]).proof.parts
    >>> [part.separated for part in parts if isinstance(part, QuasiSeparation)]
    [1]
    """

    w: Numbers
    b: Number
    separated: int


class Overlap(NamedTuple):
    """State that points sum to zero with positive weights and that their linear span contains all points.

    Parameters
    ----------
    rows : tuple of int
        The rows combined.
    weights : tuple of int
        Their weights λ > 0.
    columns : tuple of int
        As many columns as the rank of all points, chosen so that the combined rows have full rank in them.
        Column `n_features` is the offset.
    relations : tuple of dict
        For each remaining column c that is not zero in every row, a linear relation: a dict from column to
        factor with Σ relation[j]·column j = 0 in all rows and relation[c] ≠ 0. The relations prove that all
        points are in the span of the combined rows.

    References
    ----------
    Stiemke (1915).

    Examples
    --------
    >>> from rosenblatt import separate
    >>> xor = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> parts = separate(xor, [0, 1, 1, 0]).proof.parts
    >>> [part.columns for part in parts if isinstance(part, Overlap)]
    [(0, 1, 2)]
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    columns: tuple[int, ...]
    relations: tuple[dict[int, int], ...]


class Maximality(NamedTuple):
    """State that no hyperplane without a row on its wrong side separates more rows than the last part.

    The rows on the hyperplane of the last `QuasiSeparation` overlap, which is proved as in `Overlap`.

    Parameters
    ----------
    rows, weights, columns : tuple of int
        As in `Overlap`, about the rows on the hyperplane.
    relations : tuple of dict
        As in `Overlap`. The relations hold in these rows only.

    Examples
    --------
    >>> from rosenblatt import overlap
    >>> parts = overlap([[1.0], [2.0], [2.0]], [0, 0, 1]).proof.parts
    >>> [part.relations for part in parts if isinstance(part, Maximality)]
    [({0: -1, 1: 2},)]
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    columns: tuple[int, ...]
    relations: tuple[dict[int, int], ...]


class Collinearity(NamedTuple):
    """State that columns are linearly dependent in every row, so their coefficients are not identified.

    Parameters
    ----------
    relation : dict of int to int
        A dict from column to factor with Σ relation[j]·column j = 0. Column `n_features` is the offset.

    Examples
    --------
    >>> from rosenblatt import overlap
    >>> parts = overlap([[1.0, 1.0], [2.0, 2.0]], [0, 1]).proof.parts
    >>> [len(part.relation) for part in parts if isinstance(part, Collinearity)]
    [2]
    """

    relation: dict[int, int]


class Growth(NamedTuple):
    """State that the estimate of a coefficient is infinite, with this sign.

    Let V be the linear span of all (w, b) with no row on the wrong side. A `Separator`, or a
    `QuasiSeparation` with its `Maximality`, determines V. On V, Σ λᵢyᵢ(xᵢ, 1)·v is `sign` times a positive
    multiple of vⱼ. If v has no row on the wrong side, the sum is at least 0, so vⱼ has this sign or is 0
    (Farkas 1902).

    Parameters
    ----------
    column : int
        The column j of the coefficient; `n_features` is the offset.
    sign : int
        1 or −1.
    rows : tuple of int
        The rows combined.
    weights : tuple of int
        Their weights λ > 0.

    Examples
    --------
    >>> from rosenblatt import overlap
    >>> parts = overlap([[1.0], [2.0], [2.0]], [0, 0, 1]).proof.parts
    >>> [(part.column, part.sign) for part in parts if isinstance(part, Growth)]
    [(0, 1), (1, -1)]
    """

    column: int
    sign: int
    rows: tuple[int, ...]
    weights: tuple[int, ...]


class RestSeparator(NamedTuple):
    """State some rows, and a hyperplane with all other rows strictly on their side.

    Parameters
    ----------
    rows : tuple of int
        The rows to remove.
    w : tuple of float or int
        The weights.
    b : float or int
        The offset.

    Examples
    --------
    >>> from rosenblatt import rows_to_remove
    >>> X, y = [[1.0], [2.0], [3.0], [8.0], [9.0], [1.5]], [0, 0, 0, 1, 1, 1]
    >>> rows_to_remove(X, y).proof.parts[-1].rows
    (5,)
    """

    rows: tuple[int, ...]
    w: Numbers
    b: Number


class HingeLoss(NamedTuple):
    """State a hyperplane and a dual solution, which bound the smallest total hinge loss from both sides.

    With αᵢ = weightᵢ/total in (0, 1] and Σ αᵢyᵢ(xᵢ, 1) = 0, every (w, b) has a total hinge loss of at least
    Σ αᵢ(1 − yᵢ(w·xᵢ+b)) = Σ αᵢ (weak duality).

    Parameters
    ----------
    w : tuple of float or int
        The weights, times `divisor`.
    b : float or int
        The offset, times `divisor`.
    divisor : int
        A positive integer; the hyperplane is (w, b)/divisor.
    rows : tuple of int
        The rows with αᵢ > 0.
    weights : tuple of int
        Their αᵢ, times `total`.
    total : int
        A positive integer, at least as large as every weight.

    References
    ----------
    Bennett & Mangasarian (1992).

    Examples
    --------
    >>> from rosenblatt import least_hinge_loss
    >>> least_hinge_loss([[1.0], [1.0]], [0, 1]).proof.parts[0].weights
    (1, 1)
    """

    w: Numbers
    b: Number
    divisor: int
    rows: tuple[int, ...]
    weights: tuple[int, ...]
    total: int


Part = (
    Separator | Combination | Gordan | QuasiSeparation | Overlap | Maximality | Collinearity | Growth
    | RestSeparator | HingeLoss
)  # fmt: skip

KINDS: dict[str, type[Any]] = {
    "separator": Separator,
    "combination": Combination,
    "gordan": Gordan,
    "quasi-separation": QuasiSeparation,
    "overlap": Overlap,
    "maximality": Maximality,
    "collinearity": Collinearity,
    "growth": Growth,
    "rest-separator": RestSeparator,
    "hinge-loss": HingeLoss,
}
SCALARS = ("b", "margin", "divisor", "total")
"""Fields with one number, written as text."""
_NAMES = {cls: name for name, cls in KINDS.items()}


@dataclass(frozen=True)
class Proof:
    """Hold claims about a data set; `verify` can check the claims without trusting their author.

    Parameters
    ----------
    offset : bool
        Whether the hyperplanes have an offset; without one, they contain the origin.
    n_rows, n_features : int
        The shape of the data.
    classes : tuple
        The two classes, in the order −1, +1. A single class is +1.
    digest : str
        SHA-256 of the digests of blocks of rows and labels (`digest_of_digests`).
    parts : tuple of Part
        The claims.
    question : tuple, default=()
        For data with more than two classes, the classes compared: (a, b) for class a (+1) against class b
        (−1), on the rows of these two classes; (a,) for class a (+1) against all other classes (−1), on all
        rows.
    multinomial : bool, default=False
        Whether the parts and the digest are about the rows of `rows_of_pairs`, which a multinomial
        regression compares with the origin.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> separate([[0.0], [3.0]], ["a", "b"]).proof
    <Proof of separator, combination for 2 rows of 1 feature>
    """

    offset: bool
    n_rows: int
    n_features: int
    classes: tuple[Any, ...]
    digest: str
    parts: tuple[Part, ...]
    question: tuple[Any, ...] = ()
    multinomial: bool = False

    def to_json(self) -> str:
        """Return the proof as JSON.

        Returns
        -------
        str
            The text.
        """
        head = {
            "format": FORMAT,
            "version": VERSION,
            "offset": self.offset,
            "n_rows": self.n_rows,
            "n_features": self.n_features,
            "classes": list(self.classes),
            "digest": self.digest,
            "question": list(self.question),
            **({"multinomial": True} if self.multinomial else {}),
        }
        return json.dumps({**head, "parts": [_part_to_plain(part) for part in self.parts]})

    @classmethod
    def from_json(cls, text: str | bytes) -> Proof:
        """Parse a proof from the JSON text that `to_json` wrote; parsing executes no code.

        Parameters
        ----------
        text : str or bytes
            The JSON text.

        Returns
        -------
        Proof
            The proof, not yet verified.

        Raises
        ------
        ProofRejected
            If the text is not a proof; the message names the field that is missing or invalid.
        """
        try:
            plain = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ProofRejected(f"not a proof: not JSON ({error})") from error
        if not isinstance(plain, dict) or plain.get("format") != FORMAT:
            raise ProofRejected(f"not a proof: expected a JSON object with format {FORMAT!r}")
        if type(plain.get("version")) is not int or plain["version"] != VERSION:
            raise ProofRejected(
                f"a proof of version {plain.get('version')!r:.60}, expected {VERSION}; prove again with "
                "this rosenblatt, or update it"
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
                multinomial=_of(bool, plain.get("multinomial", False)),
            )
        except KeyError as error:
            raise ProofRejected(f"a broken proof: {error} is missing") from error
        except (TypeError, ValueError, OverflowError) as error:
            raise ProofRejected(f"a broken proof: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write the proof to a file as JSON.

        Parameters
        ----------
        path : str or Path
            The file to write.
        """
        Path(path).write_text(self.to_json() + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Proof:
        """Return the proof in a file written by `save`.

        Parameters
        ----------
        path : str or Path
            The file to read.

        Returns
        -------
        Proof
            The proof, not yet verified.

        Raises
        ------
        ProofRejected
            If the file is not a proof.
        """
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
    """Return the SHA-256 digest of the nonzero entries, their positions and the labels.

    The digest is the same for dense and sparse rows, for float32 and float64, and for 0 and −0. For each
    row it covers the number of nonzero entries, their columns (unless all entries are nonzero), their
    values, and the label.
    """
    hashed = hashlib.sha256(f"{n_rows(rows)} rows, {n_features(rows)} features;".encode())
    counts, columns, values = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
    for _, matrix in blocks(rows):
        count, column, value = _nonzeros(matrix)
        counts.update(np.ascontiguousarray(count, "<u8").data)
        columns.update(np.ascontiguousarray(column, "<u8").data)
        values.update(np.ascontiguousarray(value, "<f8").data)
    hashed.update(labels.astype("i1").tobytes())
    for part in (counts, columns, values):
        hashed.update(part.digest())
    return hashed.hexdigest()


def digest_of_digests(n_rows: int, n_features: int, digests: Iterable[str]) -> str:
    """Return the SHA-256 digest of the digests of all blocks of `labelled_rows.BLOCK_ROWS` rows."""
    hashed = hashlib.sha256(f"{n_rows} rows, {n_features} features, in blocks;".encode())
    for digest in digests:
        hashed.update(bytes.fromhex(digest))
    return hashed.hexdigest()


def _nonzeros(matrix: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Return the number of nonzero entries of each row, their columns, and their values.

    The columns of rows without a zero are left out.
    """
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
        elif name in SCALARS:
            plain[name] = _to_text(value)
        elif name == "relations":
            plain[name] = [_relation_to_plain(relation) for relation in value]
        elif name == "relation":
            plain[name] = _relation_to_plain(value)
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
        elif name in SCALARS:
            fields[name] = _from_text(value)
        elif name == "relations":
            fields[name] = tuple(_relation_from_plain(relation) for relation in _of(list, value))
        elif name == "relation":
            fields[name] = _relation_from_plain(value)
        elif name in ("separated", "column", "sign"):
            fields[name] = _of(int, value)
        else:
            fields[name] = tuple(_of(int, number) for number in _of(list, value))
    return cls(**fields)


def _relation_to_plain(relation: dict[int, int]) -> dict[str, str]:
    return {str(column): _to_text(factor) for column, factor in relation.items()}


def _relation_from_plain(relation: Any) -> dict[int, int]:
    return {int(column): int(_from_text(factor)) for column, factor in _of(dict, relation).items()}


def _to_text(number: Number) -> str:
    return float.hex(number) if isinstance(number, float) else hex(number)


def _from_text(text: Any) -> Number:
    """Parse a double if the text has an exponent or is infinite, otherwise an integer."""
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
