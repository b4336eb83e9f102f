"""Answers that are large, to readers that may be slow: few at a time, in pieces, and not for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from rosenblatt.serve.posts import in_sentences
from rosenblatt.serve.work import Busy

MOST = 8  # at a time
PIECE = 65_536  # bytes that the connection is given at once; more when it has taken them
LONGEST = 120.0  # seconds that a reader may take


class Large:
    """An endpoint. make: the response, which it calls `begin` for as soon as that is more than waiting."""

    now = 0  # answers that are being made or sent, of all endpoints

    def __init__(self, make: Callable[[Request, Callable[[], None]], Awaitable[Any]]) -> None:
        self._answer = in_sentences(make)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        held = 0

        def begin() -> None:
            nonlocal held
            if Large.now >= MOST:
                raise Busy
            held = 1
            Large.now += 1

        try:
            response = await self._answer(Request(scope, receive), begin)
            with suppress(TimeoutError):  # the connection is closed, since the answer is not whole
                async with asyncio.timeout(LONGEST):
                    await _in_pieces(response, send)
        finally:
            Large.now -= held


async def _in_pieces(response: Any, send: Send) -> None:
    await send(
        {"type": "http.response.start", "status": response.status_code, "headers": response.raw_headers}
    )
    body = memoryview(response.body)
    for first in range(0, len(body), PIECE):
        piece = bytes(body[first : first + PIECE])
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
