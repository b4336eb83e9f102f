"""Number notations: 1.234,5 and 1,234.5, optionally with a currency or %."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rosenblatt.data.sources.arrow_cells import is_text, strings_in
from rosenblatt.data.sources.cells import MISSING, is_missing

POINT, COMMA, PLAIN = "1,234.5", "1.234,5", "1234.5"
ENOUGH = 0.99

_SIGN, _MONEY = r"[-+\x{2212}]?", "[$€£¥]"
_BEFORE = rf"^\s*({_SIGN}{_MONEY}?|{_MONEY}\s*{_SIGN})\s*"
_BEHIND = r"\s*(%|€|\$|£|¥|EUR|USD|GBP|CHF)?\s*$"
_WRITTEN = {
    POINT: rf"{_BEFORE}(\d{{1,3}}([,' \x{{a0}}]\d{{3}})+(\.\d+)?|\d+(\.\d+)?){_BEHIND}",
    COMMA: rf"{_BEFORE}(\d{{1,3}}([.' \x{{a0}}]\d{{3}})+(,\d+)?|\d+(,\d+)?){_BEHIND}",
}
_PLAIN = r"^\s*-?(\d+\.?|\d*\.\d+)([eE][-+]?\d+)?\s*$"


def notation_of(cells: Any) -> str | None:
    """Return the notation in which the cells write numbers, or None.

    None also stands for numbers without separators and units, because a column that stores them as text
    holds names (postal codes, for example).

    >>> notation_of(pa.array(["1,5", "2,25", None])), notation_of(pa.array(["1,000", "950"]))
    ('1.234,5', '1,234.5')
    >>> notation_of(pa.array(["5 %", "12.5 %"])), notation_of(pa.array(["red", "5 %"]))
    ('1,234.5', None)
    >>> notation_of(pa.array(["02139", "90210"])), notation_of(pa.array(["--7.5", "1,200"]))
    (None, None)
    """
    kind = cells.type
    if not is_text(kind.value_type if pa.types.is_dictionary(kind) else kind):
        return None
    texts = strings_in(cells).drop_null()
    codes = pa.array(sorted(MISSING), texts.type)
    texts = texts.filter(pc.invert(pc.is_in(pc.utf8_lower(pc.utf8_trim_whitespace(texts)), codes)))
    if pc.all(pc.match_substring_regex(texts, _PLAIN)).as_py() is not False:
        return None
    for notation, written in _WRITTEN.items():
        n = pc.sum(pc.match_substring_regex(texts, written)).as_py()
        if n >= ENOUGH * len(texts):
            return notation
    return None


def parse_numbers(cells: Any, notation: str) -> Any:
    """Return the numbers in cells with this notation or in plain form; other cells become missing.

    >>> parse_numbers(pa.array(["1.234,5 €", "-2", "0.25", "x"]), "1.234,5").to_pylist()
    [1234.5, -2.0, 0.25, None]
    """
    kind = cells.type
    if not is_text(kind.value_type if pa.types.is_dictionary(kind) else kind):
        return cells
    texts = strings_in(cells)
    if notation == PLAIN:
        fits = pc.match_substring_regex(texts, _PLAIN)
        return pc.utf8_trim_whitespace(pc.if_else(fits, texts, None)).cast(pa.float64())
    fits = pc.match_substring_regex(texts, _WRITTEN[notation])
    plain = pc.replace_substring(texts, "\u2212", "-")
    plain = pc.replace_substring_regex(plain, r"[^0-9.+-]" if notation == POINT else r"[^0-9,+-]", "")
    plain = pc.replace_substring(plain, ",", ".")
    others = pc.if_else(pc.match_substring_regex(texts, _PLAIN), texts, pa.scalar(None, texts.type))
    return pc.if_else(fits, plain, pc.utf8_trim_whitespace(others)).cast(pa.float64())


def unread_cells(cells: Any, numbers: Any) -> NDArray[np.int64]:
    """Return the rows whose cells are neither numbers nor missing; `numbers` is from `parse_numbers`.

    >>> cells = pa.array(["1.5", "-", "x", None])
    >>> unread_cells(cells, parse_numbers(cells, PLAIN)).tolist()
    [2]
    """
    if cells.null_count == numbers.null_count:
        return np.empty(0, np.int64)
    is_unread = pc.and_(pc.is_valid(cells), pc.is_null(numbers)).to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(is_unread)
    words = cells.take(pa.array(rows)).to_pylist()
    is_gap = np.array([is_missing(str(word)) for word in words], bool)
    return rows[~is_gap]
