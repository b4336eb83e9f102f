"""Names of features: stored names, index numbers, or names from a file with matching hashes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.sources.files import find_files, open_file
from rosenblatt.data.sources.hashing import hashed_names
from rosenblatt.data.sources.numbered_features import NUMBERS, features_in

MOST_LINES = 1_000_000  # lines that are searched for names
TOGETHER = 1 << 16


class Feature(NamedTuple):
    """Hold the name of a feature, and the sign that its hash gives to its values (0 if unknown)."""

    name: str
    sign: float = 1.0


def field_names(reading: Mapping[str, Any]) -> list[str] | None:
    """Return the feature names of a table of numbers, or None if features are hashed.

    >>> columns = [["width", "number"], ["kind", "label"]]
    >>> field_names({"columns": columns, "bits": 18, "missing": "error", "text_labels": False})
    ['width']
    """
    if "columns" not in reading:
        return None
    from rosenblatt.data.sources.table_fields import FieldFeatures

    return FieldFeatures.from_settings(reading).feature_names


def feature_names(
    reading: Mapping[str, Any], known: list[str] | None, wanted: list[int], names_from: str | None
) -> dict[int, Feature]:
    """Return a name for each wanted feature; a name lists several words if they share a hash.

    >>> feature_names({"format": "svmlight", "first_index": 1}, None, [4], None)
    {4: Feature(name='index 5', sign=1.0)}
    """
    if known is not None:
        return {j: Feature(known[j]) for j in wanted}
    if reading.get("format") == "svmlight":
        return {j: Feature(f"index {j + reading['first_index']}") for j in wanted}
    if reading.get("format") != "vw" and "columns" not in reading:
        return {j: Feature(f"x{j}") for j in wanted}
    if NUMBERS in reading:
        met = features_in(reading)
        index_of = {j: int(met[j]) for j in wanted}
    else:
        index_of = {j: j for j in wanted}
    names: dict[int, list[Feature]] = {index: [] for index in index_of.values()}
    for name, index, sign in _hash_names(reading, names_from):
        if index in names and Feature(name, sign) not in names[index]:
            names[index].append(Feature(name, sign))
    unnamed = 1.0 if reading.get("format") == "vw" else 0.0  # hashes of Vowpal Wabbit have no sign
    return {
        j: _together(same) if (same := names[index]) else Feature(f"hash {index}", unnamed)
        for j, index in index_of.items()
    }


def _together(features: list[Feature]) -> Feature:
    signs = {each.sign for each in features}
    return Feature(" or ".join(each.name for each in features[:3]), signs.pop() if len(signs) == 1 else 0.0)


def _hash_names(reading: Mapping[str, Any], names_from: str | None) -> Iterable[tuple[str, int, float]]:
    """Yield (name, hash, sign) of the features in the file `names_from`."""
    if reading.get("format") == "vw":
        yield from _in_vw(names_from, reading["bits"]) if names_from else ()
        return
    from rosenblatt.data.sources.derived_fields import mark_of
    from rosenblatt.data.sources.table_fields import FieldFeatures

    fields = FieldFeatures.from_settings(reading)
    named = [column for column, _ in fields.columns]
    yield from _with_hashes([*fields.names_of_numbers, *map(mark_of, named)], reading["bits"])
    if names_from:
        tokens = tokens_in(fields, _batches(names_from, reading), names_from)
        yield from _with_hashes(sorted(tokens), reading["bits"])


def _with_hashes(names: list[str], bits: int) -> Iterable[tuple[str, int, float]]:
    indices, signs = hashed_names(names, bits)
    return zip(names, indices.tolist(), signs.tolist(), strict=True)


def _in_vw(path: str, bits: int) -> Iterable[tuple[str, int, float]]:
    """Yield the names in Vowpal Wabbit text as namespace^name; each name is hashed as a separate line."""
    from rosenblatt.data.sources.vw import VwText

    seen: set[tuple[bytes, bytes]] = set()
    for file in find_files(path):
        with open_file(file) as lines:
            for line in islice(lines, MOST_LINES):
                for part in line.split(b"|")[1:]:
                    space = part.split(None, 1)[0].partition(b":")[0] if part[:1].strip() else b""
                    words = part.split()[1:] if part[:1].strip() else part.split()
                    seen.update((space, word.partition(b":")[0]) for word in words)
    names = sorted(pair for pair in seen if pair[1])
    form = VwText(bits)
    for first in range(0, len(names), TOGETHER):
        some = names[first : first + TOGETHER]
        text = b"".join(b"|%s %s\n" % pair for pair in some)
        chunk = form.parse(np.frombuffer(text, np.uint8))
        if len(chunk) == len(some):
            shown = [(b"^".join(pair) if pair[0] else pair[1]).decode(errors="replace") for pair in some]
            indices = chunk.rows.indices.tolist()  # type: ignore[union-attr]
            yield from ((name, index, 1.0) for name, index in zip(shown, indices, strict=True))
        chunk.release()


def tokens_in(fields: Any, batches: Iterable[Any], path: str) -> set[str]:
    """Return the categories and words of a table, in the form in which they are hashed."""
    import pyarrow.compute as pc

    from rosenblatt.data.sources.arrow_cells import strings_in
    from rosenblatt.data.sources.field_roles import CATEGORY, TEXT
    from rosenblatt.data.sources.text_cells import letters_of, words_of

    tokens: set[str] = set()
    encoding = fields.encoding
    for batch in batches:
        cells = fields.cells(batch, fields.places_in(batch.schema.names, path))
        for name in fields.names(CATEGORY):
            known = pc.unique(strings_in(cells[name])).drop_null().to_pylist()
            tokens.update(f"{name}={word}" for word in known)
        for name in fields.names(TEXT):
            for text in pc.unique(strings_in(cells[name])).drop_null().to_pylist():
                tokens.update(f"{name}={word}" for word in words_of(text, encoding))
                tokens.update(f"{name}~{run}" for run in letters_of(text, encoding))
    return tokens


def _batches(path: str, reading: Mapping[str, Any]) -> Iterable[Any]:
    """Return the unprocessed columns of a table in a file, as an iterable of batches."""
    from rosenblatt.data.sources.reading import read

    plain = {name: value for name, value in reading.items() if name != NUMBERS}
    source = read(path, like=plain, labelled=False)
    tables: Iterable[Any] = source.tables()  # type: ignore[attr-defined]
    return tables
