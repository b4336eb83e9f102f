"""POST: what is asked most, without the objects of Starlette, which take as long as the answer does."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio.to_thread
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from rosenblatt.errors import BadInput
from rosenblatt.serve import protocol
from rosenblatt.serve.changes import DamagedLog
from rosenblatt.serve.plain_json import dumped
from rosenblatt.serve.security import refusal
from rosenblatt.serve.work import Busy, Refused, Work

LONGEST = 30.0  # seconds that a body may take to come
MOST_BYTES = 64_000_000  # of bodies at the same time; parsed they may take twenty times as much
COME_AGAIN = 1.0  # seconds
AT_ONCE_PARSED = 65_536  # bytes that are parsed between two requests; more in a thread


class Bodies:
    """The bodies of requests that are on their way, parsed or in line: their bytes are counted."""

    def __init__(self) -> None:
        self._bytes = 0

    async def parts(self, headers: Mapping[bytes, bytes], receive: Receive) -> tuple[protocol.Parts, int]:
        """What a body says, and its bytes, to be given to `let_go` when all is done."""
        kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower().decode("latin-1")
        if kind not in (protocol.JSON, protocol.NDJSON, protocol.ARROW):
            protocol.parsed(b"", kind)
        body = await self._whole(headers, receive)
        try:
            if len(body) <= AT_ONCE_PARSED:
                return protocol.parsed(body, kind), len(body)
            return await anyio.to_thread.run_sync(protocol.parsed, body, kind), len(body)
        except BaseException:
            self.let_go(len(body))
            raise

    def let_go(self, size: int) -> None:
        self._bytes -= size

    async def _whole(self, headers: Mapping[bytes, bytes], receive: Receive) -> bytes:
        """The body, if it is not too large and comes in time."""
        most = protocol.LARGEST_BODY
        too_large = Refused(413, f"the body is larger than {most // 1_000_000} MB; send it in parts")
        stated = headers.get(b"content-length", b"0")
        if stated.isdigit() and int(stated) > most:
            raise too_large
        parts: list[bytes] = []
        size, is_more = 0, True
        try:
            async with asyncio.timeout(LONGEST):
                while is_more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    part, is_more = message.get("body", b""), message.get("more_body", False)
                    size += len(part)
                    self._bytes += len(part)
                    if size > most:
                        raise too_large
                    if self._bytes > MOST_BYTES:
                        raise Busy
                    parts.append(part)
        except BaseException:
            self._bytes -= size
            raise
        return parts[0] if len(parts) == 1 else b"".join(parts)


Endpoint = Callable[..., Awaitable[Any]]


def in_sentences(endpoint: Endpoint) -> Endpoint:
    """The endpoint, with every error as a status and a sentence."""

    async def guarded(*given: Any) -> Any:
        try:
            return await endpoint(*given)
        except Refused as error:
            return refusal(str(error), error.status, COME_AGAIN if error.status == 503 else 0.0)
        except DamagedLog as error:
            return refusal(str(error), 500)
        except BadInput as error:
            return refusal(str(error), 422)
        except Busy:
            return refusal("too many examples are waiting; retry later", 503, COME_AGAIN)
        except TimeoutError:
            return refusal(f"the body did not come within {LONGEST:g} seconds; send it again", 408)
        except ClientDisconnect:
            return refusal("the client closed the connection", 400)
        except (
            Exception
        ) as error:  # what nobody foresaw: its name for the client, all of it for the operator
            traceback.print_exc()
            return refusal(f"the service failed on this request: {type(error).__name__}", 500)

    return guarded


class Post:
    """An endpoint. make: the work that a body asks for; host: does it."""

    def __init__(self, host: Any, bodies: Bodies, make: Callable[..., Work]) -> None:
        self._host, self._bodies, self._make = host, bodies, make
        self._answer = in_sentences(self._done)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(scope, receive)
        await response(scope, receive, send)

    async def _done(self, scope: Scope, receive: Receive) -> Any:
        headers = dict(scope["headers"])
        told, size = await self._bodies.parts(headers, receive)
        try:
            work = self._make(told, headers)
            work.bytes = size
            future = work.in_loop()
            self._host.submit(work)
            return Told(dumped(await future))
        finally:
            self._bodies.let_go(size)


class Told:
    """An answer in JSON."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        size = str(len(self._content)).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", size)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": self._content})
