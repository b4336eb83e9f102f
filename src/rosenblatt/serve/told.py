"""The log as others read it: a line of JSON for each example, or the entries as they are, for followers."""

from __future__ import annotations

import json
from itertools import pairwise
from struct import Struct
from typing import Any, NamedTuple

from rosenblatt.arithmetic.examples import Dense
from rosenblatt.errors import BadInput
from rosenblatt.serve.entries import joined
from rosenblatt.serve.log import Entry, Log

SIZES = Struct("<II")  # of the head and of the body of a frame
MOST_BYTES = 8_000_000  # of one answer


def as_lines(log: Log, first: int, last: int) -> bytes:
    """A line for each example from `first` to `last`: position, time, x, y, and what else is known."""
    lines: list[str] = []
    size = 0
    for entry in log.entries(first, last) if last >= first else ():
        for line in lines_of(entry, log):
            if first <= line["position"] <= last:
                lines.append(json.dumps(line, separators=(",", ":")) + "\n")
                size += len(lines[-1])
        if size > MOST_BYTES:
            break
    return "".join(lines).encode()


def lines_of(entry: Entry, log: Log) -> list[dict[str, Any]]:
    """The examples of an entry, as JSON tells them."""
    lesson, notes = joined([entry.body], entry.n_names or 1), entry.told()
    rows = lesson.rows
    ids, answers = (notes.get(name) or [None] * entry.n for name in ("ids", "answers"))
    if isinstance(rows, Dense):
        xs: list[Any] = rows.values.tolist()
    else:
        names = log.names
        labelled = [names[j] if entry.n_names else str(j) for j in rows.indices.tolist()]
        values, starts = rows.values.tolist(), rows.starts.tolist()
        xs = [dict(zip(labelled[a:b], values[a:b], strict=True)) for a, b in pairwise(starts)]
    lines = []
    for place, (x, number) in enumerate(zip(xs, lesson.labels.tolist(), strict=True)):
        line = {"position": entry.position + place, "at": entry.at, "x": x, "y": log.labels[number]}
        if ids[place] is not None:
            line["id"] = ids[place]
        if answers[place] is not None:
            line["answer"] = answers[place][0]
        lines.append(line)
    return lines


def as_frames(log: Log, first: int, last: int) -> bytes:
    """Whole entries, each with a head in JSON: what it is, and names and labels that a reader may lack."""
    frames: list[bytes] = []
    size, n_names = 0, None
    for entry in log.entries(first, last) if last >= first else ():
        told: dict[str, Any] = entry._asdict()
        del told["body"], told["digest"]
        if n_names is None:  # the reader says which it has by where it reads from
            n_names = told["names_from"] = _names_before(log, entry)
        told["names"] = log.names[n_names : entry.n_names]
        told["labels"] = log.labels if not frames else None
        n_names = entry.n_names
        head = json.dumps(told).encode()
        frames += [SIZES.pack(len(head), len(entry.body)), head, entry.body]
        size += len(head) + len(entry.body)
        if size > MOST_BYTES:
            break
    return b"".join(frames)


def _names_before(log: Log, entry: Entry) -> int:
    found = log.entry_before(entry.position)
    return int(log.fact("cut_names") or 0) if found is None else found.n_names


class Frame(NamedTuple):
    entry: Entry
    names_from: int
    names: list[str]
    labels: list[Any] | None


def frames_in(content: bytes) -> list[Frame]:
    """The entries that `as_frames` told."""
    frames, place = [], 0
    try:
        while place < len(content):
            n_head, n_body = SIZES.unpack_from(content, place)
            place += SIZES.size
            head = json.loads(content[place : place + n_head])
            body = content[place + n_head : place + n_head + n_body]
            place += n_head + n_body
            entry = Entry(
                head["position"], head["n"], head["at"], head["n_names"], body, head["notes"], b""
            )
            frames.append(Frame(entry, head.get("names_from", -1), head["names"], head["labels"]))
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"the leader's log cannot be read ({error!r}); is it of this version?") from error
    return frames
