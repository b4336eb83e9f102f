"""Who may ask, how often, and from which pages. Local by default; from elsewhere only with a token.

A page of a stranger that is open in the same browser can send requests to this machine, and a name that it
owns can be made to point here. So the Host must be one of ours, and the Origin, where a browser states one,
must be that Host.
"""

from __future__ import annotations

import hmac
import time
from collections import OrderedDict
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rosenblatt.serve.door import Door

MOST_CLIENTS = 10_000  # whose rates are known
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
CAUTION = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
OPEN_PATHS = ("/", "/health", "/openapi.json")  # and /page/…: they tell nothing of what was learned


class Guard:
    """Refuses requests that may not come in, and adds the headers of caution."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app, self.door = app, door
        self._names = door.names()
        self._token = None if door.token is None else f"Bearer {door.token}".encode()
        self._rates = Rates(door.rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *CAUTION]
            await send(message)

        refused = self._why_refused(scope)
        await (refused or self.app)(scope, receive, with_headers)

    def _why_refused(self, scope: Scope) -> JSONResponse | None:
        hosts, origins, given = [], [], b""
        for name, value in scope["headers"]:
            if name == b"host":
                hosts.append(value.decode("latin-1"))
            elif name == b"origin":
                origins.append(value.decode("latin-1"))
            elif name == b"authorization":
                given = value
        if len(hosts) != 1 or (self._names is not None and hosts[0].lower() not in self._names):
            return refusal("Host: this name is not allowed; allow it with --allow-host", 403)
        if any(origin != f"{self.door.scheme}://{hosts[0]}" for origin in origins):
            return refusal("Origin: requests from pages of other sites are not allowed", 403)
        client = scope.get("client")
        wait = self._rates.wait(client[0] if client else "")
        if wait > 0:
            return refusal("too many requests; retry later", 429, wait)
        path = scope["path"]
        if self._token is None or path in OPEN_PATHS or path.startswith("/page/"):
            return None
        if not hmac.compare_digest(given, self._token):
            answer = refusal("Authorization: a token is required: Bearer …", 401)
            answer.headers["www-authenticate"] = "Bearer"
            return answer
        return None


class Rates:
    """Requests of each address: a bucket that fills at the rate and holds one second of it.

    >>> rates = Rates(2.0, clock=lambda: 0.0)
    >>> [rates.wait("here") for _ in range(3)], rates.wait("there")
    ([0.0, 0.0, 0.5], 0.0)
    """

    def __init__(self, rate: float, clock: Any = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, address: str) -> float:
        """Seconds until the next request may come; 0: this one may."""
        if not self._rate:
            return 0.0
        now = self._clock()
        left, at = self._left.pop(address, (max(1.0, self._rate), now))
        left = min(max(1.0, self._rate), left + max(0.0, now - at) * self._rate)
        may = left >= 1.0
        self._left[address] = (left - 1.0 if may else left), now
        if len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if may else (1.0 - left) / self._rate


def refusal(sentence: str, status: int, wait: float = 0.0) -> JSONResponse:
    """An error: a sentence."""
    headers = {"retry-after": str(max(1, round(wait + 0.5)))} if wait else None
    return JSONResponse({"error": sentence}, status, headers)
