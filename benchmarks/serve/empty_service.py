"""The cost of uvicorn alone: a POST request is read and answered, and its body is ignored."""

from __future__ import annotations

from typing import Any

HEADERS = [(b"content-type", b"application/json"), (b"content-length", b"15")]


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": b'{"learned": 0}\n'})
