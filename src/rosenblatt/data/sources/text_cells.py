"""Convert texts to hashed words with values."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rosenblatt.data.sources.arrow_cells import strings_in
from rosenblatt.data.sources.encoding import WORDS, Encoding
from rosenblatt.data.sources.feature_names import NO_NAMES, NameRecorder
from rosenblatt.data.sources.parsing.name_table import NameTable
from rosenblatt.data.sources.parsing.words import hash_words, weigh_words

BLANK = "".join(map(chr, range(33)))
START, END = "^", "$"
"""Marks for the start and the end of a text in its character n-grams."""

NO_FACTORS: NDArray[np.float64] = np.empty(0)


class Words(NamedTuple):
    """Hold the hashed words of cells: cell i has the entries starts[i]:starts[i+1]."""

    starts: NDArray[np.uint64]
    indices: NDArray[np.uint32]
    values: NDArray[np.float64]


def words_of(text: str, encoding: Encoding = Encoding()) -> list[str]:  # noqa: B008
    """Return the words and word n-grams of a text, in the form in which they are hashed.

    >>> words_of("Free money, x FREE!")
    ['free', 'money', 'free']
    >>> words_of("not at all", Encoding(ngrams=2))
    ['not', 'at', 'all', 'not at', 'at all']
    """
    words = re.findall(rf"\w{{{encoding.shortest},}}", text.lower() if encoding.lower else text)
    return [
        " ".join(words[first : first + size])
        for size in range(1, encoding.ngrams + 1)
        for first in range(len(words) - size + 1)
    ]


def letters_of(text: str, encoding: Encoding) -> list[str]:
    """Return the character n-grams of a text, in the form in which they are hashed.

    The text gets a ^ at its start and a $ at its end.

    >>> letters_of("a  bad", Encoding(characters=(5, 6)))
    ['^a ba', 'a bad', ' bad$', '^a bad', 'a bad$']
    """
    fewest, most = encoding.characters or (1, 0)
    text = re.sub(r"[\x00-\x20]+", " ", text.lower() if encoding.lower else text).strip(" ")
    text = f"{START}{text}{END}"
    return [text[at : at + n] for n in range(fewest, most + 1) for at in range(len(text) - n + 1)]


def _mark_ends(cells: Any) -> Any:
    """Strip blanks at both ends of each text, and enclose the text in the marks for start and end."""
    start, end, nothing = (pa.scalar(mark, cells.type) for mark in (START, END, ""))
    return pc.binary_join_element_wise(start, pc.utf8_trim(cells, BLANK), end, nothing)


def words_in(
    column: Any,
    name: str,
    bits: int,
    encoding: Encoding = Encoding(),  # noqa: B008
    factors: NDArray[np.float64] = NO_FACTORS,
    recorder: NameRecorder | None = None,
) -> Words:
    """Return the hashed words of each cell.

    A word is hashed as "name=word", and a character n-gram as "name~letters". `recorder` stores them.

    >>> starts, indices, values = words_in(pa.array(["Free money, free!", ""]), "mail", bits=10)
    >>> starts.tolist(), indices[0] == indices[2]
    ([0, 3, 3], np.True_)
    >>> words_in(pa.array(["Free money, free!", ""]), "mail", 10, Encoding(words="presence")).values
    array([ 1., -1.])
    """
    cells = strings_in(column).fill_null("")
    runs = encoding.runs
    parts = []
    if runs.words:
        parts.append(
            _hash_cells(
                _in_plain_words(cells, encoding), name, bits, runs._replace(fewest=0, most=0), recorder
            )
        )
    if runs.most:
        lowered = pc.utf8_lower(cells) if encoding.lower else cells
        marked = _mark_ends(lowered)
        parts.append(_hash_cells(marked, name, bits, runs._replace(words=0), recorder))
    words = parts[0] if len(parts) == 1 else _side_by_side(*parts)
    if encoding.is_plain:
        return words
    n = weigh_words(*words, WORDS[encoding.words], factors, encoding.unit_length)
    return Words(words.starts, words.indices[:n], words.values[:n])


def _hash_cells(cells: Any, name: str, bits: int, runs: Any, recorder: NameRecorder | None) -> Words:
    _, ends, letters = cells.buffers()
    text = np.frombuffer(letters, np.uint8) if letters is not None else np.empty(0, np.uint8)
    text.flags.writeable = False
    offsets = np.frombuffer(ends, np.uint64)[cells.offset : cells.offset + len(cells) + 1]
    n_letters = int(offsets[-1] - offsets[0]) if len(cells) else 0
    # each word needs space for its letters and its end
    most = runs.words * ((n_letters + len(cells)) // (runs.shortest + 1) + 1)
    most += n_letters * (runs.most - runs.fewest + 1) if runs.most else 0
    starts = np.zeros(len(cells) + 1, np.uint64)
    indices, signs = np.empty(most, np.uint32), np.empty(most)
    prefix, letters_prefix = (np.frombuffer(f"{name}{mark}".encode(), np.uint8) for mark in "=~")

    def hash_all(names: NameTable) -> int:
        n: int = hash_words(
            text, offsets, prefix, letters_prefix, bits, runs, starts, indices, signs, names
        )
        return n

    n = 0
    if len(cells):
        n = hash_all(NO_NAMES) if recorder is None else recorder.record(hash_all)
    return Words(starts, indices[:n], signs[:n])


def _side_by_side(one: Words, other: Words) -> Words:
    """Return, for each cell, the words of `one` followed by the words of `other`."""
    sizes, more = (np.diff(words.starts).astype(np.int64) for words in (one, other))
    starts = one.starts + other.starts
    of_one = np.arange(len(one.indices), dtype=np.uint64) + np.repeat(other.starts[:-1], sizes)
    of_other = np.arange(len(other.indices), dtype=np.uint64) + np.repeat(one.starts[1:], more)
    indices, values = (
        np.empty(len(of_one) + len(of_other), np.uint32),
        np.empty(len(of_one) + len(of_other)),
    )
    indices[of_one], indices[of_other] = one.indices, other.indices
    values[of_one], values[of_other] = one.values, other.values
    return Words(starts, indices, values)


def _in_plain_words(cells: Any, encoding: Encoding) -> Any:
    """Reduce non-ASCII texts to their words, separated by blanks; leave ASCII texts unchanged."""
    plain = pc.string_is_ascii(cells).to_numpy(zero_copy_only=False)
    if plain.all():
        return cells
    single = Encoding(shortest=encoding.shortest, lower=encoding.lower)
    texts = cells.to_pylist()
    for row in np.flatnonzero(~plain).tolist():
        texts[row] = " ".join(words_of(texts[row], single))
    return pa.array(texts, pa.large_string())
