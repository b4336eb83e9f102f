"""The service as an ASGI application: routes, and nothing that learns."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from importlib import resources
from typing import Any

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from rosenblatt.serve import protocol
from rosenblatt.serve.described import described
from rosenblatt.serve.door import Door
from rosenblatt.serve.large_answers import Large
from rosenblatt.serve.log import Mark, is_own
from rosenblatt.serve.metrics import in_prometheus
from rosenblatt.serve.plain_json import dumped
from rosenblatt.serve.posts import Bodies, Post, in_sentences
from rosenblatt.serve.security import Guard, refusal
from rosenblatt.serve.work import Ask, Refused, Reveal, Teach, Work
from rosenblatt.sight.viewer.bundle import module, style


def make_app(host: Any, door: Door) -> Guard:
    """A service or a follower, behind its door."""
    routes = make_routes(host)
    rest = Starlette(
        routes=routes, exception_handlers={HTTPException: _as_sentence}, lifespan=_lifespan(host)
    )
    posts = {route.path: route.endpoint for route in routes if isinstance(route.endpoint, Post)}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        """What is asked most goes straight to its endpoint: to find a route takes as long as to answer."""
        is_post = scope["type"] == "http" and scope["method"] == "POST" and scope["path"] in posts
        await (posts[scope["path"]] if is_post else rest)(scope, receive, send)

    return Guard(app, door)


def make_routes(host: Any) -> list[Route]:
    """What can be asked of a service or a follower."""
    bodies = Bodies()

    def answer(told: protocol.Parts, headers: Mapping[bytes, bytes]) -> Work:
        if told.examples is None or told.labels is not None:
            raise Refused(422, "answer: expected x and no y; send labels to /reveal, or with x to /learn")
        return Ask(told.examples, _client_ids(told.ids), told.remembers)

    def reveal(told: protocol.Parts, headers: Mapping[bytes, bytes]) -> Work:
        if told.ids is None or None in told.ids or told.labels is None or told.examples is not None:
            raise Refused(422, "reveal: expected id and y of each example, and no x")
        return Reveal([str(name) for name in told.ids], told.labels)

    def learn(told: protocol.Parts, headers: Mapping[bytes, bytes]) -> Work:
        if told.examples is None or told.labels is None:
            raise Refused(422, "learn: expected x and y of each example")
        name = headers.get(b"idempotency-key")
        if name is not None and not 0 < len(name) <= protocol.LONGEST_ID:
            raise Refused(422, f"Idempotency-Key: expected up to {protocol.LONGEST_ID} letters")
        named = None if name is None else name.decode("latin-1")
        return Teach(told.examples, told.labels, _client_ids(told.ids), named)

    async def model(request: Request, begin: Callable[[], None]) -> Response:
        begin()

        def made() -> tuple[bytes, Mark]:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model.safetensors")
                end = host.model_file(path)
                with open(path, "rb") as file:
                    return file.read(), end

        content, end = await anyio.to_thread.run_sync(made)
        return Response(
            content,
            media_type="application/octet-stream",
            headers={
                **_end_headers(end),
                "content-disposition": 'attachment; filename="model.safetensors"',
            },
        )

    async def log(request: Request, begin: Callable[[], None]) -> Response:
        first = _number(request, "from", 1, 1, 1 << 62)
        limit = _number(request, "limit", 10_000, 1, 100_000)
        wait = _number(request, "wait", 0, 0, 25)
        is_binary = request.headers.get("accept") == BINARY
        await host.wait_for(first, wait)
        begin()
        content, end = await host.log(first, limit, is_binary)
        kind = BINARY if is_binary else protocol.NDJSON
        return Response(content, media_type=kind, headers=_end_headers(end))

    async def health(request: Request) -> Response:
        told = host.health()
        return as_json(told, 200 if told["status"] == "ok" else 503)

    async def state(request: Request) -> Response:
        return as_json(await anyio.to_thread.run_sync(host.state))

    async def metrics(request: Request) -> Response:
        return Response(in_prometheus(host), media_type="text/plain; version=0.0.4")

    return [
        Route("/answer", Post(host, bodies, answer), methods=["POST"]),
        Route("/reveal", Post(host, bodies, reveal), methods=["POST"]),
        Route("/learn", Post(host, bodies, learn), methods=["POST"]),
        Route("/model", Large(model), methods=["GET"]),
        Route("/log", Large(log), methods=["GET"]),
        Route("/health", in_sentences(health)),
        Route("/metrics", in_sentences(metrics)),
        Route("/state", in_sentences(state)),
        Route("/openapi.json", _openapi),
        Route("/", _page),
        Route("/page/{name}", _page_file),
    ]


def _end_headers(end: Mark) -> dict[str, str]:
    """The place in the log that an answer is of."""
    return {"x-position": str(end.position), "x-log-end": json.dumps(end)}


BINARY = "application/vnd.rosenblatt.log"


def _lifespan(host: Any) -> Any:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await anyio.to_thread.run_sync(host.end)

    return lifespan


def _client_ids(ids: list[str | None] | None) -> list[str | None] | None:
    for name in ids or ():
        if name is not None and is_own(name):
            raise Refused(422, f"id {name!r}: ids such as a17 are reserved for the service; give another")
    return ids


def _number(request: Request, name: str, default: int, least: int, most: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise Refused(422, f"{name}: expected a whole number from {least} to {most}, got {text[:40]!r}")
    return int(text)


def as_json(told: Any, status: int = 200) -> Response:
    return Response(dumped(told), status_code=status, media_type="application/json")


# ---------------------------------------------------------------- the page and the description

VIEWER = ("chart", "numbers", "scales", "theme")  # what the page shows it by
KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css"}


@cache
def page_files() -> dict[str, tuple[bytes, str]]:
    """Every file that is ever served, by its name: a name that is not here cannot reach the disk."""
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


async def _openapi(request: Request) -> Response:
    return as_json(described())


async def _as_sentence(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = {404: "no such path; GET /openapi.json lists all", 405: "this path does not have this method"}
    return refusal(said.get(error.status_code, str(error.detail)), error.status_code)


class Leader:
    """A service that learns, as the routes want it."""

    role = "leader"

    def __init__(self, service: Any) -> None:
        self.service = service
        self._reader = service.log.reader()
        self.marks: list[Any] = []  # weights of a while ago

    def submit(self, work: Work) -> None:
        if self.service.broken:
            raise Refused(503, self.service.broken)
        self.service.submit(work)

    def health(self) -> dict[str, Any]:
        service = self.service
        return {
            "status": "failed" if service.broken else "ok",
            "role": self.role,
            "learned": service.learned,
            "position": service.log.position,
            "waiting": service.waiting,
            "not_learned": service.not_learned,
            "trouble": service.trouble,
        }

    def model_file(self, path: str) -> Mark:
        served, end, _ = self.service.copy()
        served.save(path)
        return end

    def state(self) -> dict[str, Any]:
        from rosenblatt.serve.shown import shown

        return shown(self)

    async def wait_for(self, position: int, seconds: float) -> None:
        """Until that example is learned, but no longer."""
        until = time.monotonic() + seconds
        while self.service.learned < position and time.monotonic() < until:
            await asyncio.sleep(0.02)

    async def log(self, first: int, limit: int, is_binary: bool) -> tuple[bytes, Mark]:
        from rosenblatt.serve.told import as_frames, as_lines

        end = self.service.end_learned
        last = min(end.position, first + limit - 1)
        told = as_frames if is_binary else as_lines
        self._reader.state = self.service.log.state
        content = await anyio.to_thread.run_sync(told, self._reader, first, last)
        return content, end

    def end(self) -> None:
        self._reader.close()
        self.service.end()
