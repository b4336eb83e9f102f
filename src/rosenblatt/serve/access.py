"""Access control of a service: token, request rate, and the headers Host and Origin.

A web page from another site, open in the same browser, can send requests to this machine, and the owner of
that site can make one of its host names resolve to this machine. So the Host header must contain a known
name, and an Origin header must refer to the same host.
"""

from __future__ import annotations

import hmac
import time
from collections import OrderedDict
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rosenblatt.serve.address import Address
from rosenblatt.serve.replies import JsonReply, error_reply

MOST_CLIENTS = 10_000  # clients whose rates are stored
SAFETY = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
HEADERS = [(name.encode(), value.encode()) for name, value in SAFETY.items()]
OPEN_PATHS = ("/", "/health", "/openapi.json")  # and /page/…: these contain no learned data


class Guard:
    """ASGI middleware that refuses unauthorised requests and adds security headers to every response."""

    def __init__(self, app: ASGIApp, address: Address) -> None:
        self.app, self.address = app, address
        self._names = address.host_names()
        self._token = None if address.token is None else f"Bearer {address.token}".encode()
        self._rates = Rates(address.rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        refusal = self._refuse(scope)
        await (refusal or self.app)(scope, receive, with_headers)

    def _refuse(self, scope: Scope) -> JsonReply | None:
        hosts, origins, given = [], [], b""
        for name, value in scope["headers"]:
            if name == b"host":
                hosts.append(value.decode("latin-1"))
            elif name == b"origin":
                origins.append(value.decode("latin-1"))
            elif name == b"authorization":
                given = value
        if len(hosts) != 1 or (self._names is not None and hosts[0].lower() not in self._names):
            return error_reply("Host: this name is not allowed; allow it with --allow-host", 403)
        if any(origin != f"{self.address.scheme}://{hosts[0]}" for origin in origins):
            return error_reply("Origin: requests from pages of other sites are not allowed", 403)
        client = scope.get("client")
        wait = self._rates.wait(client[0] if client else "")
        if wait > 0:
            return error_reply("too many requests; retry later", 429, wait)
        path = scope["path"]
        if self._token is None or path in OPEN_PATHS or path.startswith("/page/"):
            return None
        if not hmac.compare_digest(given, self._token):
            reply = error_reply("Authorization: a token is required: Bearer …", 401)
            reply.headers.append((b"www-authenticate", b"Bearer"))
            return reply
        return None


class Rates:
    """Limit the request rate of each client with a token bucket that holds the requests of one second.

    >>> rates = Rates(2.0, clock=lambda: 0.0)
    >>> [rates.wait("here") for _ in range(3)], rates.wait("there")
    ([0.0, 0.0, 0.5], 0.0)
    """

    def __init__(self, rate: float, clock: Any = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, address: str) -> float:
        """Return 0 and count the request, or return the seconds after which it may be sent again."""
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
