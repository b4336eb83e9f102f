"""The lab's server: pages, scripts, and answers to the states of pages."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import unquote

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from rosenblatt.course.lab import own_files
from rosenblatt.course.lab.chapters import CHAPTERS, Answer
from rosenblatt.course.lab.last_answers import Answers
from rosenblatt.course.lab.pages import chapter_page, home_page
from rosenblatt.course.lab.safety import LARGEST_BODY, LARGEST_FILE, OnlyFromHere, refusal
from rosenblatt.errors import BadInput
from rosenblatt.traces.viewer.bundle import style
from rosenblatt.traces.viewer.heads import finite

LONGEST = 20.0
"""Seconds that a request may take. The limits of the chapters (points, steps, seconds for each proof) keep
their computations below it, because a thread cannot be stopped."""

AT_ONCE = 2  # answers computed in parallel; more would only compete for the CPU
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def make_app(port: int, answers: Answers | None = None) -> Starlette:
    """Return the server as an ASGI application for 127.0.0.1:port."""
    answers = answers or Answers()

    async def answer(request: Request) -> Response:
        chapter = CHAPTERS.get(request.path_params["key"])
        if chapter is None:
            return refusal(f"there is no such chapter; there are {', '.join(CHAPTERS)}", 404)
        if _kind(request) != "application/json":
            return refusal("expected a state as application/json", 415)
        try:
            async with asyncio.timeout(LONGEST):
                body = await _body(request, LARGEST_BODY, "the state", "use Python for so many points")
                state = read_state(body)
                found = await anyio.to_thread.run_sync(
                    answers.to, chapter, state, abandon_on_cancel=True, limiter=request.app.state.turns
                )
        except TimeoutError:
            return refusal(
                f"this took longer than {LONGEST:g} seconds and was stopped; try fewer points", 503
            )
        except BadInput as error:
            return refusal(str(error), 422)
        except ValueError as error:
            return refusal(str(error), 400)
        except Exception as error:  # unexpected: the page gets its name, the terminal the traceback
            traceback.print_exc()
            return refusal(f"the lab failed on this state: {type(error).__name__}", 500)
        return JSONResponse(as_json(found, answers))

    async def chunk(request: Request) -> Response:
        found = answers.chunk(request.path_params["name"], request.path_params["number"])
        if found is None:
            return refusal("this replay is no longer stored; change a setting to create it again", 404)
        return Response(found, media_type="application/octet-stream")

    async def keep_file(request: Request) -> Response:
        name = request.headers.get("x-file-name", "")
        if _kind(request) != "application/octet-stream" or not name:
            return refusal("expected a file as application/octet-stream, with its x-file-name", 415)
        try:
            async with asyncio.timeout(LONGEST):
                content = await _body(request, LARGEST_FILE, "the file", "sample its rows first")
            kept = own_files.keep(unquote(name), content)
        except TimeoutError:
            return refusal(f"the file did not arrive within {LONGEST:g} seconds; drop it again", 503)
        except BadInput as error:
            return refusal(str(error), 422)
        except ValueError as error:
            return refusal(str(error), 413)
        return JSONResponse({"file": kept.token, "name": kept.name})

    routes = [
        Route("/", _home),
        Route("/{key}", _chapter),
        Route("/api/{key}", answer, methods=["POST"]),
        Route("/file", keep_file, methods=["POST"]),
        Route("/replay/{name}/{number:int}", chunk),
        Route("/static/{path:path}", _static),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(OnlyFromHere, port=port)],
        exception_handlers={HTTPException: _as_sentence},
        lifespan=_lifespan,
    )


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    app.state.turns = anyio.CapacityLimiter(AT_ONCE)
    yield


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").split(";")[0].strip().lower()


async def _body(request: Request, largest: int, what: str, remedy: str) -> bytes:
    stated = request.headers.get("content-length", "0")
    body = bytearray()
    too_large = f"{what} is larger than {largest // 1_000_000} MB; {remedy}"
    if stated.isdigit() and int(stated) > largest:
        raise ValueError(too_large)
    async for part in request.stream():
        body += part
        if len(body) > largest:
            raise ValueError(too_large)
    return bytes(body)


# ---------------------------------------------------------------- JSON


class _Refused(ValueError):
    """Signal a constant such as NaN, which Python's JSON parser accepts but the JSON standard does not."""


def read_state(body: bytes) -> dict[str, Any]:
    """Return the state in a request body.

    Raise a `ValueError` unless the body is a JSON object with finite numbers.

    >>> read_state(b'{"b": NaN}')
    Traceback (most recent call last):
    ...
    rosenblatt.course.lab.server._Refused: NaN is not a number that a state can have
    """

    def refuse(constant: str) -> None:
        raise _Refused(f"{constant} is not a number that a state can have")

    try:
        state = json.loads(body, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise ValueError(f"the state is not JSON: {error}") from error
    except _Refused:
        raise
    except (ValueError, RecursionError) as error:
        raise ValueError("the state is not JSON that can be read") from error
    if not isinstance(state, dict):
        raise ValueError("the state must be an object with settings by name")
    return state


def as_json(answer: Answer, answers: Answers) -> dict[str, Any]:
    """Return an answer as a JSON object, with null for numbers that are not finite."""
    replay = answer.replay
    return {
        "numbers": finite(dict(answer.numbers)),
        "sentences": list(answer.sentences),
        "picture": finite(dict(answer.picture)),
        "python": answer.python,
        "replay": None if replay is None else {"name": answers.keep(replay), "head": finite(replay.head)},
    }


# ---------------------------------------------------------------- pages and scripts


async def _home(request: Request) -> Response:
    return HTMLResponse(home_page())


async def _chapter(request: Request) -> Response:
    chapter = CHAPTERS.get(request.path_params["key"])
    if chapter is None:
        raise HTTPException(404, "there is no such page; the home page lists the chapters")
    return HTMLResponse(chapter_page(chapter))


async def _static(request: Request) -> Response:
    found = static_files().get(request.path_params["path"])
    if found is None:
        raise HTTPException(404, "there is no such file")
    content, kind = found
    return Response(content, media_type=kind)


@cache
def static_files() -> dict[str, tuple[bytes, str]]:
    """Return a dict from path to static file, so that requests read no files."""
    files = {}
    for room, prefix in (("rosenblatt.course.lab", "static"), ("rosenblatt.traces.viewer", ".")):
        top = resources.files(room).joinpath(prefix)
        for folder, under in ((top, ""), (top.joinpath("chapters"), "chapters/")):
            for file in folder.iterdir() if folder.is_dir() else ():
                kind = KINDS.get("." + file.name.rpartition(".")[2])
                if kind is not None:
                    files[f"{'viewer/' if prefix == '.' else ''}{under}{file.name}"] = (
                        file.read_bytes(),
                        kind,
                    )
    files["viewer/viewer.css"] = style().encode(), KINDS[".css"]  # with the class colours inserted
    return files


async def _as_sentence(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return refusal(error.detail, error.status_code)
