"""The static files of the lab: a web server on 127.0.0.1, and the files written to a folder."""

from __future__ import annotations

import contextlib
import gzip
import threading
import webbrowser
from collections.abc import Callable, Iterator
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rosenblatt.errors import BadInput
from rosenblatt.traces.viewer.bundle import style

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".md": "text/markdown; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
}
"""Content type of each kind of file that belongs to the site."""


@cache
def site_files() -> dict[str, bytes]:
    """Return the content of every file of the site by its path.

    The site contains the files of `course/lab/site` and, in the folder ``viewer``, the modules with which
    replays are drawn.

    >>> "index.html" in site_files(), "viewer/plane.js" in site_files()
    (True, True)
    """
    files = dict(_files(resources.files("rosenblatt.course.lab").joinpath("site"), ""))
    for file in resources.files("rosenblatt.traces.viewer").iterdir():
        if file.name.endswith(".js"):
            files[f"viewer/{file.name}"] = file.read_bytes()
    files["viewer/viewer.css"] = style().encode()  # with the colours of the classes
    return files


def _files(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        elif _kind(entry.name) and entry.name not in ("README.md", "test.js"):
            yield f"{prefix}{entry.name}", entry.read_bytes()


@cache
def gzip_file(path: str) -> bytes:
    """Return a file of the site as gzip.

    >>> len(gzip_file("lab.css")) < len(site_files()["lab.css"]) / 2
    True
    """
    return gzip.compress(site_files()[path], mtime=0)


def _kind(path: str) -> str | None:
    return KINDS.get(Path(path).suffix)


def build_site(folder: Path) -> int:
    """Write the site to a folder, from which any web server can publish it; return the number of files.

    Files that do not belong to the site stay unchanged.

    Raises
    ------
    BadInput
        If the folder cannot be written.
    """
    files = site_files()
    try:
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except OSError as error:
        raise BadInput(f"cannot write the lab to {folder}: {error.strerror or error}") from error
    return len(files)


class _Handler(BaseHTTPRequestHandler):
    """Answer GET and HEAD requests for files of the site, from this machine only."""

    server_version = "rosenblatt-lab"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 18  # headers and body in one packet: the second of two would wait for 40 ms

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        if not self._is_local():
            self._send(
                HTTPStatus.FORBIDDEN, b"The lab answers only requests for 127.0.0.1.\n", None, with_body
            )
            return
        path = unquote(urlsplit(self.path).path).lstrip("/")
        path = path + "index.html" if path == "" or path.endswith("/") else path
        content = site_files().get(path)
        if content is None:
            self._send(HTTPStatus.NOT_FOUND, b"There is no such file; the lab is at /.\n", None, with_body)
        elif "gzip" in self.headers.get("Accept-Encoding", ""):
            self._send(HTTPStatus.OK, gzip_file(path), _kind(path), with_body, "gzip")
        else:
            self._send(HTTPStatus.OK, content, _kind(path), with_body)

    def _is_local(self) -> bool:
        """Return whether the request names this machine, so that no other site can read the pages."""
        host = self.headers.get("Host", "").rsplit(":", 1)[0]
        return host in ("127.0.0.1", "localhost")

    def _send(
        self, status: HTTPStatus, content: bytes, kind: str | None, with_body: bool, encoding: str = ""
    ) -> None:
        self.send_response(status)
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.send_header("Content-Type", kind or "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        if with_body:
            self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Write no line for each request."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore browsers that close a connection early."""


def make_server(port: int) -> ThreadingHTTPServer:
    """Return a server for 127.0.0.1 that is not running yet; port 0 chooses a free port.

    Raises
    ------
    BadInput
        If the port is in use.
    """
    try:
        return _Server(("127.0.0.1", port), _Handler)
    except OSError as error:
        raise BadInput(
            f"port {port}: {str(error.strerror or error).lower()}; "
            "give another with --port, or 0 for any that is free"
        ) from error


def serve(port: int, *, open_browser: bool, say: Callable[[str], None]) -> None:
    """Serve the lab until Ctrl-C."""
    server = make_server(port)
    address = f"http://127.0.0.1:{server.server_port}/"
    say(f"The lab is at {address} (Ctrl-C stops it).")
    if open_browser:
        threading.Timer(0.2, webbrowser.open, [address]).start()
    with contextlib.suppress(KeyboardInterrupt), server:
        server.serve_forever()
