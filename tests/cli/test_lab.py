"""`rosenblatt lab`: it starts, answers this machine only, ends at Ctrl-C, and writes its site."""

from __future__ import annotations

import gzip
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from rosenblatt.cli.exits import BAD_DATA
from rosenblatt.cli.main import main
from rosenblatt.course.lab.static_site import make_server, site_files
from tests.patience import HANGS

COMMAND = [sys.executable, "-m", "rosenblatt.cli.main", "lab", "--no-browser"]


@pytest.fixture
def port() -> Iterator[int]:
    """The port of a running lab."""
    with make_server(0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


class Reply(NamedTuple):
    status: int
    kind: str
    body: bytes


def answer(port: int, path: str, method: str = "GET", **headers: str) -> Reply:
    with closing(HTTPConnection("127.0.0.1", port, timeout=HANGS)) as connection:
        connection.request(
            method, path, headers={"Host": f"127.0.0.1:{port}", "Connection": "close", **headers}
        )
        with connection.getresponse() as reply:
            return Reply(reply.status, reply.headers.get("Content-Type", ""), reply.read())


@pytest.mark.usefixtures("interruptible")
def test_the_lab_answers_and_ends_at_ctrl_c():
    process = subprocess.Popen([*COMMAND, "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        assert "The lab is at http://127.0.0.1:" in line
        with urllib.request.urlopen(line.split()[4], timeout=HANGS) as page:
            assert b"rosenblatt lab" in page.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(HANGS) in (0, 130)
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def test_a_port_that_is_taken_is_reported():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(main, ["lab", "--no-browser", "--port", port])
    assert result.exit_code == BAD_DATA
    assert f"port {port}: address already in use; give another with --port" in result.stderr
    assert result.stdout == ""


def test_the_site_that_is_written_is_the_site_that_is_served(tmp_path, port):
    result = CliRunner().invoke(main, ["lab", "--build", str(tmp_path / "lab")])
    assert result.exit_code == 0, result.output
    assert f"Wrote {len(site_files())} files" in result.stdout
    for path, content in site_files().items():
        assert (tmp_path / "lab" / path).read_bytes() == content
        assert answer(port, f"/{path}").body == content


def test_a_folder_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "lab").write_text("a file")
    result = CliRunner().invoke(main, ["lab", "--build", str(tmp_path / "lab" / "inner")])
    assert result.exit_code == BAD_DATA
    assert "cannot write the lab to" in result.stderr


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/", "text/html"), ("/shell/page.js", "text/javascript"), ("/lab.css", "text/css")],
)
def test_files_are_served_with_their_content_type(port, path, kind):
    response = answer(port, path)
    assert response.status == 200
    assert response.kind.startswith(kind)


@pytest.mark.parametrize("path", ["/nothing.js", "/../__init__.py", "/%2e%2e/static_site.py", "/chapters"])
def test_nothing_else_is_served(port, path):
    assert answer(port, path).status == 404


def test_a_request_for_another_host_is_refused(port):
    assert answer(port, "/", Host="example.org").status == 403
    assert answer(port, "/", "HEAD").status == 200
    assert answer(port, "/", "POST").status == 501


def test_files_are_compressed_for_browsers_that_accept_it(port):
    plain, packed = answer(port, "/lab.css"), answer(port, "/lab.css", **{"Accept-Encoding": "gzip, br"})
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 2


def test_headers_and_body_are_sent_together(port: int) -> None:
    # in two packets, the second one waits for a delayed acknowledgement: 40 ms for each file of a page
    with socket.create_connection(("127.0.0.1", port), timeout=HANGS) as connection:
        connection.sendall(f"GET /lab.css HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        assert b"\r\n\r\n" + site_files()["lab.css"][:100] in connection.recv(1 << 16)
