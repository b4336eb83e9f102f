"""GET /openapi.json: the OpenAPI description of the service."""

from __future__ import annotations

from typing import Any

from rosenblatt.serve import protocol
from rosenblatt.version import __version__

X = {
    "description": "Features: {name: value}, where a value is a number, a text (a category) or a list of "
    "words; or a list of numbers; or a text, split into words. Models that were fitted from a table take "
    "{column: value}; those from Vowpal Wabbit text, its lines.",
    "oneOf": [{"type": "object"}, {"type": "array", "items": {"type": "number"}}, {"type": "string"}],
}
Y = {"oneOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}
ID = {"type": "string", "minLength": 1, "maxLength": protocol.LONGEST_ID}


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties}


def _one_or_many(one: dict[str, Any], **beside: Any) -> dict[str, Any]:
    many = {"type": "array", "items": one, "minItems": 1, "maxItems": protocol.MOST_EXAMPLES}
    return {"oneOf": [{**one, "properties": {**one["properties"], **beside}},
                      _object(["examples"], examples=many, **beside)]}  # fmt: skip


QUESTION = _object(["x"], x=X, id=ID)
EXAMPLE = _object(["x", "y"], x=X, y=Y, id=ID)
LABEL = _object(["id", "y"], id=ID, y=Y)
WHOLE = {"type": "integer", "minimum": 0}
ANSWERS = _object(
    ["answers", "scores", "learned"],
    answers={"type": "array", "items": {**Y, "nullable": True}},
    scores={"type": "array", "description": "A number for two classes, a list for more."},
    ids={"type": "array", "items": ID, "description": "The ids by which labels are revealed."},
    classes={"type": "array", "items": Y},
    learned=WHOLE,
)
LEARNED = _object(
    ["learned", "repeated", "mistakes", "wrong", "position"],
    learned={**WHOLE, "description": "Examples learned by this request, on the disk and in the weights."},
    repeated={**WHOLE, "description": "Examples that had been learned before, with the same id or key."},
    mistakes={**WHOLE, "description": "Wrong answers; for /reveal, as they were given."},
    wrong={
        "type": "array",
        "items": WHOLE,
        "description": "Indices of the wrong answers among the examples learned now.",
    },
    position={**WHOLE, "description": "Position of the last example in the log."},
    not_learned={**WHOLE, "description": "Examples skipped because the weights would overflow."},
)
HEALTH = _object(
    ["status", "role", "learned", "position", "waiting"],
    status={"enum": ["ok", "failed"]}, role={"enum": ["leader", "follower"]}, learned=WHOLE,
    position=WHOLE, waiting=WHOLE, not_learned=WHOLE, trouble={"type": "string", "nullable": True},
    behind=WHOLE,
)  # fmt: skip
ERROR = _object(["error"], error={"type": "string"})
REFUSALS = {
    400: "The body cannot be read.", 401: "The token is missing or wrong.",
    403: "Host or Origin is not allowed, or the service is a follower.",
    404: "No example with that id waits for its label.", 408: "The body came too slowly.",
    409: "The id or key was used with other content.", 413: "The body is too large.",
    415: "The content type is not supported.",
    422: "The model does not accept the examples.", 429: "Too many requests.",
    500: "The log is damaged, or the service failed.",
    503: "Too many examples wait; retry after the time in Retry-After.", 507: "The log cannot be written.",
}  # fmt: skip


def _content(schema: dict[str, Any], kind: str = protocol.JSON) -> dict[str, Any]:
    return {kind: {"schema": schema}}


def _post(summary: str, one: dict[str, Any], answer: dict[str, Any], **beside: Any) -> dict[str, Any]:
    lines = {"type": "string", "description": "One object per line."}
    table = {"type": "string", "format": "binary", "description": "Columns x (lists) or features, y, id."}
    body = {**_content(_one_or_many(one, **beside)), **_content(lines, protocol.NDJSON),
            **_content(table, protocol.ARROW)}  # fmt: skip
    return {
        "summary": summary,
        "requestBody": {"required": True, "content": body},
        "responses": {
            "200": {"description": "Done.", "content": _content(answer)},
            **{
                str(code): {"description": text, "content": _content(ERROR)}
                for code, text in REFUSALS.items()
            },
        },
    }


def _get(summary: str, kind: str, schema: dict[str, Any], *parameters: str) -> dict[str, Any]:
    return {
        "summary": summary,
        "parameters": [{"name": name, "in": "query", "schema": WHOLE} for name in parameters],
        "responses": {"200": {"description": "The content.", "content": _content(schema, kind)}},
    }


def described() -> dict[str, Any]:
    """Return the description in the form of OpenAPI 3.0."""
    text: dict[str, Any] = {"type": "string"}
    learn = _post("Learn from labelled examples, in order.", EXAMPLE, LEARNED)
    learn["parameters"] = [
        {"name": "Idempotency-Key", "in": "header", "schema": ID,
         "description": "A request with the same key and content is learned once; "
         "with other content it is refused."}
    ]  # fmt: skip
    paths = {
        "/answer": {"post": _post("Answer examples, and remember them until their labels come.", QUESTION,
                                  ANSWERS, remember={"type": "boolean", "default": True})},
        "/reveal": {"post": _post("Learn labels of examples that were answered before.", LABEL, LEARNED)},
        "/learn": {"post": learn},
        "/model": {"get": _get("The current model file.", "application/octet-stream", text)},
        "/log": {"get": _get("The learned examples.", protocol.NDJSON, text, "from", "limit", "wait")},
        "/health": {"get": _get("Status, and number of learned examples.", protocol.JSON, HEALTH)},
        "/metrics": {"get": _get("Counters for Prometheus.", "text/plain", text)},
        "/state": {"get": _get("The content of the status page.", protocol.JSON, {"type": "object"})},
        "/openapi.json": {"get": _get("This description.", protocol.JSON, {"type": "object"})},
        "/": {"get": _get("The status page.", "text/html", text)},
        "/page/{name}": {"get": {**_get("Scripts and styles of the page.", "text/javascript", text),
            "parameters": [{"name": "name", "in": "path", "required": True, "schema": text}]}},
    }  # fmt: skip
    bearer = {"type": "http", "scheme": "bearer"}
    return {
        "openapi": "3.0.3",
        "info": {"title": "rosenblatt serve", "version": __version__,
                 "description": "A classifier that learns while it answers."},
        "paths": paths,
        "components": {"securitySchemes": {"token": bearer}},
        "security": [{}, {"token": []}],
    }  # fmt: skip
