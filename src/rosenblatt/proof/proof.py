"""`Proof`: claims about a data set (`parts`), and their JSON text.

Doubles are written as hexadecimal floats and integers as hexadecimal integers, so nothing is rounded.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosenblatt.errors import ProofRejected, counted
from rosenblatt.proof.parts import (
    Collinearity,
    Combination,
    Gordan,
    Growth,
    HingeLoss,
    Maximality,
    Number,
    Overlap,
    Part,
    QuasiSeparation,
    RestSeparator,
    Separator,
)

FORMAT = "rosenblatt-proof"
VERSION = 2

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
