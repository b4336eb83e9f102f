"""uvicorn's HTTP protocols with a limit on the size of the URL and headers, for the service and the lab.

httptools has no such limit, and h11 checks its limit only while the request head is incomplete. uvicorn is
imported only inside the functions, because nothing else needs it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

LARGEST_HEAD = 65_536
"""Limit on the bytes of the URL and the headers together."""

_MESSAGE = b'{"error":"URL and headers together are larger than 64 KB"}'
_REFUSAL = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/json\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%s" % (len(_MESSAGE), _MESSAGE)
)


def limited_protocol() -> Any:
    """Return uvicorn's protocol class with the size limit: httptools if it is installed, otherwise h11."""
    try:
        return limited_httptools()
    except ImportError:
        return limited_h11()


def _is_too_large(url: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return len(url) + sum(len(name) + len(value) + 4 for name, value in headers) > LARGEST_HEAD


def _refuse(transport: Any) -> None:
    if not transport.is_closing():
        transport.write(_REFUSAL)
        transport.close()


def limited_httptools() -> Any:
    """Return uvicorn's httptools protocol class (the faster one) with the size limit."""
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    class Limited(HttpToolsProtocol):
        _pending = 0  # bytes received since the last complete head, part of a body, or message
        _too_large = False

        def data_received(self, data: bytes) -> None:
            self._pending += len(data)
            super().data_received(data)
            if self._pending > LARGEST_HEAD:
                _refuse(self.transport)

        def on_headers_complete(self) -> None:
            self._pending = 0
            if _is_too_large(self.url, self.headers):
                self._too_large = True
                raise ValueError("head too large")  # ends the parser, which responds with the method below
            super().on_headers_complete()

        def on_body(self, body: bytes) -> None:
            self._pending = 0
            super().on_body(body)

        def on_message_complete(self) -> None:
            self._pending = 0
            super().on_message_complete()

        def send_400_response(self, msg: str) -> None:
            if self._too_large:
                _refuse(self.transport)
            else:
                super().send_400_response(msg)

    return Limited


def limited_h11() -> Any:
    """Return uvicorn's h11 protocol class with the size limit; h11 is always installed with uvicorn."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Connection(h11.Connection):
        too_large = False

        def next_event(self) -> Any:
            try:
                event = super().next_event()
            except h11.RemoteProtocolError as error:
                self.too_large = error.error_status_hint == 431
                raise
            if isinstance(event, h11.Request) and _is_too_large(event.target, event.headers):
                self.too_large = True
                raise h11.RemoteProtocolError("head too large", error_status_hint=431)
            return event

    class Limited(H11Protocol):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            self.conn: Connection = Connection(h11.SERVER, LARGEST_HEAD)

        def send_400_response(self, msg: str) -> None:
            if self.conn.too_large:
                _refuse(self.transport)
            else:
                super().send_400_response(msg)

    return Limited
