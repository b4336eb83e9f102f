"""The server process: socket, HTTP server and signals."""

from __future__ import annotations

import gc
import os
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

from rosenblatt.errors import needs_extra
from rosenblatt.request_limits import limited_protocol
from rosenblatt.serve.address import Address

BACKLOG = 2048  # connections that wait to be accepted
LONGEST_IDLE = 40.0  # seconds; uvicorn's own limit after a response is thirty
SWITCH = 0.00005  # interpreter switch interval in seconds, so that the worker soon gets its turn


def run(make_host: Callable[[], Any], address: Address, say: Callable[[str], None]) -> None:
    """Recover the model, serve until SIGTERM or Ctrl-C, then write a snapshot."""
    with needs_extra("serve", "serve"):
        import msgspec  # noqa: F401
        import uvicorn
        from starlette.applications import Starlette  # noqa: F401
    from dataclasses import replace

    from rosenblatt.serve.app import make_app

    address.check()
    sys.setswitchinterval(SWITCH)
    host, listening = make_host(), None
    try:
        listening = _listen(address)
        address = replace(address, port=listening.getsockname()[1])
        config = uvicorn.Config(
            make_app(host, address), log_level="warning", access_log=False, server_header=False,
            timeout_keep_alive=30, timeout_graceful_shutdown=10, ssl_certfile=address.certificate,
            ssl_keyfile=address.key, http=limited_protocol(), ws="none", proxy_headers=False,
            backlog=BACKLOG,
        )  # fmt: skip
        server = _server(uvicorn.Server, config, lambda: say(_last_words(address, host)))
        gc.collect()
        gc.freeze()  # objects that exist now are never collected
        host.start()
        say(f"{address.url} is ready; {host.role}, {host.health().learned:,} examples learned")
        server.run([listening])
    except BaseException:
        host.stop()
        if listening is not None:
            listening.close()
        raise


def _last_words(address: Address, host: Any) -> str:
    return f"{address.url} has stopped; {host.health().learned:,} examples learned"


def _server(of: Any, config: Any, after: Callable[[], None]) -> Any:
    """Return a server that closes idle connections and calls `after` once it has shut down.

    It has to be called here, because uvicorn raises SIGTERM again before its `run` returns.
    """
    seen: dict[Any, tuple[Any, float]] = {}

    class ClosingServer(of):
        async def on_tick(self, counter: int) -> bool:
            if counter % 50 == 0:  # every five seconds
                close_idle(self.server_state.connections, seen, time.monotonic())
            return bool(await super().on_tick(counter))

        async def shutdown(self, sockets: Any = None) -> None:
            await super().shutdown(sockets)
            after()

    return ClosingServer(config)


def close_idle(connections: Any, seen: dict[Any, tuple[Any, float]], now: float) -> None:
    """Close connections that have been idle for too long.

    `seen` maps each idle connection to its last request and the time at which it became idle.
    """
    idle = {each for each in connections if each.cycle is None or each.cycle.response_complete}
    for gone in set(seen) - idle:
        del seen[gone]
    for each in idle:
        last, since = seen.get(each, (each.cycle, now))
        seen[each] = (last, since) if last is each.cycle else (each.cycle, now)
        if last is each.cycle and now - since > LONGEST_IDLE:
            each.transport.abort()


def _listen(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    # with an explicit protocol of TCP, asyncio sets TCP_NODELAY and sends small responses immediately
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name != "nt":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address.host, address.port))
        listening.listen(BACKLOG)  # now, so that a service that is reported as ready accepts connections
    except OSError as error:
        listening.close()
        raise OSError(
            error.errno,
            f"{error.strerror}; give another --port, or 0 for any that is free",
            f"{address.host}:{address.port}",
        ) from error
    return listening
