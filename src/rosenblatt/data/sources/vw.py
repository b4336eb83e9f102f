"""Vowpal Wabbit text: one row per line.

A line is ``[label [importance [base]]] ['tag]|[namespace[:value]] feature …``. A feature is ``name`` (its
value is 1), ``name:number``, ``name:word``, or ``:number``, whose name is its position in its namespace.
The value of a namespace multiplies the numbers in it.

Names are hashed as Vowpal Wabbit does by default (``--hash strings``), so features have the same indices as
its weights. The hash of a namespace is the hash of its name with seed 0, or 0 if it has no name. A name of
digits becomes its number plus the hash of the namespace. Any other name becomes its MurmurHash3 with the
hash of the namespace as seed; a word used as a value is hashed with the hash of its feature's name as seed.
The index is the hash modulo 2^bits. Values with the same index are added, and values of 0 are left out.

Lines whose meaning Vowpal Wabbit would guess, with or without a warning, are refused here: see `explain`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import ALL_ONE, Buffers, Chunk, explain_lines, sparse_rows
from rosenblatt.data.sources.feature_names import NO_NAMES, NameRecorder
from rosenblatt.data.sources.hashing import check_bits
from rosenblatt.data.sources.parsing.name_table import NameTable
from rosenblatt.data.sources.parsing.vw_parser import N_BUCKETS, scan

NAME = re.compile(rb"[^ \t|:]*")
NUMBER_TOKEN = re.compile(rb"[^ \t\r\n|]*")
WORD = re.compile(rb"[^ \t]*")
DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
NO_WORD = re.compile(rb"[+-]?(\.?\d|inf|nan)|[+-]?\d*\.?\d*(e[+-]?\d*)?(?=[ \t|]|$)", re.IGNORECASE)
ONE_NUMBER = "this reader takes one number as label; costs and actions of other reductions are not read"


def buffer_for(size: int) -> tuple[NDArray[Any], ...]:
    """Return arrays that are large enough for `size` bytes.

    A row or an entry has at least 2 bytes; a number that Python must parse has at least 5.
    """
    most = size // 2 + 1
    return (
        np.empty(most),
        np.empty(most),
        np.empty(most + 1, np.uint32),
        np.empty(most, np.uint32),
        np.empty(most),
        np.empty(most, np.uint64),
        np.empty(size // 5 + 1, np.uint64),
        np.empty(size // 5 + 1),
        np.empty(N_BUCKETS, np.uint32),
        np.empty(most, np.uint64),
        np.empty(most),
    )


BUFFERS = Buffers(buffer_for)


@dataclass(frozen=True)
class VwText:
    """Read blocks of Vowpal Wabbit text into rows of 2^bits features.

    A row without a label has the label NaN. If no row of a block has an importance, the block has none.

    >>> text = np.frombuffer(b"1 2 'a|says hello world\\n-1 | 3 5:0.5\\n1:2 | x\\n", np.uint8)
    >>> chunk = VwText(bits=3).parse(text)
    >>> chunk.X.toarray()
    array([[0. , 0. , 1. , 1. , 0. , 0. , 0. , 0. ],
           [0. , 0. , 0. , 1. , 0. , 0.5, 0. , 0. ]])
    >>> chunk.y, chunk.weight, [(line.line, line.column) for line in chunk.bad]
    (array([ 1., -1.]), array([2., 1.]), [(2, 1)])
    """

    bits: int = 18
    recorder: NameRecorder | None = field(default=None, repr=False, compare=False)
    _buffers: Buffers = field(default_factory=lambda: BUFFERS, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_bits(self.bits)

    def parse(self, text: NDArray[np.uint8], begins_file: bool = False) -> Chunk:
        """Return the rows of a block of whole lines; the last line must end with a newline."""
        buffer, release = self._buffers.take(text.size)
        labels, weights, starts, indices, values, bad_lines, unparsed, answers = buffer[:8]

        def scan_all(names: NameTable) -> tuple[Any, ...]:
            state: tuple[Any, ...] = (np.uint64(0),) * 6
            while True:
                state = tuple(np.uint64(count) for count in scan(text, *state, self.bits, *buffer, names))
                n_unparsed = int(state[-1])
                if not n_unparsed:
                    return state
                answers[:n_unparsed] = [number_at(text, place) for place in unparsed[:n_unparsed].tolist()]

        state = scan_all(NO_NAMES) if self.recorder is None else self.recorder.record(scan_all)
        _, n_rows, n_entries, n_bad, n_weighted, _ = (int(count) for count in state)
        rows = sparse_rows(
            values[:n_entries], indices[:n_entries], starts[: n_rows + 1], n_features=1 << self.bits
        )
        importance = weights[:n_rows] if n_weighted else ALL_ONE
        found = explain_lines(text, bad_lines[:n_bad].tolist(), explain)
        return Chunk(rows, labels[:n_rows], importance, text.size, bad=found, release=release)

    def settings(self) -> dict[str, Any]:
        return {"format": "vw", "bits": self.bits}


def number_at(text: NDArray[np.uint8], place: int) -> float:
    """Return the number at a text position; it may have any number of digits."""
    length = 100
    while True:
        token = NUMBER_TOKEN.match(text[place : place + length].tobytes())
        assert token is not None
        if token.end() < length:
            return float(token.group())
        length *= 10


def explain(line: bytes) -> tuple[int, str]:
    """Return the column and the reason why a line of Vowpal Wabbit text cannot be read.

    >>> explain(b"2:1:0.4 | price:.23")[1].partition(";")[0]
    "expected a number as label, got '2:1:0.4'"
    >>> explain(b"1 | price:")
    (11, "value '' is not a number; write name:number")
    """
    line = line.removesuffix(b"\r")
    bar = line.find(b"|")
    if carriage_return := line.find(b"\r") + 1:
        return carriage_return, "a carriage return inside the line; remove it"
    if bar < 0:
        return len(line), "no '|' before the features; write: label | feature feature"
    if tab := line.find(b"\t", 0, bar) + 1:
        return tab, "a tab before the '|', and Vowpal Wabbit drops everything before a tab; use blanks"
    return (
        _label_problem(line[:bar])
        or _feature_problem(line, bar)
        or (1, "the sum of the values of a column overflows; scale them down")
    )


def _label_problem(head: bytes) -> tuple[int, str] | None:
    words = [(match.start() + 1, match.group()) for match in re.finditer(rb"[^ ]+", head)]
    if words and (not head.endswith(b" ") or words[-1][1].startswith(b"'")):
        words.pop()  # a tag
    names = ["label", "importance", "base"]
    for (column, word), name in zip(words, names, strict=False):
        got = word.decode(errors="replace")
        if not DECIMAL.fullmatch(word):
            return column, f"expected a number as {name}, got {got!r}; {ONE_NUMBER}"
        if not math.isfinite(float(word)):
            return column, f"{name} {got!r} is not a finite number; drop the row or fill it in"
        if name == "importance" and float(word) < 0:
            return column, f"importance {got!r} is negative; give 0 or more"
        if name == "base" and float(word) != 0:
            return column, f"a base (initial prediction) of {got!r}; only 0 is supported, so leave it out"
    if len(words) > len(names):
        return words[3][0], f"a fourth number before the '|'; {ONE_NUMBER}"
    return None


def _feature_problem(line: bytes, bar: int) -> tuple[int, str] | None:
    at, scale = bar, 1.0
    while at < len(line):
        letter = line[at : at + 1]
        if letter in b" \t":
            at += 1
            continue
        in_bar = letter == b"|"
        begin = at + in_bar
        at = _end(NAME, line, begin)
        if in_bar:
            scale = 1.0
        if line[at : at + 1] == b":":
            if in_bar and at == begin:
                return at + 1, "a namespace with a value but without a name; write |name:value"
            value_begin = at + 1
            is_word = not in_bar and not NO_WORD.match(line, value_begin)
            at = _end(WORD if is_word else NUMBER_TOKEN, line, value_begin)
            if not is_word:
                number = line[value_begin:at]
                if problem := _not_a_number(number, scale, "|name" if in_bar else "name"):
                    return value_begin + 1, problem
                scale = float(number) if in_bar else scale
    return None


def _end(pattern: re.Pattern[bytes], line: bytes, begin: int) -> int:
    match = pattern.match(line, begin)
    assert match is not None
    return match.end()


def _not_a_number(token: bytes, scale: float, what: str) -> str | None:
    got = token.decode(errors="replace")
    if not DECIMAL.fullmatch(token):
        is_finite = not re.fullmatch(rb"[+-]?(inf|infinity|nan)", token, re.IGNORECASE)
        is_not = "a number" if is_finite else "a finite number"
        return f"value {got!r} is not {is_not}; write {what}:number"
    if not math.isfinite(float(token)):
        return f"value {got!r} is not a finite number; write {what}:number"
    if not math.isfinite(float(token) * scale):
        return f"value {got!r} times {scale!r}, the value of its namespace, is too large; scale it down"
    return None
