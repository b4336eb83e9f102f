"""The ASGI application of a service or a follower: routes, request parsing and responses."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import cache
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
from rosenblatt.serve.http_schema import LOG_FRAMES, LONGEST_ID, NDJSON, describe_api
from rosenblatt.serve.jobs import Answer, Job, Learn, Refusal, Reveal
from rosenblatt.serve.log import is_own
from rosenblatt.serve.log_records import Mark
from rosenblatt.serve.replies import JsonReply, error_reply, reply_to_errors
from rosenblatt.serve.request_bodies import LARGEST_BODY, Parts, check_kind, parse_body
from rosenblatt.serve.status import WeightChanges, page_state, prometheus_metrics
from rosenblatt.traces.viewer.bundle import module, style

MOST_BYTES = 64_000_000  # all request bodies together; parsed they may need twenty times as much memory
AT_ONCE_PARSED = 65_536  # larger bodies (bytes) are parsed in a thread
MOST_READERS = 8  # clients that receive large responses at the same time
PIECE = 65_536  # bytes of a large response that are sent at a time
LONGEST_READ = 120.0  # time limit for receiving a large response in seconds


def make_app(host: Any, address: Address) -> Guard:
    """Return the ASGI application of a service or a follower, with access control."""
    routes = make_routes(host)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await anyio.to_thread.run_sync(host.stop)

    rest = Starlette(routes=routes, exception_handlers={HTTPException: _reply_to_http}, lifespan=lifespan)
    posts = {route.path: route.endpoint for route in routes if isinstance(route.endpoint, Post)}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        """Pass POST requests directly to their endpoints; routing would take as long as the work itself."""
        is_post = scope["type"] == "http" and scope["method"] == "POST" and scope["path"] in posts
        await (posts[scope["path"]] if is_post else rest)(scope, receive, send)

    return Guard(app, address)


def make_routes(host: Any) -> list[Route]:
    """Return the routes of a service or a follower."""
    bodies, changes = Bodies(), WeightChanges()

    async def model(request: Request, begin: Callable[[], None]) -> Response:
        begin()
        content, end = await anyio.to_thread.run_sync(_model_bytes, host)
        name = {"content-disposition": 'attachment; filename="model.safetensors"'}
        return Response(
            content, media_type="application/octet-stream", headers={**_end_headers(end), **name}
        )

    async def log(request: Request, begin: Callable[[], None]) -> Response:
        first = _number(request, "from", 1, 1, 1 << 62)
        limit = _number(request, "limit", 10_000, 1, 100_000)
        wait = _number(request, "wait", 0, 0, 25)
        is_binary = request.headers.get("accept") == LOG_FRAMES
        await host.wait_for(first, wait)
        begin()
        content, end = await host.export_log(first, limit, is_binary)
        return Response(content, media_type=LOG_FRAMES if is_binary else NDJSON, headers=_end_headers(end))

    async def health(request: Request) -> JsonReply:
        found = host.health()
        return JsonReply(found, 200 if found.status == "ok" else 503)

    async def state(request: Request) -> JsonReply:
        return JsonReply(await anyio.to_thread.run_sync(page_state, host, changes))

    async def metrics(request: Request) -> Response:
        content = await anyio.to_thread.run_sync(prometheus_metrics, host)
        return Response(content, media_type="text/plain; version=0.0.4")

    return [
        Route("/answer", Post("/answer", host, bodies, answer_job), methods=["POST"]),
        Route("/reveal", Post("/reveal", host, bodies, reveal_job), methods=["POST"]),
        Route("/learn", Post("/learn", host, bodies, learn_job), methods=["POST"]),
        Route("/model", LargeReply(model), methods=["GET"]),
        Route("/log", LargeReply(log), methods=["GET"]),
        Route("/health", reply_to_errors(health)),
        Route("/metrics", reply_to_errors(metrics)),
        Route("/state", reply_to_errors(state)),
        Route("/openapi.json", _openapi),
        Route("/", _page),
        Route("/page/{name}", _page_file),
    ]


def _model_bytes(host: Any) -> tuple[bytes, Mark]:
    """Return the model as bytes of a model file, and the mark in the log up to which it has learned."""
    model, end = host.call(lambda: (host.model.copy(), host.end))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        model.save(path)
        with open(path, "rb") as file:
            return file.read(), end


def _end_headers(end: Mark) -> dict[str, str]:
    return {"x-position": str(end.position), "x-log-end": json.dumps(end)}


def _number(request: Request, name: str, default: int, least: int, most: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise Refusal(422, f"{name}: expected a whole number from {least} to {most}, got {text[:40]!r}")
    return int(text)


async def _reply_to_http(request: Request, error: Exception) -> Any:
    assert isinstance(error, HTTPException)
    messages = {
        404: "no such path; GET /openapi.json lists all",
        405: "this path does not have this method",
    }
    return error_reply(messages.get(error.status_code, str(error.detail)), error.status_code)


# ---------------------------------------------------------------- POST


def answer_job(parts: Parts, headers: Mapping[bytes, bytes]) -> Job:
    assert parts.examples is not None
    return Answer(parts.examples, _check_ids(parts.ids), parts.remembers)


def reveal_job(parts: Parts, headers: Mapping[bytes, bytes]) -> Job:
    assert parts.labels is not None
    return Reveal([str(name) for name in parts.ids or ()], parts.labels)


def learn_job(parts: Parts, headers: Mapping[bytes, bytes]) -> Job:
    assert parts.examples is not None
    assert parts.labels is not None
    key = headers.get(b"idempotency-key")
    if key is not None and not 0 < len(key) <= LONGEST_ID:
        raise Refusal(422, f"Idempotency-Key: expected up to {LONGEST_ID} letters")
    name = None if key is None else key.decode("latin-1")
    return Learn(parts.examples, parts.labels, _check_ids(parts.ids), name)


def _check_ids(ids: list[str | None] | None) -> list[str | None] | None:
    for name in ids or ():
        if name is not None and is_own(name):
            raise Refusal(422, f"id {name!r}: ids such as a17 are reserved for the service; give another")
    return ids


class Bodies:
    """Count the bytes of all request bodies that are being received, parsed or processed."""

    def __init__(self) -> None:
        self._n_bytes = 0

    async def receive(self, headers: Mapping[bytes, bytes], receive: Receive) -> bytes:
        """Return the request body; raise `Refusal` if it is too large or takes too long to arrive.

        The bytes of the body are counted until `release` is called.
        """
        too_large = Refusal(
            413, f"the body is larger than {LARGEST_BODY // 1_000_000} MB; send it in parts"
        )
        stated = headers.get(b"content-length", b"0")
        if stated.isdigit() and int(stated) > LARGEST_BODY:
            raise too_large
        parts: list[bytes] = []
        size, is_more = 0, True
        try:
            async with asyncio.timeout(replies.LONGEST_BODY):
                while is_more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    part, is_more = message.get("body", b""), message.get("more_body", False)
                    size += len(part)
                    self._n_bytes += len(part)
                    if size > LARGEST_BODY:
                        raise too_large
                    if self._n_bytes > MOST_BYTES:
                        raise Refusal.busy()
                    parts.append(part)
        except BaseException:
            self.release(size)
            raise
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def release(self, size: int) -> None:
        self._n_bytes -= size


class Post:
    """Handle a POST request: parse the body, submit a job, send its result.

    This class avoids Starlette's request objects, whose creation takes as long as the rest of the request.
    """

    def __init__(self, path: str, host: Any, bodies: Bodies, make_job: Callable[..., Job]) -> None:
        self._path, self._host, self._bodies, self._make_job = path, host, bodies, make_job
        self._reply = reply_to_errors(self._execute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = await self._reply(scope, receive)
        await reply(scope, receive, send)

    async def _execute(self, scope: Scope, receive: Receive) -> JsonReply:
        headers = dict(scope["headers"])
        kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower().decode("latin-1")
        check_kind(kind)
        body = await self._bodies.receive(headers, receive)
        try:
            if len(body) <= AT_ONCE_PARSED:
                parts = parse_body(body, kind, self._path)
            else:
                parts = await anyio.to_thread.run_sync(parse_body, body, kind, self._path)
            job = self._make_job(parts, headers)
            future = job.bind_to_loop()
            self._host.submit(job)
            return JsonReply(await future)
        finally:
            self._bodies.release(len(body))


# ---------------------------------------------------------------- large responses


class LargeReply:
    """Send large responses in pieces, to a limited number of clients at a time and for a limited time.

    `make` returns the response. It calls `begin` after any waiting, just before it builds the response.
    """

    n_readers = 0  # over all endpoints

    def __init__(self, make: Callable[[Request, Callable[[], None]], Awaitable[Any]]) -> None:
        self._reply = reply_to_errors(make)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        def begin() -> None:
            nonlocal has_begun
            if LargeReply.n_readers >= MOST_READERS:
                raise Refusal.busy()
            has_begun = True
            LargeReply.n_readers += 1

        try:
            reply = await self._reply(Request(scope, receive), begin)
            if isinstance(reply, JsonReply):  # an error message
                await reply(scope, receive, send)
                return
            with suppress(TimeoutError):  # the server then closes the connection
                async with asyncio.timeout(LONGEST_READ):
                    await _send_in_pieces(reply, send)
        finally:
            LargeReply.n_readers -= has_begun


async def _send_in_pieces(reply: Response, send: Send) -> None:
    await send({"type": "http.response.start", "status": reply.status_code, "headers": reply.raw_headers})
    body = memoryview(reply.body)
    for first in range(0, len(body), PIECE):
        piece = bytes(body[first : first + PIECE])
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


# ---------------------------------------------------------------- status page and API description

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


async def _page(request: Request) -> Response:
    content, kind = page_files()["page.html"]
    return Response(content, media_type=kind)


async def _page_file(request: Request) -> Response:
    found = page_files().get(request.path_params["name"])
    if found is None:
        raise HTTPException(404, "there is no such file")
    return Response(found[0], media_type=found[1])


async def _openapi(request: Request) -> JsonReply:
    return JsonReply(describe_api())
