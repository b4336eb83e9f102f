"""Find the ends of rows in delimited text: line ends that are not within a quoted cell."""

from __future__ import annotations

import numpy as np

from rosenblatt.numeric.compiling import jit

QUOTE, NEWLINE, RETURN = np.uint8(ord('"')), np.uint8(ord("\n")), np.uint8(ord("\r"))


@jit
def ends_of_rows(text, least, one, other, at_end, longest, ends):
    """Write the positions after rows into `ends`, up to the first position at or beyond `least`.

    Return the number of positions and the last one, which is 0 if more text is needed to determine it. If
    `ends` has size 0, only the last position is returned.

    A quote at the start of a cell (after a line end or one of the delimiters `one` and `other`) opens the
    cell, and the next quote that is not doubled closes it. A cell that continues over a line end must be
    closed within `longest` bytes, by a quote followed by a delimiter or a line end; otherwise its first
    line is a malformed row. `at_end` states that nothing follows the text.
    """
    size = text.size
    at = n = 0
    while at < size:
        letter = text[at]
        begins = at == 0 or text[at - 1] == NEWLINE or text[at - 1] == one or text[at - 1] == other
        if letter == QUOTE and begins:
            line_end, closed = -1, -1
            behind = at + 1
            while behind < size and behind - at <= longest:
                if text[behind] == QUOTE:
                    if behind + 1 < size and text[behind + 1] == QUOTE:
                        behind += 1
                    else:
                        closed = behind
                        break
                elif text[behind] == NEWLINE and line_end < 0:
                    line_end = behind
                behind += 1
            if behind + (closed >= 0) >= size and behind - at <= longest and not at_end:
                return n, 0
            if closed >= 0 and line_end >= 0 and closed + 1 < size:
                after = text[closed + 1]
                if after != NEWLINE and after != RETURN and after != one and after != other:
                    closed = -1
            if closed >= 0:
                at = closed + 1
                continue
            if line_end < 0:
                return n, 0
            at = line_end
            letter = NEWLINE
        if letter == NEWLINE:
            if ends.size:
                ends[n] = at + 1
            n += 1
            if at + 1 >= least:
                return n, at + 1
        at += 1
    return n, 0
