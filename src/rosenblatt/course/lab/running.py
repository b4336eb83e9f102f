"""`serve`: run the lab on a local port until it is stopped."""

from __future__ import annotations

import errno
import socket
import threading
import webbrowser
from collections.abc import Callable

from rosenblatt.course.lab.text import _require_libraries
from rosenblatt.errors import BadInput
from rosenblatt.request_limits import limited_protocol

HOME = "127.0.0.1"


def listening_socket(port: int) -> socket.socket:
    """Return a socket that accepts local connections only; port 0 selects any free port."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOME, port))
        listening.listen()  # from here on a browser waits instead of failing
    except OSError as error:
        listening.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise BadInput(
                f"port {port}: {str(error.strerror).lower()}; "
                "give another with --port, or 0 for any that is free"
            ) from error
        raise
    return listening


def serve(port: int = 8765, open_browser: bool = True, say: Callable[[str], None] = print) -> None:
    """Serve the lab on 127.0.0.1 until Ctrl-C, after computing the initial state of every chapter."""
    _require_libraries()
    import uvicorn

    from rosenblatt.course.lab.chapters import CHAPTERS
    from rosenblatt.course.lab.last_answers import Answers
    from rosenblatt.course.lab.server import make_app

    listening = listening_socket(port)
    port = listening.getsockname()[1]
    address = f"http://{HOME}:{port}/"
    answers = Answers()
    for number, chapter in enumerate(CHAPTERS.values(), start=1):
        say(f"Preparing chapter {number} of {len(CHAPTERS)}: {chapter.title}")
        answers.to(chapter, {})
    say(f"The lab is running at {address} (Ctrl-C stops it).")
    config = uvicorn.Config(
        make_app(port, answers),
        http=limited_protocol(),
        log_level="error",
        access_log=False,
        timeout_keep_alive=75,
        limit_concurrency=64,
    )
    if open_browser:
        threading.Timer(0.3, webbrowser.open, [address]).start()
    uvicorn.Server(config).run(sockets=[listening])
