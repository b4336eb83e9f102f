"""Names of classes, features and labels in a model file. Their types are restored without pickle."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.feature_names import Vocabulary
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import plain
from rosenblatt.storage.fields import Bound, Found, Kind, Part, Section, in_numbers, part, value

LARGEST = 1 << 256  # limit for labels that are integers
LAST_CHARACTER = 0x10FFFF
NO_TIME = np.iinfo(np.int64).min
MOMENT = re.compile(r"[<>][mM]8\[(?:[1-9]\d{0,8})?(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\]")
IN_WORDS: dict[type, tuple[str, Any, Any]] = {
    bytes: ("bytes", bytes.hex, bytes.fromhex),
    datetime.date: ("date", datetime.date.isoformat, datetime.date.fromisoformat),
    datetime.datetime: ("time", datetime.datetime.isoformat, datetime.datetime.fromisoformat),
}
NUMBER = re.compile(r"\|b1|[<>|][iu][1248]|[<>]f[248]")


# ---------------------------------------------------------------- texts


def encode_texts(part: Part, name: str, texts: Sequence[str]) -> None:
    """Store all texts as UTF-8 in one array and their ends in another, since there may be millions."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    part[f"{name}.utf8"] = np.frombuffer(b"".join(encoded), np.uint8)
    part[f"{name}.ends"] = np.cumsum([len(text) for text in encoded], dtype=np.int64)


