"""Texts whose words are coloured by their contributions to a prediction: for terminals and for HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from rosenblatt.data.sources.encoding import Encoding
from rosenblatt.data.sources.hashing import hashes_of
from rosenblatt.data.sources.text_cells import END, START

FAINTEST = 0.02
"""The part of the largest contribution up to which a word has no colour."""

Segments = list[tuple[str, float]]
"""Parts of a text with their contributions; joined, they are the text."""

Span = tuple[str, int, int]
"""A token as it is hashed, with its begin and its end in the text."""


def coloured_words(
    text: str, spans: Sequence[Span], contributions: Mapping[int, float], place_of: Any
) -> Segments:
    """Return the words of a text and the parts between them, in order, with their contributions.

    `spans` holds the tokens of the text, `contributions` the contribution of each feature of the row, and
    place_of(hashes) the features of tokens with these hashes. The contribution of an n-gram is divided
    equally among its occurrences and then among its letters, so that the sum over all parts is the
    contribution of the text.
    """
    adds = np.zeros(len(text) + 1)
    if spans:
        places = place_of(hashes_of([token for token, _, _ in spans])).tolist()
        times: dict[int, int] = {}
        for place in places:
            times[place] = times.get(place, 0) + 1
        for place, (_, begin, end) in zip(places, spans, strict=True):
            if contribution := contributions.get(place, 0.0):
                letters = [at for at in range(begin, end) if not text[at].isspace()] or [
                    min(begin, len(text))
                ]
                adds[letters] += contribution / times[place] / len(letters)
    parts: Segments = []
    for match in re.finditer(r"\w+|\W+", text):
        parts.append((match.group(), float(adds[match.start() : match.end()].sum())))
    return parts


def spans_of(text: str, column: str, encoding: Encoding) -> list[Span]:
    """Return each token of a text, as it is hashed, with its begin and its end in the text."""
    folded = text.lower() if encoding.lower else text
    if len(folded) != len(text):  # some letters have two in lower case
        folded = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
    words = [match.span() for match in re.finditer(rf"\w{{{encoding.shortest},}}", folded)]
    found = []
    for size in range(1, encoding.ngrams + 1):
        for first in range(len(words) - size + 1):
            run = words[first : first + size]
            token = " ".join(folded[begin:end] for begin, end in run)
            found.append((f"{column}={token}", run[0][0], run[-1][1]))
    fewest, most = encoding.characters or (1, 0)
    letters = [(START, 0)]
    for at, letter in enumerate(folded):
        if letter > " ":
            letters.append((letter, at))
        elif letters[-1][0] not in (" ", START):
            letters.append((" ", at))
    if letters[-1][0] == " ":
        letters.pop()
    letters.append((END, max(0, len(text) - 1)))
    for n in range(fewest, most + 1):
        for at in range(len(letters) - n + 1):
            run_of_letters = letters[at : at + n]
            token = "".join(letter for letter, _ in run_of_letters)
            found.append((f"{column}~{token}", run_of_letters[0][1], run_of_letters[-1][1] + 1))
    return found


def shaded(parts: Segments) -> Iterator[tuple[str, float, float]]:
    """Yield the parts of a text with their contributions and the strengths of their colours, from 0 to 1.

    >>> list(shaded([("free", -2.0), (" ", -2.0), ("money", 0.5), ("now", 0.01)]))
    [('free', -2.0, 1.0), (' ', -2.0, 0.0), ('money', 0.5, 0.25), ('now', 0.01, 0.0)]
    """
    largest = max((abs(value) for _, value in parts), default=0.0) or 1.0
    for text, value in parts:
        shade = abs(value) / largest if text.strip() else 0.0
        yield text, value, shade if shade > FAINTEST else 0.0


def for_terminal(parts: Segments) -> str:
    """Return a text with green words for the predicted class, and red words against it."""
    import click

    return "".join(
        click.style(text, fg="green" if value > 0.0 else "red", bold=shade > 0.5) if shade > 0.1 else text
        for text, value, shade in shaded(parts)
    )


def for_html(parts: Segments) -> str:
    """Return a text as HTML; the shade of a word shows its contribution, and its title the number.

    Words against the predicted class are also underlined, so that colour is not the only difference.

    >>> for_html([("free", 2.0), (" & ", 0.0), ("hello", -1.0)])  # doctest: +ELLIPSIS
    '<span title="+2" style="background:rgba(0,150,80,0.60)">free</span> &amp; <span title="-1" style=...
    """
    pieces = []
    for text, value, shade in shaded(parts):
        if not shade:
            pieces.append(escape(text))
            continue
        colour = "0,150,80" if value > 0.0 else "200,60,40"
        more = "" if value > 0.0 else ";text-decoration:underline dotted"
        style = f"background:rgba({colour},{0.6 * shade:.2f}){more}"
        pieces.append(f'<span title="{value:+.3g}" style="{style}">{escape(text)}</span>')
    return "".join(pieces)


def excerpt(parts: Segments, most: int) -> Segments:
    """Return the part of a long text with the most coloured words: at most about `most` letters."""
    if sum(len(text) for text, _ in parts) <= most:
        return parts
    sizes = np.array([len(text) for text, _ in parts])
    ends, weight = np.cumsum(sizes), np.append(0.0, np.cumsum([abs(value) for _, value in parts]))
    last = np.searchsorted(ends, ends - sizes + most, side="right")
    first = int(np.argmax(weight[last] - weight[: len(parts)]))
    found = parts[first : max(first + 1, int(last[first]))]
    return [("… ", 0.0)] * (first > 0) + found + [(" …", 0.0)] * (first + len(found) < len(parts))


def as_lists(parts: Segments) -> Sequence[Any]:
    """Return the parts for JSON."""
    return [[text, value] for text, value in parts]
