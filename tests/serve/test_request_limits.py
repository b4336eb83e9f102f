"""URL and headers of a request are bounded, with either parser."""

import contextlib
import os
import socket
from pathlib import Path

import pytest

from fuzz.serve_torture import Process, get
from rosenblatt.request_limits import LARGEST_HEAD, limited_h11, limited_httptools
from tests.patience import HANGS
from tests.serve.serving import run_server

HEAD = b"GET / HTTP/1.1\r\nHost: here\r\n"
LINE = b"X-A: " + b"a" * 1000 + b"\r\n"


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture(scope="module", params=[limited_httptools, limited_h11])
def port(request):
    with run_server(lambda port: app, http=request.param(), log_level="critical", lifespan="off") as port:
        yield port


def answer_to(port, *parts):
    """Send the parts; return what comes back until the connection is closed or nothing more comes."""
    with socket.create_connection(("127.0.0.1", port), timeout=HANGS) as connection:
        with contextlib.suppress(OSError):  # refused while it was being sent
            for part in parts:
                connection.sendall(part)
        received = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                received += piece
                if received.endswith(b"ok"):
                    break
        return received


TOO_LARGE = {
    "many headers": HEAD + LINE * 70 + b"\r\n",
    "one header": HEAD + b"X: " + b"a" * 70_000 + b"\r\n\r\n",
    "a URL": b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: here\r\n\r\n",
    "a head that does not end": HEAD + b"X: " + b"a" * 70_000,
    "a URL that does not end": b"GET /" + b"a" * 70_000,
    "trailers": b"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_head_of_more_than_64_kb_is_answered_with_431_and_the_connection_is_closed(port, name):
    more = (b"0\r\n", *[LINE] * 400) if name == "trailers" else ()
    received = answer_to(port, TOO_LARGE[name], *more)
    # a client that still sends when the connection is closed may lose the answer to a reset
    assert received.startswith(b"HTTP/1.1 431 ") or (name == "trailers" and not received)
    assert b" 200 " not in received


def test_an_endless_head_is_cut_off_soon(port):
    sent = 0
    with (
        socket.create_connection(("127.0.0.1", port), timeout=HANGS) as connection,
        contextlib.suppress(OSError),
    ):
        connection.sendall(HEAD)
        while sent < 50_000_000:
            sent += connection.send(LINE * 50)
    assert sent < 50_000_000


def test_a_head_of_less_than_64_kb_and_a_large_body_are_answered(port):
    n = (LARGEST_HEAD - 1000) // len(LINE)
    assert answer_to(port, HEAD + LINE * n + b"\r\n").startswith(b"HTTP/1.1 200 ")
    body = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000000\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=HANGS) as connection:
        for _ in range(2):  # the second request begins in the piece that ends the first body
            connection.sendall(body + b"a" * 1_000_000)
        received = b""
        while received.count(b"HTTP/1.1 200 ") < 2 or not received.endswith(b"ok"):
            received += connection.recv(65536)


def resident(process):
    """Return the memory of a process in MB."""
    with open(f"/proc/{process.pid}/status") as lines:
        return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS"))


def processor_seconds(process):
    """Return the processor time of a process."""
    times = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory and time from /proc")
def test_300_slow_or_endless_clients_delay_no_other_client_and_take_little_memory(tmp_path):
    service = Process(str(tmp_path / "log"), ["--classes", "ham,spam"])
    with contextlib.ExitStack() as stack:
        stack.callback(service.kill)
        start = f"POST /learn HTTP/1.1\r\nhost: 127.0.0.1:{service.port}\r\n".encode()
        body = b"content-type: application/json\r\ncontent-length: 16000000\r\n\r\n"
        kinds = [  # what a client begins with, and what it goes on with
            (b"", b""),
            (b"", b"P"),
            (start, b"x"),
            (start + body, b" "),
            (start, b"x-a: " + b"a" * 30_000 + b"\r\n"),
            (b"GET /", b"a" * 30_000),
        ]
        get(service.port, "/health")
        before = resident(service.process)
        clients = []
        for k in range(300):
            connection = socket.create_connection(("127.0.0.1", service.port), timeout=HANGS)
            clients.append((stack.enter_context(connection), *kinds[k % len(kinds)]))
        for connection, first, _ in clients:
            connection.sendall(first)
            connection.setblocking(False)
        rounds, began = 25, processor_seconds(service.process)
        for _ in range(rounds):
            for connection, _, more in clients:
                with contextlib.suppress(OSError):  # refused, or it does not take more now
                    connection.send(more)
            assert get(service.port, "/health")[0] == 200
        spent = processor_seconds(service.process) - began
        grown = resident(service.process) - before
    # what the service spends before it answers, since other programs delay the answer too
    assert spent / rounds < 0.2
    assert grown < 100
