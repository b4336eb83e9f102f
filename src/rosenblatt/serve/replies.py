"""JSON responses, and errors as responses."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from rosenblatt.errors import BadInput
from rosenblatt.serve.jobs import Refusal
from rosenblatt.serve.log_files import DamagedLog

LONGEST_BODY = 30.0  # seconds in which a request body must arrive


class JsonReply:
    """A JSON response, faster than Starlette's."""

    def __init__(self, content: Any, status: int = 200) -> None:
        self.status_code, self.body = status, msgspec.json.encode(content)
        size = str(len(self.body)).encode()
        self.headers = [(b"content-type", b"application/json"), (b"content-length", size)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body})


def error_reply(message: str, status: int, wait: float = 0.0) -> JsonReply:
    """Return an error response; `wait` is the number of seconds after which the client may retry."""
    reply = JsonReply({"error": message}, status)
    if wait:
        reply.headers.append((b"retry-after", str(max(1, round(wait + 0.5))).encode()))
    return reply


class Endpoint:
    """An ASGI application that sends the response of a function, and each of its exceptions as an error."""

    def __init__(self, respond: Callable[[Scope, Receive, Send], Awaitable[Any]]) -> None:
        self._respond = respond

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            reply = await self._respond(scope, receive, send)
        except Refusal as error:
            reply = error_reply(str(error), error.status, error.wait)
        except DamagedLog as error:
            reply = error_reply(str(error), 500)
        except BadInput as error:
            reply = error_reply(str(error), 422)
        except TimeoutError:
            reply = error_reply(
                f"the body did not arrive within {LONGEST_BODY:g} seconds; send it again", 408
            )
        except ClientDisconnect:
            reply = error_reply("the client closed the connection", 400)
        except Exception as error:  # unexpected: the client gets its name, the operator the traceback
            traceback.print_exc()
            reply = error_reply(f"the service failed on this request: {type(error).__name__}", 500)
        if reply is not None:  # None: the reply was already sent
            await reply(scope, receive, send)
