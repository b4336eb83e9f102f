"""The ASGI application of a service or a follower: routes, request parsing and responses."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache, partial
from importlib import resources
from typing import Any

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from rosenblatt.serve import replies
from rosenblatt.serve.access import Guard
from rosenblatt.serve.address import Address
from rosenblatt.serve.http_schema import LOG_FRAMES, LONGEST_ID, MODEL_FILE, NDJSON, POSTS, describe_api
from rosenblatt.serve.jobs import Answer, Job, Learn, Refusal, Reveal
from rosenblatt.serve.log import is_own
from rosenblatt.serve.log_records import Mark
from rosenblatt.serve.replies import Endpoint, JsonReply, error_reply
from rosenblatt.serve.request_bodies import LARGEST_BODY, Parts, check_kind, parse_body
from rosenblatt.serve.status import page_state, prometheus_metrics
from rosenblatt.traces.viewer.bundle import module, style

MOST_BYTES = 64_000_000  # all request bodies together; parsed they may need sixteen times as much memory
AT_ONCE_PARSED = 65_536  # larger bodies (bytes) are parsed in a thread
MOST_READERS = 8  # clients that receive large responses at the same time
PIECE = 65_536  # bytes of a large response that are sent at a time
LONGEST_READ = 120.0  # time limit for receiving a large response in seconds
NO_PATH = "no such path; POST /answer predicts, POST /learn learns, and GET /openapi.json lists all paths"


def make_app(host: Any, address: Address) -> Guard:
    """Return the ASGI application of a service or a follower, with access control."""
    routes = make_routes(host)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await anyio.to_thread.run_sync(host.stop)

    rest = Starlette(routes=routes, exception_handlers={HTTPException: _reply_to_http}, lifespan=lifespan)
    posts = {route.path: route.endpoint for route in routes if route.methods == {"POST"}}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        """Pass POST requests directly to their endpoints; routing would take as long as the work itself."""
        is_post = scope["type"] == "http" and scope["method"] == "POST" and scope["path"] in posts
        await (posts[scope["path"]] if is_post else rest)(scope, receive, send)

    return Guard(app, address)


def make_routes(host: Any) -> list[Route]:
    """Return the routes of a service or a follower."""
    posts, readers = Posts(host), asyncio.Semaphore(MOST_READERS)

    async def send_large(send: Send, kind: str, make: Callable[[], Awaitable[tuple[bytes, Mark]]]) -> None:
        """Send a response in pieces, to a limited number of clients at a time and for a limited time."""
        if readers.locked():
            raise Refusal.busy()
        async with readers:
            content, end = await make()
            headers = {"x-position": str(end.position), "x-log-end": json.dumps(end)}
            if kind == MODEL_FILE:
                headers["content-disposition"] = 'attachment; filename="model.safetensors"'
            reply = Response(content, media_type=kind, headers=headers)
            start = {"type": "http.response.start", "status": 200, "headers": reply.raw_headers}
            with suppress(TimeoutError):  # the server then closes the connection
                async with asyncio.timeout(LONGEST_READ):
                    await send(start)
                    for first in range(0, len(content), PIECE):
                        piece = content[first : first + PIECE]
                        await send({"type": "http.response.body", "body": piece, "more_body": True})
                    await send({"type": "http.response.body", "body": b""})

    async def model(scope: Scope, receive: Receive, send: Send) -> None:
        await send_large(send, MODEL_FILE, lambda: anyio.to_thread.run_sync(_model_bytes, host))

    async def log(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        first = _number(request, "from", 1, 1, 1 << 62)
        limit = _number(request, "limit", 10_000, 1, 100_000)
        wait = _number(request, "wait", 0, 0, 25)
        kind = LOG_FRAMES if request.headers.get("accept") == LOG_FRAMES else NDJSON
        await host.wait_for(first, wait)
        await send_large(send, kind, lambda: host.export_log(first, limit, kind == LOG_FRAMES))

    async def health(*_: Any) -> JsonReply:
        found = host.health()
        return JsonReply(found, 200 if found.status == "ok" else 503)

    async def state(*_: Any) -> JsonReply:
        return JsonReply(await anyio.to_thread.run_sync(page_state, host))

    async def metrics(*_: Any) -> Response:
        content = await anyio.to_thread.run_sync(prometheus_metrics, host)
        return Response(content, media_type="text/plain; version=0.0.4")

    async def openapi(*_: Any) -> JsonReply:
        return JsonReply(describe_api())

    gets: dict[str, Callable[..., Awaitable[Any]]] = {
        "/model": model, "/log": log, "/health": health, "/metrics": metrics, "/state": state,
        "/openapi.json": openapi, "/": _page_file, "/page/{name}": _page_file,
    }  # fmt: skip
    return [
        *(Route(path, Endpoint(partial(posts.respond, path)), methods=["POST"]) for path in POSTS),
        *(Route(path, Endpoint(respond), methods=["GET"]) for path, respond in gets.items()),
    ]


def _model_bytes(host: Any) -> tuple[bytes, Mark]:
    """Return the bytes of a model file, and the place in the log up to which the model has learned."""
    model, end = host.call(lambda: (host.model.copy(), host.end))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        model.save(path)
        with open(path, "rb") as file:
            return file.read(), end


def _number(request: Request, name: str, default: int, least: int, most: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise Refusal(422, f"{name}: expected a whole number from {least} to {most}, got {text[:40]!r}")
    return int(text)


async def _reply_to_http(request: Request, error: Exception) -> Any:
    assert isinstance(error, HTTPException)
    messages = {404: NO_PATH, 405: "this path does not have this method"}
    return error_reply(messages.get(error.status_code, str(error.detail)), error.status_code)


class Posts:
    """Respond to POST requests: parse the body, submit a job, return its result.

    This class avoids Starlette's request objects, whose creation takes as long as the rest of the request.
    """

    def __init__(self, host: Any) -> None:
        self._host = host
        self._n_bytes = 0  # of all request bodies that are being received, parsed or processed

    async def respond(self, path: str, scope: Scope, receive: Receive, send: Send) -> JsonReply:
        headers = dict(scope["headers"])
        kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower().decode("latin-1")
        check_kind(kind)
        pieces: list[bytes] = []
        try:
            stated = headers.get(b"content-length", b"")
            await self._receive(int(stated) if stated.isdigit() else 0, receive, pieces)
            body = b"".join(pieces)
            pieces[:] = [body]  # so that memory holds it once
            if len(body) <= AT_ONCE_PARSED:
                parts = parse_body(body, kind, path)
            else:
                parts = await anyio.to_thread.run_sync(parse_body, body, kind, path)
            job = _make_job(path, parts, headers.get(b"idempotency-key"))
            future = job.bind_to_loop()
            self._host.submit(job)
            return JsonReply(await future)
        finally:
            self._n_bytes -= sum(map(len, pieces))

    async def _receive(self, size: int, receive: Receive, pieces: list[bytes]) -> None:
        """Append the request body, which may state its size, to `pieces`.

        Raise `Refusal` if it is too large, and `TimeoutError` if it takes too long to arrive.
        """
        received, is_more = 0, True
        async with asyncio.timeout(replies.LONGEST_BODY):
            while True:
                if max(size, received) > LARGEST_BODY:
                    limit = LARGEST_BODY // 1_000_000
                    raise Refusal(413, f"the body is larger than {limit} MB; send it in parts")
                if self._n_bytes > MOST_BYTES:
                    raise Refusal.busy()
                if not is_more:
                    return
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                pieces.append(message.get("body", b""))
                is_more = message.get("more_body", False)
                received += len(pieces[-1])
                self._n_bytes += len(pieces[-1])


def _make_job(path: str, parts: Parts, key: bytes | None) -> Job:
    """Return the job of a POST request; `key` is its Idempotency-Key."""
    ids, labels = parts.ids, parts.labels
    if parts.examples is None:
        assert labels is not None
        return Reveal([str(name) for name in ids or ()], labels)
    for name in ids or ():
        if name is not None and is_own(name):
            raise Refusal(422, f"id {name!r}: ids such as a17 are reserved for the service; give another")
    if labels is None:
        return Answer(parts.examples, ids, parts.remembers)
    if key is not None and not 0 < len(key) <= LONGEST_ID:
        raise Refusal(422, f"Idempotency-Key: expected up to {LONGEST_ID} letters")
    return Learn(parts.examples, labels, ids, None if key is None else key.decode("latin-1"))


# ---------------------------------------------------------------- status page

VIEWER = ("chart", "numbers", "scales", "theme")  # modules of the trace viewer
KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css"}


@cache
def page_files() -> dict[str, tuple[bytes, str]]:
    """Return a dict from name to content and type of each static file, so that requests read no files."""
    files = {}
    for file in resources.files("rosenblatt.serve").joinpath("page").iterdir():
        if (kind := KINDS.get(file.name.rpartition(".")[2])) is not None:
            files[file.name] = file.read_bytes(), kind
    for name in VIEWER:
        files[f"{name}.js"] = module(name).encode(), KINDS["js"]
    files["viewer.css"] = style().encode(), KINDS["css"]
    return files


async def _page_file(scope: Scope, *_: Any) -> Response:
    found = page_files().get(scope["path_params"].get("name", "page.html"))
    if found is None:
        raise Refusal(404, NO_PATH)
    return Response(found[0], media_type=found[1])
