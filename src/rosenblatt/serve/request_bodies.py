"""Parse request bodies (JSON, JSON lines or Arrow) into examples, labels and ids."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from rosenblatt.data.sources.json_objects import distinct_pairs
from rosenblatt.errors import BadInput
from rosenblatt.serve.http_schema import ARROW, JSON, LONGEST_ID, MOST_EXAMPLES, NDJSON, POSTS, Post
from rosenblatt.serve.jobs import Refusal

LARGEST_BODY = 16_000_000  # bytes
MOST_PARTS = 1_000_000  # lists and objects in one request
LARGEST_NUMBER = 1e100  # sums of products of such numbers do not overflow


class Parts(NamedTuple):
    """The content of a request; None for parts that it does not contain."""

    examples: Sequence[Any] | None
    labels: list[Any] | None
    ids: list[str | None] | None
    remembers: bool = True


class Shape:
    """The format of the request bodies of one path, according to its description."""

    def __init__(self, post: Post) -> None:
        self._one, self._many = msgspec.json.Decoder(post.one), msgspec.json.Decoder(post.many)
        self.decode_line = msgspec.json.Decoder(post.line).decode
        self.fields, self.advice = post.line.__struct_fields__, post.advice

    def decode(self, body: bytes) -> Any:
        """Parse a JSON body that contains one example, or several under `examples`."""
        try:
            return self._one.decode(body)
        except msgspec.ValidationError:
            if b'"examples"' not in body:
                raise
        return self._many.decode(body)

    def count_names(self, found: Any) -> int:
        """Return a lower bound on the number of JSON object keys in a body.

        Optional keys are not counted unless their values show that they are present.
        """
        n, examples = (1, found.examples) if hasattr(found, "examples") else (0, [found])
        n += not getattr(found, "remember", True)
        n += sum(("x" in self.fields) + ("y" in self.fields) + (each.id is not None) for each in examples)
        return n + sum(len(each.x) for each in examples if "x" in self.fields and isinstance(each.x, dict))


SHAPES = {path: Shape(post) for path, post in POSTS.items()}


def parse_body(body: bytes, kind: str, path: str) -> Parts:
    """Parse a body of the given content type; `path` is /answer, /reveal or /learn."""
    shape = SHAPES[path]
    if kind == JSON:
        found = _decode(body, shape, shape.decode, "the body")
        return _collect(getattr(found, "examples", [found]), shape, getattr(found, "remember", True))
    if kind == NDJSON:
        lines = enumerate((line for line in body.split(b"\n") if line.strip()), 1)
        return _collect([_decode(line, shape, shape.decode_line, f"line {k}") for k, line in lines], shape)
    return _read_arrow(body, shape)


def check_kind(kind: str) -> None:
    """Raise `Refusal` unless the content type is supported."""
    if kind not in (JSON, NDJSON, ARROW):
        raise Refusal(415, f"content-type: got {kind[:80]!r}, expected {JSON}, {NDJSON} or {ARROW}")


def _decode(text: bytes, shape: Shape, decode: Callable[[bytes], Any], where: str) -> Any:
    if len(text) > MOST_PARTS and text.count(b"[") + text.count(b"{") > MOST_PARTS:
        # each takes about a hundred bytes once it is parsed
        raise Refusal(413, f"{where} has over {MOST_PARTS:,} lists and objects; send it in parts")
    try:
        found = decode(text)
        # each key has a colon: a different count means a repeated key, or a colon in a string
        if text.count(b":") != shape.count_names(found):
            json.loads(text, object_pairs_hook=distinct_pairs)
        return found
    except BadInput as error:
        raise Refusal(422, f"{where}: {error}") from error
    except msgspec.ValidationError as error:
        raise Refusal(422, f"{where}: {error}; {shape.advice}") from error
    except RecursionError as error:
        raise Refusal(
            400, f"{where}: lists and objects are nested too deep; give plain examples"
        ) from error
    except ValueError as error:  # including invalid UTF-8
        raise Refusal(400, f"{where} cannot be read as JSON ({error!s:.100})") from error


def _collect(examples: list[Any], shape: Shape, remembers: bool = True) -> Parts:
    check_number(len(examples))
    xs = [each.x for each in examples] if "x" in shape.fields else None
    labels = [each.y for each in examples] if "y" in shape.fields else None
    ids = [each.id for each in examples]
    if xs is not None:
        check_values(xs)
    return Parts(xs, labels, ids if any(ids) else None, remembers)


def _read_arrow(body: bytes, shape: Shape) -> Parts:
    from rosenblatt.serve.arrow_bodies import read_columns

    examples, labels, ids = read_columns(body)
    lacks_ids = "x" not in shape.fields and (ids is None or None in ids)
    if (
        (examples is None) == ("x" in shape.fields)
        or (labels is None) == ("y" in shape.fields)
        or lacks_ids
    ):
        raise Refusal(422, shape.advice)
    for name in ids or ():
        if name is not None and not (isinstance(name, str) and 0 < len(name) <= LONGEST_ID):
            raise Refusal(422, f"id: expected a text of up to {LONGEST_ID} letters, got {name!r:.60}")
    if isinstance(examples, list):
        check_values(examples)
    return Parts(examples, labels, ids)


def check_number(n: int) -> None:
    if not 0 < n <= MOST_EXAMPLES:
        raise Refusal(
            413 if n else 422, f"the request has {n:,} examples; give 1 to {MOST_EXAMPLES:,} at a time"
        )


def check_values(examples: list[Any]) -> None:
    """Raise `Refusal` for numbers that are too large and for examples of an unsupported type."""
    for place, x in enumerate(examples):
        if isinstance(x, str):
            continue
        if not isinstance(x, (dict, list)):
            raise Refusal(
                422, f"x of example {place}: expected {{name: value}}, a list or a text, got {x!r:.60}"
            )
        numbers: Any = x.values() if isinstance(x, dict) else x
        try:
            is_large = numbers and (
                not -LARGEST_NUMBER <= min(numbers) <= max(numbers) <= LARGEST_NUMBER
                or math.isnan(sum(numbers))  # NaN after another number is neither the least nor the largest
            )
        except TypeError:  # some are strings: the model decides whether to accept them
            is_large = any(
                isinstance(each, (int, float)) and not abs(each) <= LARGEST_NUMBER for each in numbers
            )
        if is_large:
            raise Refusal(
                422,
                f"x of example {place}: a number that is not finite, or beyond ±{LARGEST_NUMBER:g}; divide "
                "the features by their largest value first",
            )
