"""Schemas of requests and responses, and the OpenAPI description generated from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from rosenblatt.version import __version__

JSON, NDJSON, ARROW = "application/json", "application/x-ndjson", "application/vnd.apache.arrow.stream"
LOG_FRAMES = "application/vnd.rosenblatt.log"
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
SHAPES = (OneQuestion, Questions, Example, Examples, RevealedLabel, RevealedLabels)
REPLIES = (Answered, Learned, Health, Error)


def describe_api() -> dict[str, Any]:
    """Return the OpenAPI description of the service."""
    references, components = msgspec.json.schema_components(
        (*SHAPES, *REPLIES), ref_template="#/components/schemas/{name}"
    )
    schema = dict(zip((*SHAPES, *REPLIES), references, strict=True))
    text: dict[str, Any] = {"type": "string"}
    count = {"type": "integer", "minimum": 0}

    def content(kind: str, of: dict[str, Any]) -> dict[str, Any]:
        return {kind: {"schema": of}}

    def post(summary: str, one: Any, many: Any, reply: Any, **more: Any) -> dict[str, Any]:
        lines = {"type": "string", "description": "One object per line."}
        table = {
            "type": "string",
            "format": "binary",
            "description": "Columns x (lists) or features, y, id.",
        }
        body = {
            **content(JSON, {"oneOf": [schema[one], schema[many]]}),
            **content(NDJSON, lines),
            **content(ARROW, table),
        }
        refusals = {
            str(code): {"description": why, "content": content(JSON, schema[Error])}
            for code, why in REFUSALS.items()
        }
        done = {"description": "Done.", "content": content(JSON, schema[reply])}
        return {
            "post": {
                "summary": summary,
                "requestBody": {"required": True, "content": body},
                "responses": {"200": done, **refusals},
                **more,
            }
        }

    def get(summary: str, kind: str, of: dict[str, Any], *parameters: str) -> dict[str, Any]:
        return {
            "get": {
                "summary": summary,
                "parameters": [{"name": name, "in": "query", "schema": count} for name in parameters],
                "responses": {"200": {"description": "The content.", "content": content(kind, of)}},
            }
        }

    key = {
        "name": "Idempotency-Key",
        "in": "header",
        "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_ID},
        "description": "A request with the same key and content is learned once; with other content it is "
        "refused.",
    }
    file = get("Scripts and styles of the page.", "text/javascript", text)
    file["get"]["parameters"] = [{"name": "name", "in": "path", "required": True, "schema": text}]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "rosenblatt serve",
            "version": __version__,
            "description": "A classifier that learns while it answers.",
        },
        "paths": {
            "/answer": post(
                "Answer examples, and remember them until their labels come.",
                OneQuestion,
                Questions,
                Answered,
            ),
            "/reveal": post(
                "Learn labels of examples that were answered before.",
                RevealedLabel,
                RevealedLabels,
                Learned,
            ),
            "/learn": post(
                "Learn from labelled examples, in order.", Example, Examples, Learned, parameters=[key]
            ),
            "/model": get("The current model file.", "application/octet-stream", text),
            "/log": get("The learned examples.", NDJSON, text, "from", "limit", "wait"),
            "/health": get("Status, and number of learned examples.", JSON, schema[Health]),
            "/metrics": get("Counters for Prometheus.", "text/plain", text),
            "/state": get("The content of the status page.", JSON, {"type": "object"}),
            "/openapi.json": get("This description.", JSON, {"type": "object"}),
            "/": get("The status page.", "text/html", text),
            "/page/{name}": file,
        },
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }
