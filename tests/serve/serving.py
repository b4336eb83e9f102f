"""A service in this process, with and without a socket."""

import asyncio
import gc
import json
import socket
import threading
import time
from contextlib import ExitStack, contextmanager, suppress

import uvicorn
from starlette.testclient import TestClient

from rosenblatt import Learner
from rosenblatt.models.loaded import LoadedLearner
from rosenblatt.serve.address import Address
from rosenblatt.serve.app import make_app
from rosenblatt.serve.service import open_service
from tests.patience import HANGS


class Api:
    """Send requests to a service; return replies."""

    def __init__(self, client, service):
        self.client, self.service = client, service

    def post(self, path, reply, **more):
        headers = {"content-type": "application/json", **more.pop("headers", {})}
        content = reply if isinstance(reply, (bytes, str)) else json.dumps(reply)
        return self.client.post(path, content=content, headers=headers, **more)

    def learn(self, *examples, **more):
        return self.post("/learn", {"examples": [dict(e) for e in examples]}, **more).json()


@contextmanager
def serve(path, begin=None, address=None, **options):
    """begin: what makes the model of a new log; a Learner by default."""
    address = address or Address()
    begin = begin or (lambda: LoadedLearner(Learner()))
    service = open_service(str(path), begin, "", **options)
    with ExitStack() as unless_running:
        unless_running.callback(service.stop)
        service.start()
        client = TestClient(make_app(service, address), base_url=f"http://127.0.0.1:{address.port}")
        with client:
            unless_running.pop_all()  # the app stops the service
            yield Api(client, service)


def leader(path, learner=None):
    """Return a service of a Learner, for `listen`."""
    return open_service(str(path), lambda: LoadedLearner(learner or Learner()), "")


def run(server, listening):
    with suppress(SystemExit):  # of a server that cannot start
        server.run([listening])


@contextmanager
def run_server(make_app, **options):
    """Serve `make_app(port)` on a free port, in a thread; on any error too, the socket is closed."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
            config = uvicorn.Config(make_app(port), ws="none", **options)
            config.load()  # in this thread, so that a missing module is an error here
            server = uvicorn.Server(config)
            thread = threading.Thread(target=run, args=(server, listening), daemon=True)
            thread.start()
            try:
                while not server.started:
                    assert thread.is_alive(), "the server ended before it had started"
                    time.sleep(0.01)
                yield port
            finally:
                server.should_exit = True
                thread.join()
    finally:
        gc.collect()  # a socket left open is reported here and not in a later test


@contextmanager
def listen(make_host):
    """A service on a socket, in a thread."""
    host = make_host()
    with ExitStack() as unless_running:
        unless_running.callback(host.stop)
        host.start()
        with run_server(lambda port: make_app(host, Address(port=port)), log_level="error") as port:
            unless_running.pop_all()  # the app stops the service
            yield f"http://127.0.0.1:{port}"


def record_time_limits(monkeypatch):
    """Return a list to which each time limit of a server is added when it starts."""
    started, timeout = [], asyncio.timeout

    def start(seconds):
        limit = timeout(seconds)
        started.append((asyncio.get_running_loop(), limit))
        return limit

    monkeypatch.setattr(asyncio, "timeout", start)
    return started


def expire(loop, limit):
    """End a time limit now."""
    loop.call_soon_threadsafe(limit.reschedule, 0)


def until(condition):
    """Wait until a condition holds."""
    end = time.monotonic() + HANGS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def model_bytes(api):
    return api.client.get("/model").content


def learner_bytes(learner, folder):
    from rosenblatt.storage.learners import save_learner

    path = folder / "expected.safetensors"
    save_learner(learner, path)
    return path.read_bytes()
