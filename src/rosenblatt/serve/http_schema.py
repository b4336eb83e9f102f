"""Schemas of requests and responses, and the OpenAPI description generated from them."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from rosenblatt.version import __version__

JSON, NDJSON, ARROW = "application/json", "application/x-ndjson", "application/vnd.apache.arrow.stream"
LOG_FRAMES, MODEL_FILE = "application/vnd.rosenblatt.log", "application/octet-stream"
MOST_EXAMPLES = 10_000  # in one request
LONGEST_ID = 200  # characters
LONGEST_NAME = 4_000

Id = Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)]
Name = Annotated[str, Meta(max_length=LONGEST_NAME)]
Features = Annotated[
    dict[Name, Any] | list[Any] | str,
    Meta(
        description="Features: {name: value}, where a value is a number, a text (a category) or a list of "
        "words; or a list of numbers; or a text, split into words. Models that were fitted from a table "
        "take {column: value}; those from Vowpal Wabbit text, its lines."
    ),
]
Label = str | Annotated[int, Meta(ge=-(1 << 63), le=(1 << 63) - 1)] | float | bool
LIMITS = Meta(extra_json_schema={"minItems": 1, "maxItems": MOST_EXAMPLES})


class Question(Struct, forbid_unknown_fields=True):
    """An example without a label."""

    x: Features
    id: Id | None = None


class Example(Struct, forbid_unknown_fields=True):
    """An example with a label."""

    x: Features
    y: Label
    id: Id | None = None


class RevealedLabel(Struct, forbid_unknown_fields=True):
    """The label of an example that was answered before."""

    id: Id
    y: Label


class OneQuestion(Question, forbid_unknown_fields=True):
    """A request body of /answer: one example."""

    remember: bool = True


class Questions(Struct, forbid_unknown_fields=True):
    """A request body of /answer: several examples."""

    examples: Annotated[list[Question], LIMITS]
    remember: bool = True


class Examples(Struct, forbid_unknown_fields=True):
    """A request body of /learn: several examples."""

    examples: Annotated[list[Example], LIMITS]


class RevealedLabels(Struct, forbid_unknown_fields=True):
    """A request body of /reveal: several labels."""

    examples: Annotated[list[RevealedLabel], LIMITS]


class Answered(Struct):
    """Answers, in the order of the examples."""

    answers: list[Label | None]
    scores: Annotated[list[Any], Meta(description="A number for two classes, a list for more.")]
    learned: int
    ids: (
        Annotated[list[Id | None], Meta(description="The ids by which labels are revealed.")] | UnsetType
    ) = UNSET
    classes: list[Label] | UnsetType = UNSET


class Learned(Struct):
    """The result of a request to learn: numbers of examples and of mistakes, and the position reached."""

    learned: Annotated[
        int, Meta(description="Examples learned by this request, on the disk and in the weights.")
    ]
    repeated: Annotated[
        int, Meta(description="Examples that had been learned before, with the same id or key.")
    ]
    mistakes: Annotated[int, Meta(description="Wrong answers; for /reveal, as they were given.")]
    wrong: Annotated[
        list[int], Meta(description="Indices of the wrong answers among the examples learned now.")
    ]
    position: Annotated[int, Meta(description="Position of the last example in the log.")]
    not_learned: (
        Annotated[int, Meta(description="Examples skipped because the weights would overflow.")] | UnsetType
    ) = UNSET


class Health(Struct):
    """The status of a service."""

    status: Literal["ok", "failed"]
    role: Literal["leader", "follower"]
    learned: Annotated[int, Meta(description="Examples in the weights.")]
    position: Annotated[int, Meta(description="Examples in the log.")]
    waiting: Annotated[int, Meta(description="Examples in the queue.")]
    not_learned: int
    trouble: str | None
    behind: Annotated[int, Meta(description="Examples behind the leader.")] | UnsetType = UNSET


class Error(Struct):
    """A message that states what is wrong and what to do."""

    error: str


REFUSALS = {
    400: "The body cannot be read.",
    401: "The token is missing or wrong.",
    403: "Host or Origin is not allowed, or the service is a follower.",
    404: "No example with that id waits for its label.",
    408: "The body came too slowly.",
    409: "The id or key was used with other content.",
    413: "The body is too large.",
    422: "The model does not accept the examples.",
    429: "Too many requests.",
    500: "The log is damaged, or the service failed.",
    503: "Too many examples wait; retry after the time in Retry-After.",
    507: "The log cannot be written.",
}


class Post(NamedTuple):
    """A path that takes examples, with the types of its bodies and of its response.

    advice: the end of error messages about the body.
    """

    summary: str
    one: Any
    many: Any
    line: Any
    reply: Any
    advice: str


POSTS = {
    "/answer": Post(
        "Predict examples, and remember them until their labels arrive.",
        OneQuestion, Questions, Question, Answered,
        "answer: expected x and no y; send labels to /reveal, or with x to /learn",
    ),
    "/reveal": Post(
        "Learn labels of examples that were answered before.",
        RevealedLabel, RevealedLabels, RevealedLabel, Learned,
        "reveal: expected id and y of each example, and no x",
    ),
    "/learn": Post(
        "Learn from labelled examples, in order.",
        Example, Examples, Example, Learned,
        "learn: expected x and y of each example",
    ),
}  # fmt: skip
TEXT = {"type": "string"}
# path: summary, content type, schema of the content, and names of whole numbers in the query
GETS: dict[str, tuple[str, str, Any, tuple[str, ...]]] = {
    "/model": ("The current model file.", MODEL_FILE, TEXT, ()),
    "/log": ("The learned examples.", NDJSON, TEXT, ("from", "limit", "wait")),
    "/health": ("Status, and number of learned examples.", JSON, Health, ()),
    "/metrics": ("Counters for Prometheus.", "text/plain", TEXT, ()),
    "/state": ("The content of the status page.", JSON, {"type": "object"}, ()),
    "/openapi.json": ("This description.", JSON, {"type": "object"}, ()),
    "/": ("The status page.", "text/html", TEXT, ()),
    "/page/{name}": ("Scripts and styles of the page.", "text/javascript", TEXT, ()),
}
KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_ID},
    "description": "A request with the same key and content is learned once; with other content it is "
    "refused.",
}
LINES = {"type": "string", "description": "One object per line."}
TABLE = {"type": "string", "format": "binary", "description": "Columns x (lists) or features, y, id."}


@cache
def describe_api() -> dict[str, Any]:
    """Return the OpenAPI description of the service."""
    bodies = [shape for post in POSTS.values() for shape in (post.one, post.many)]
    shapes = (*bodies, Answered, Learned, Health, Error)
    references, components = msgspec.json.schema_components(
        shapes, ref_template="#/components/schemas/{name}"
    )
    schema = dict(zip(shapes, references, strict=True))

    def content(kind: str, of: Any) -> dict[str, Any]:
        return {"content": {kind: {"schema": of if isinstance(of, dict) else schema[of]}}}

    refusals = {str(code): {"description": why, **content(JSON, Error)} for code, why in REFUSALS.items()}
    paths: dict[str, Any] = {}
    for path, post in POSTS.items():
        one_or_many = {"oneOf": [schema[post.one], schema[post.many]]}
        kinds = {JSON: one_or_many, NDJSON: LINES, ARROW: TABLE}
        body = {kind: {"schema": of} for kind, of in kinds.items()}
        responses = {"200": {"description": "Done.", **content(JSON, post.reply)}, **refusals}
        paths[path] = {
            "post": {
                "summary": post.summary,
                "requestBody": {"required": True, "content": body},
                "responses": responses,
                **({"parameters": [KEY]} if path == "/learn" else {}),
            }
        }
    count = {"type": "integer", "minimum": 0}
    for path, (summary, kind, of, names) in GETS.items():
        parameters: list[Any] = [{"name": name, "in": "query", "schema": count} for name in names]
        if "{name}" in path:
            parameters = [{"name": "name", "in": "path", "required": True, "schema": TEXT}]
        responses = {"200": {"description": "The content.", **content(kind, of)}}
        paths[path] = {"get": {"summary": summary, "parameters": parameters, "responses": responses}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "rosenblatt serve",
            "version": __version__,
            "description": "A classifier that predicts and learns at the same time.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }
