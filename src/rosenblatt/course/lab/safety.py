"""The access rules of the lab's server: only requests of limited size from its own pages.

A web page from another site, open in the same browser, can send requests to 127.0.0.1, and the owner of
that site can make one of its host names resolve to 127.0.0.1. Checking the Origin header, if the browser
sends one, prevents the first attack, and checking the Host header prevents the second.
"""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 4_000_000
"""Largest request in bytes: several times the largest state that a chapter accepts."""

LARGEST_FILE = 20_000_000
"""Largest user's file in bytes; uploads are the only larger requests."""

NAMES = ("127.0.0.1", "localhost")

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class OnlyFromHere:
    """ASGI middleware that refuses requests with a foreign Host or Origin, and adds security headers."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = {f"{name}:{port}" for name in NAMES}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        headers = Headers(scope=scope)
        if refused := self._why_refused(headers):
            await refusal(refused, 403)(scope, receive, send_with_headers)
        else:
            await self.app(scope, receive, send_with_headers)

    def _why_refused(self, headers: Headers) -> str:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return f"Host: this server answers only as {_either(self.hosts)}"
        origins = headers.getlist("origin")
        if any(origin not in self.origins for origin in origins):
            return f"Origin: this server answers only to pages of {_either(self.origins)}"
        return ""


def refusal(sentence: str, status: int) -> JSONResponse:
    """Return an error response for the page."""
    return JSONResponse({"error": sentence}, status_code=status)


def _either(names: Iterable[str]) -> str:
    return " or ".join(sorted(names))
