"""Export the log: one line of JSON per example, or whole entries for followers."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Dense
from rosenblatt.serve.example_bytes import unpack
from rosenblatt.serve.log import Log
from rosenblatt.serve.log_records import Entry, Mark

MOST_BYTES = 8_000_000  # per response


def as_lines(log: Log, first: int, last: int) -> bytes:
    """Return a JSON line for each example from `first` to `last`.

    A line contains the position, time, x and y, and the id and answer if the example has them.
    """
    lines: list[str] = []
    size = 0
    for entry in log.entries(first, last) if last >= first else ():
        for line in _lines_of(entry, log):
            if first <= line["position"] <= last:
                lines.append(json.dumps(line, separators=(",", ":")) + "\n")
                size += len(lines[-1])
        if size > MOST_BYTES:
            break
    return "".join(lines).encode()


def _lines_of(entry: Entry, log: Log) -> list[dict[str, Any]]:
    """Return the examples of an entry as JSON objects."""
    (rows, labels), notes = unpack([entry.body], entry.n_names or 1), entry.parse_notes()
    ids, answers = (notes.get(name) or [None] * entry.n for name in ("ids", "answers"))
    if isinstance(rows, Dense):
        xs: list[Any] = rows.values.tolist()
    else:
        names = log.names
        feature_names = [names[j] if entry.n_names else str(j) for j in rows.indices.tolist()]
        values, starts = rows.values.tolist(), rows.starts.tolist()
        xs = [dict(zip(feature_names[a:b], values[a:b], strict=True)) for a, b in pairwise(starts)]
    lines = []
    for place, (x, number) in enumerate(zip(xs, labels.tolist(), strict=True)):
        line = {"position": entry.position + place, "at": entry.at, "x": x, "y": log.labels[number]}
        if ids[place] is not None:
            line["id"] = ids[place]
        if answers[place] is not None:
            line["answer"] = answers[place][0]
        lines.append(line)
    return lines


class Frame(NamedTuple):
    """An entry for a follower, the mark before it, and names and labels that the follower may lack."""

    entry: Entry
    before: Mark
    names: list[str]
    labels: list[str | int | float | bool]


_decoder = msgspec.msgpack.Decoder(list[Frame])


def as_frames(log: Log, first: int, last: int) -> bytes:
    """Return whole entries for a follower, encoded as MessagePack."""
    frames: list[Frame] = []
    size, before = 0, None
    for entry in log.entries(first, last) if last >= first else ():
        if before is None:
            before = log.mark_before(entry.position)
        # a follower that starts here lacks the labels of earlier entries
        labels = log.labels[before.n_labels if frames else 0 : entry.n_labels]
        frames.append(Frame(entry, before, log.names[before.n_names : entry.n_names], labels))
        before, size = entry.mark, size + len(entry.body)
        if size > MOST_BYTES:
            break
    return msgspec.msgpack.encode(frames)


def parse_frames(content: bytes) -> list[Frame]:
    """Parse entries written by `as_frames`."""
    try:
        return _decoder.decode(content)
    except msgspec.DecodeError as error:
        raise BadInput(
            f"the leader's log cannot be read ({error}); is it the same version of rosenblatt?"
        ) from error
