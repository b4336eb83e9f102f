"""Bodies of requests as examples: JSON, lines of JSON, Arrow. What is wrong is a status and a sentence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from rosenblatt.data.sources.json_objects import distinct_pairs
from rosenblatt.errors import BadInput
from rosenblatt.serve.plain_json import loaded
from rosenblatt.serve.work import Refused

JSON, NDJSON, ARROW = "application/json", "application/x-ndjson", "application/vnd.apache.arrow.stream"
LARGEST_BODY = 16_000_000  # bytes
MOST_EXAMPLES = 10_000  # of one request
MOST_PARTS = 1_000_000  # lists and objects of one request
LONGEST_ID = 200  # letters
LONGEST_NAME = 4_000
LARGEST_NUMBER = 1e100  # sums of products of such numbers are far from overflowing


class Parts(NamedTuple):
    """What a request has: examples, their labels, their ids; None where it has none of them."""

    examples: Sequence[Any] | None
    labels: list[Any] | None
    ids: list[str | None] | None
    remembers: bool = True


def parsed(body: bytes, kind: str) -> Parts:
    """The parts of a body of some content type."""
    if kind == JSON:
        return _from_json(body)
    if kind == NDJSON:
        lines = [line for line in body.split(b"\n") if line.strip()]
        return _listed([_loaded(line, f"line {k}") for k, line in enumerate(lines, 1)])
    if kind == ARROW:
        return _from_arrow(body)
    raise Refused(415, f"content-type: got {kind[:80]!r}, expected {JSON}, {NDJSON} or {ARROW}")


def _from_arrow(body: bytes) -> Parts:
    from rosenblatt.serve.arrow_bodies import columns_in

    examples, labels, ids = columns_in(body)
    if isinstance(examples, list):
        refuse_wild(examples)
    return Parts(examples, labels, checked_ids(ids))


# ---------------------------------------------------------------- JSON


def _loaded(text: bytes, where: str = "the body") -> Any:
    if len(text) > MOST_PARTS and text.count(b"[") + text.count(b"{") > MOST_PARTS:
        # each takes fifty times its two letters when it has been parsed
        raise Refused(413, f"{where} has over {MOST_PARTS:,} lists and objects; send it in parts")
    try:
        found = loaded(text)
        # each pair has a colon; texts may have more of them, and a name that comes twice leaves fewer pairs
        if text.count(b":") != _count_pairs(found):
            json.loads(text, object_pairs_hook=distinct_pairs)
        return found
    except BadInput as error:
        raise Refused(422, f"{where}: {error}") from error
    except json.JSONDecodeError as error:
        raise Refused(400, f"{where} is not JSON: {error}") from error
    except RecursionError as error:
        raise Refused(
            400, f"{where}: lists and objects are nested too deep; give plain examples"
        ) from error
    except ValueError as error:  # no UTF-8, or a number of thousands of digits
        raise Refused(400, f"{where} cannot be read as JSON ({error!s:.100})") from error


def _count_pairs(found: Any) -> int:
    """Return the number of names and values in a usual body, at most their number in any other."""
    if not isinstance(found, dict):
        return 0
    examples = found.get("examples", found)
    examples = [found] if examples is found else examples
    if not isinstance(examples, list) or not all(isinstance(each, dict) for each in examples):
        return 0
    xs = [each["x"] for each in examples if isinstance(each.get("x"), dict)]
    return sum(map(len, examples)) + sum(map(len, xs)) + (len(found) if "examples" in found else 0)


def _from_json(body: bytes) -> Parts:
    told = _loaded(body)
    if not isinstance(told, dict):
        raise Refused(422, 'the body must be an object: {"x": …} or {"examples": [{"x": …}, …]}')
    remembers = told.pop("remember", True)
    if not isinstance(remembers, bool):
        raise Refused(422, "remember: expected true or false")
    if "examples" not in told:
        return _listed([told])._replace(remembers=remembers)
    if not isinstance(told["examples"], list) or len(told) > 1:
        raise Refused(422, 'examples: expected {"examples": [{"x": …}, …]} and nothing beside it')
    return _listed(told["examples"])._replace(remembers=remembers)


def _listed(told: list[Any]) -> Parts:
    refuse_number(len(told))
    for place, each in enumerate(told):
        if not isinstance(each, dict) or not each or not each.keys() <= {"x", "y", "id"}:
            raise Refused(422, f"example {place}: expected an object with x, y, id, got {each!r:.80}")
    parts: dict[str, list[Any] | None] = {}
    for name in ("x", "y", "id"):
        n = sum(name in each for each in told)
        if n not in (0, len(told)) and name != "id":
            raise Refused(422, f"{name}: {n} of {len(told)} examples have it; give it to all of them")
        parts[name] = [each.get(name) for each in told] if n else None
    labels = parts["y"]
    for place, label in enumerate(labels or ()):
        if not isinstance(label, (str, int, float)) or (isinstance(label, int) and abs(label) >= 1 << 63):
            raise Refused(422, f"y of example {place}: expected a text or a number, got {label!r:.60}")
    if parts["x"] is not None:
        refuse_wild(parts["x"])
    return Parts(parts["x"], labels, checked_ids(parts["id"]))


def refuse_number(n: int) -> None:
    if not 0 < n <= MOST_EXAMPLES:
        raise Refused(
            413 if n else 422, f"the request has {n:,} examples; give 1 to {MOST_EXAMPLES:,} at a time"
        )


def checked_ids(ids: list[Any] | None) -> list[str | None] | None:
    for name in ids or ():
        if name is not None and not (isinstance(name, str) and 0 < len(name) <= LONGEST_ID):
            raise Refused(422, f"id: expected a text of up to {LONGEST_ID} letters, got {name!r:.60}")
    return ids


def refuse_wild(examples: list[Any]) -> None:
    for place, x in enumerate(examples):
        if isinstance(x, dict):
            numbers: Any = x.values()
            if x and len(max(x, key=len)) > LONGEST_NAME:
                raise Refused(422, f"x of example {place}: a name has over {LONGEST_NAME:,} letters")
        elif isinstance(x, list):
            numbers = x
        elif isinstance(x, str):
            continue
        else:
            raise Refused(
                422, f"x of example {place}: expected {{name: value}}, a list or a text, got {x!r:.60}"
            )
        try:
            if numbers and not -LARGEST_NUMBER <= min(numbers) <= max(numbers) <= LARGEST_NUMBER:
                raise Refused(
                    422, f"x of example {place}: a number beyond ±{LARGEST_NUMBER:g}; divide the features "
                    "by their largest value first"
                )  # fmt: skip
        except TypeError:  # texts among them: the model says whether it takes them
            for number in numbers:
                if isinstance(number, (int, float)) and not abs(number) <= LARGEST_NUMBER:
                    raise Refused(
                        422, f"x of example {place}: a number beyond ±{LARGEST_NUMBER:g}"
                    ) from None
