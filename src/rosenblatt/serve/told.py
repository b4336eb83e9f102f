"""The log as others read it: a line of JSON for each example, or the entries as they are, for followers."""

from __future__ import annotations

import json
import struct
from itertools import pairwise
from typing import Any, NamedTuple

from rosenblatt.arithmetic.examples import Dense
from rosenblatt.errors import BadInput
from rosenblatt.serve.entries import joined
from rosenblatt.serve.log import Entry, Log, Mark

SIZES = struct.Struct("<II")  # of the head and of the body of a frame
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
    lesson, notes = joined([entry.body], entry.n_names or 1), entry.parsed_notes()
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
    size, before = 0, None
    for entry in log.entries(first, last) if last >= first else ():
        told: dict[str, Any] = entry._asdict()
        del told["body"]
        if before is None:
            before = log.mark_before(entry.position)
        told["before"] = before
        told["names"] = log.names[before.n_names : entry.n_names]
        # a reader that begins here lacks the labels of earlier entries
        told["labels"] = log.labels[before.n_labels if frames else 0 : entry.n_labels]
        before = entry.mark
        head = json.dumps(told).encode()
        frames += [SIZES.pack(len(head), len(entry.body)), head, entry.body]
        size += len(head) + len(entry.body)
        if size > MOST_BYTES:
            break
    return b"".join(frames)


class Frame(NamedTuple):
    """An entry, the place before it, and the names and labels that end with its own."""

    entry: Entry
    before: Mark
    names: list[str]
    labels: list[Any]


def frames_in(content: bytes) -> list[Frame]:
    """Parse the entries that `as_frames` wrote."""
    frames, place = [], 0
    try:
        while place < len(content):
            n_head, n_body = SIZES.unpack_from(content, place)
            place += SIZES.size
            head = json.loads(content[place : place + n_head])
            body = content[place + n_head : place + n_head + n_body]
            place += n_head + n_body
            parts = {name: head[name] for name in Entry._fields if name != "body"}
            entry = Entry(body=body, **parts)
            frames.append(Frame(entry, Mark(*head["before"]), head["names"], head["labels"]))
    except (KeyError, TypeError, ValueError, struct.error) as error:
        raise BadInput(f"the leader's log cannot be read ({error!r}); is it of this version?") from error
    return frames
