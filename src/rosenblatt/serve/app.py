"""The service as an ASGI application: routes, and nothing that learns."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
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

from rosenblatt.errors import BadInput
from rosenblatt.serve import protocol
from rosenblatt.serve.described import described
from rosenblatt.serve.door import Door
from rosenblatt.serve.metrics import in_prometheus
from rosenblatt.serve.security import Guard, refusal
from rosenblatt.serve.work import Ask, Refused, Reveal, Teach, Work
from rosenblatt.sight.viewer.bundle import module, style

LONGEST = 30.0  # seconds that a body may take to come
MOST_BYTES = 256_000_000  # of bodies at the same time
AT_ONCE_PARSED = 65_536  # bytes that are parsed between two requests; more in a thread
COME_AGAIN = 1.0  # seconds


class Busy(Exception):
    """No room in line."""


def make_app(host: Any, door: Door) -> Guard:
    """A service or a follower, behind its door."""
    routes = make_routes(host)
    rest = Starlette(
        routes=routes, exception_handlers={HTTPException: _as_sentence}, lifespan=_lifespan(host)
    )
    hot = {route.path: route.endpoint for route in routes if "POST" in (route.methods or ())}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        """What is asked most goes straight to its endpoint: to find a route takes as long as to answer."""
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"] in hot:
            response = await hot[scope["path"]](Request(scope, receive))
            await response(scope, receive, send)
        else:
            await rest(scope, receive, send)

    return Guard(app, door)


def make_routes(host: Any) -> list[Route]:
    """What can be asked of a service or a follower."""
    held = {"bytes": 0}

    async def parts_of(request: Request) -> protocol.Parts:
        kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
        if kind not in (protocol.JSON, protocol.NDJSON, protocol.ARROW):
            protocol.parsed(b"", kind)
        body = await _body(request, held)
        try:
            if len(body) <= AT_ONCE_PARSED:
                return protocol.parsed(body, kind)
            return await anyio.to_thread.run_sync(protocol.parsed, body, kind)
        finally:
            held["bytes"] -= len(body)

    async def done(work: Work) -> Response:
        future = work.in_loop()
        host.submit(work)
        return _json(await future)

    async def answer(request: Request) -> Response:
        told = await parts_of(request)
        if told.examples is None or told.labels is not None:
            raise Refused(422, "answer: expected x, and no y: labels go to /reveal, or with x to /learn")
        ids = [_client_id(name) for name in told.ids] if told.ids is not None else None
        return await done(Ask(told.examples, ids, told.remembers))

    async def reveal(request: Request) -> Response:
        told = await parts_of(request)
        if told.ids is None or None in told.ids or told.labels is None or told.examples is not None:
            raise Refused(422, "reveal: expected id and y of each, and no x")
        return await done(Reveal([str(name) for name in told.ids], told.labels))

    async def learn(request: Request) -> Response:
        told = await parts_of(request)
        if told.examples is None or told.labels is None:
            raise Refused(422, "learn: expected x and y of each example")
        ids = [_client_id(name) for name in told.ids] if told.ids is not None else None
        name = request.headers.get("idempotency-key")
        if name is not None and not 0 < len(name) <= protocol.LONGEST_ID:
            raise Refused(422, f"Idempotency-Key: expected up to {protocol.LONGEST_ID} letters")
        return await done(Teach(told.examples, told.labels, ids, name))

    async def model(request: Request) -> Response:
        def made() -> tuple[bytes, int]:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model.safetensors")
                position = host.model_file(path)
                with open(path, "rb") as file:
                    return file.read(), position

        content, position = await anyio.to_thread.run_sync(made)
        return Response(
            content,
            media_type="application/octet-stream",
            headers={
                "x-position": str(position),
                "content-disposition": 'attachment; filename="model.safetensors"',
            },
        )

    async def log(request: Request) -> Response:
        first = _number(request, "from", 1, 1, 1 << 62)
        limit = _number(request, "limit", 10_000, 1, 100_000)
        wait = _number(request, "wait", 0, 0, 25)
        is_binary = request.headers.get("accept") == BINARY
        content, position = await host.log(first, limit, wait, is_binary)
        kind = BINARY if is_binary else protocol.NDJSON
        return Response(content, media_type=kind, headers={"x-position": str(position)})

    async def health(request: Request) -> Response:
        told = host.health()
        return _json(told, 200 if told["status"] == "ok" else 503)

    async def state(request: Request) -> Response:
        return _json(await anyio.to_thread.run_sync(host.state))

    async def metrics(request: Request) -> Response:
        return Response(in_prometheus(host), media_type="text/plain; version=0.0.4")

    return [
        Route("/answer", _sentences(answer), methods=["POST"]),
        Route("/reveal", _sentences(reveal), methods=["POST"]),
        Route("/learn", _sentences(learn), methods=["POST"]),
        Route("/model", _sentences(model)),
        Route("/log", _sentences(log)),
        Route("/health", _sentences(health)),
        Route("/metrics", _sentences(metrics)),
        Route("/state", _sentences(state)),
        Route("/openapi.json", _openapi),
        Route("/", _page),
        Route("/page/{name}", _page_file),
    ]


BINARY = "application/vnd.rosenblatt.log"

Endpoint = Callable[[Request], Awaitable[Response]]


def _sentences(endpoint: Endpoint) -> Endpoint:
    """The endpoint, with every error as a status and a sentence."""
    from rosenblatt.serve.service import Busy as ServiceBusy

    async def guarded(request: Request) -> Response:
        try:
            return await endpoint(request)
        except Refused as error:
            return refusal(str(error), error.status, COME_AGAIN if error.status == 503 else 0.0)
        except BadInput as error:
            return refusal(str(error), 422)
        except (Busy, ServiceBusy):
            return refusal("too many examples are waiting; come again", 503, COME_AGAIN)
        except TimeoutError:
            return refusal(f"the body did not come within {LONGEST:g} seconds; send it again", 408)
        except ClientDisconnect:
            return refusal("the client went away", 400)
        except (
            Exception
        ) as error:  # what nobody foresaw: its name for the client, all of it for the operator
            traceback.print_exc()
            return refusal(f"the service failed on this request: {type(error).__name__}", 500)

    return guarded


def _lifespan(host: Any) -> Any:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await anyio.to_thread.run_sync(host.end)

    return lifespan


def _client_id(name: str | None) -> str | None:
    from rosenblatt.serve.log import is_own

    if name is not None and is_own(name):
        raise Refused(422, f"id {name!r}: ids such as a17 are the service's own; give others")
    return name


def _number(request: Request, name: str, default: int, least: int, most: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise Refused(422, f"{name}: expected a whole number from {least} to {most}, got {text[:40]!r}")
    return int(text)


async def _body(request: Request, held: dict[str, int]) -> bytes:
    """The body, if it is not too large and comes in time; its bytes are counted until they are parsed."""
    too_large = Refused(
        413, f"the body is larger than {protocol.LARGEST_BODY // 1_000_000} MB; send it in parts"
    )
    stated = request.headers.get("content-length", "0")
    if stated.isdigit() and int(stated) > protocol.LARGEST_BODY:
        raise too_large
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(LONGEST):
            async for part in request.stream():
                size += len(part)
                held["bytes"] += len(part)
                if size > protocol.LARGEST_BODY:
                    raise too_large
                if held["bytes"] > MOST_BYTES:
                    raise Busy
                parts.append(part)
    except BaseException:
        held["bytes"] -= size
        raise
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _json(told: Any, status: int = 200) -> Response:
    return Response(
        json.dumps(told, separators=(",", ":")), status_code=status, media_type="application/json"
    )


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
    return _json(described())


async def _as_sentence(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = {404: "there is no such path; GET /openapi.json lists them", 405: "this path has other methods"}
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
            "trouble": service.broken or service.trouble,
        }

    def model_file(self, path: str) -> int:
        served, learned, _ = self.service.copy()
        served.save(path)
        return int(learned)

    def state(self) -> dict[str, Any]:
        from rosenblatt.serve.shown import shown

        return shown(self)

    async def log(self, first: int, limit: int, wait: float, is_binary: bool) -> tuple[bytes, int]:
        from rosenblatt.serve.told import as_frames, as_lines

        log, until = self.service.log, time.monotonic() + wait
        while self.service.learned < first and time.monotonic() < until:
            await asyncio.sleep(0.02)
        last = min(self.service.learned, first + limit - 1)
        told = as_frames if is_binary else as_lines
        self._reader.cut_at = log.cut_at
        with suppress(IndexError):
            content = await anyio.to_thread.run_sync(told, self._reader, first, last)
        return content, self.service.learned

    def end(self) -> None:
        self._reader.close()
        self.service.end()