def decode_texts(section: Section, name: str) -> list[str]:
    letters = section.array(f"{name}.utf8", np.uint8, (None,)).tobytes()
    ends = section.counts(f"{name}.ends", (None,), 0, len(letters))
    if (ends[1:] < ends[:-1]).any() or (int(ends[-1]) if len(ends) else 0) != len(letters):
        raise section.wrong(name, "the texts do not end where they should")
    try:
        return [letters[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise([0, *ends.tolist()])]
    except UnicodeDecodeError as error:
        raise section.wrong(name, "a text is not UTF-8") from error


# ---------------------------------------------------------------- labels, each a Python value


def encode_labels(labels: Sequence[Any]) -> Part:
    if not all(type(label) is str for label in labels):
        return Part(type="mixed", values=[encode_label(label) for label in labels])
    part = Part(type="texts")
    encode_texts(part, "values", labels)
    return part


def decode_labels(section: Section, name: str) -> list[Any]:
    """Return the labels of a field; refuse equal labels."""
    part = section.part(name)
    if part.text("type", ("texts", "mixed")) == "texts":
        labels: list[Any] = decode_texts(part, "values")
    else:
        labels = [decode_label(part, label) for label in part.list_of("values")]
    if len(set(labels)) < len(labels):
        raise section.wrong(name, "a name occurs twice")
    return labels


def encode_label(label: Any) -> Any:
    """Return a label as JSON."""
    label = plain(label)
    if type(label) in (str, bool) or (type(label) is int and abs(label) < LARGEST):
        return label
    if type(label) is float and math.isfinite(label):
        return label
    if type(label) in IN_WORDS:
        kind, as_text, _ = IN_WORDS[type(label)]
        return {kind: as_text(label)}
    raise BadInput(
        f"{label!r}: a {type(label).__name__} as a class or name cannot be saved; use texts or numbers"
    )


def decode_label(section: Section, label: Any) -> Any:
    if isinstance(label, str | bool | float) or (isinstance(label, int) and abs(label) < LARGEST):
        return label
    if isinstance(label, dict) and len(label) == 1:
        ((kind, text),) = label.items()
        makers = {kind: made for kind, _, made in IN_WORDS.values()}
        try:
            if kind in makers and isinstance(text, str):
                return makers[kind](text)
        except (ValueError, OverflowError) as error:
            raise section.wrong("values", f"{text[:80]!r} is not of type {kind}") from error
    raise section.wrong("values", "one of them is neither a text nor a number")


# ---------------------------------------------------------------- classes, an array


def encode_classes(classes: NDArray[Any]) -> Part:
    """Return a part that stores an array of classes of any type."""
    dtype = classes.dtype
    if dtype.kind in "OT":
        labels = [plain(label) for label in classes.tolist()]
        return Part(type="objects" if dtype.kind == "O" else "strings", values=encode_labels(labels))
    native = np.ascontiguousarray(classes, dtype.newbyteorder("="))
    if NUMBER.fullmatch(dtype.str):
        return Part(type="numbers", dtype=dtype.str, values=native)
    if dtype.kind in "US":
        kind, code = ("texts", np.uint32) if dtype.kind == "U" else ("bytes", np.uint8)
        return Part(type=kind, values=native.view(code).reshape(len(classes), -1))
    if dtype.kind in "mM" and MOMENT.fullmatch(dtype.str):
        return Part(type="times", dtype=dtype.str, values=native.view(np.int64))
    raise BadInput(f"classes: an array of {dtype} cannot be saved; use texts or whole numbers as classes")


def decode_classes(section: Section, name: str) -> NDArray[Any]:
    """Return the array of classes in a field; refuse an empty array and equal classes."""
    part = section.part(name)
    classes = _DECODERS[part.text("type", _DECODERS)](part)
    listed = classes.tolist()
    if not listed or len(set(listed)) < len(listed):
        raise section.wrong(name, "there is no class, or one comes twice")
    return classes


def decode_dtype(section: Section, name: str, pattern: re.Pattern[str] = NUMBER) -> np.dtype[Any]:
    """Return the NumPy dtype named in a field; only names that match `pattern` are allowed."""
    text = section.text(name)
    if not pattern.fullmatch(text):
        raise section.wrong(name, f"{text[:80]!r} is not an allowed type")
    try:
        return np.dtype(text)
    except (TypeError, ValueError, OverflowError) as error:
        raise section.wrong(name, f"{text[:80]!r} is not a type that numpy has here") from error


def _numbers(part: Section) -> NDArray[Any]:
    dtype = decode_dtype(part, "dtype")
    values = part.array("values", dtype.type, (None,))
    if dtype.kind == "f" and not (np.isfinite(values) & (values == np.floor(values))).all():
        raise part.wrong("values", "a class is not a whole number")
    return values.astype(dtype)


def _letters(part: Section, kind: str, code: type, letter: str) -> NDArray[Any]:
    values = part.array("values", code, (None, None))
    if not values.size or values.max() > LAST_CHARACTER:
        raise part.wrong("values", f"not {kind}")
    return values.view(f"={letter}{values.shape[1]}").reshape(-1)


def _times(part: Section) -> NDArray[Any]:
    dtype = decode_dtype(part, "dtype", MOMENT)
    values = part.array("values", np.int64, (None,))
    if (values == NO_TIME).any():
        raise part.wrong("values", "a class is not a time")
    return values.view(dtype.newbyteorder("=")).astype(dtype)


def _labels(part: Section, dtype: Any) -> NDArray[Any]:
    labels = decode_labels(part, "values")
    if dtype is not object and not all(type(label) is str for label in labels):
        raise part.wrong("values", "not texts")
    classes: NDArray[Any] = np.empty(len(labels), dtype)
    classes[:] = labels
    return classes


_DECODERS: dict[str, Any] = {
    "numbers": _numbers,
    "texts": lambda part: _letters(part, "texts", np.uint32, "U"),
    "bytes": lambda part: _letters(part, "bytes", np.uint8, "S"),
    "times": _times,
    "objects": lambda part: _labels(part, object),
    "strings": lambda part: _labels(part, np.dtypes.StringDType()),
}


# ---------------------------------------------------------------- as fields


def texts(expected: Bound) -> Kind:
    """Return the kind of a list of texts; `expected` is their number."""

    def read(section: Section, name: str, found: Found) -> list[str]:
        listed = decode_texts(section, name)
        if len(listed) != (n := in_numbers(expected, found)):
            raise section.wrong(name, f"expected {n} of them")
        return listed

    return Kind(encode_texts, read, lambda section, name: section.has_array(f"{name}.ends"))


def _decode_vocabulary(part: Section, found: Found) -> Vocabulary:
    byte_arrays = {name: part.array(name, np.uint8, (None,)) for name in ("letters", "lengths", "rows")}
    hashes = part.array("hashes", np.uint32, (None,))
    return Vocabulary(**byte_arrays, hashes=hashes, asked=part.text("asked"))


VOCABULARY = part(lambda vocabulary: Part(asdict(vocabulary)), _decode_vocabulary)
CLASSES = value(lambda section, name, found: decode_classes(section, name), encode_classes)
LABELS = value(lambda section, name, found: decode_labels(section, name), encode_labels)
