"""A fault gets a status and a message, leaves nothing half-done, and the service continues."""

import gc
import json
import os
import socket
import sys
from types import SimpleNamespace

import pytest

from fuzz.serve_torture import Process, get, torture
from rosenblatt import Client, Learner
from rosenblatt.serve import http_server, log, service, worker
from rosenblatt.serve.address import Address
from rosenblatt.serve.http_server import close_idle
from rosenblatt.serve.log import Log
from tests.patience import HANGS
from tests.serve.serving import (
    expire,
    leader,
    learner_bytes,
    listen,
    model_bytes,
    record_time_limits,
    serve,
    until,
)  # fmt: skip

DEEP = b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b', "y": 1}'
REFUSED = {
    "no json": ("/learn", b"{", 400),
    "no utf-8": ("/learn", b'{"x": "\xff", "y": 1}', 400),
    "NaN": ("/learn", b'{"x": [NaN], "y": 1}', 400),
    "infinite": ("/learn", b'{"x": [-1e101], "y": 1}', 422),
    "beyond doubles": ("/learn", b'{"x": [1e999], "y": 1}', (400, 422)),  # as the parser of JSON has it
    "too long a number": ("/learn", b'{"x": [' + b"9" * 5000 + b'], "y": 1}', 422),
    "beyond all measure": ("/learn", b'{"x": {"a": 1e200}, "y": 1}', 422),
    "deep": ("/learn", DEEP, 400),
    "a list": ("/learn", b"[]", 422),
    "no examples": ("/learn", b'{"examples": []}', 422),
    "too many": ("/learn", json.dumps({"examples": [{"x": [1], "y": 1}] * 10_001}).encode(), 413),
    "a null": ("/learn", b'{"x": null, "y": 1}', 422),
    "no label": ("/learn", b'{"x": {"a": 1}}', 422),
    "labels of some": ("/learn", b'{"examples": [{"x": [1], "y": 1}, {"x": [1]}]}', 422),
    "a strange field": ("/learn", b'{"x": [1], "y": 1, "weight": 2}', 422),
    "an object as label": ("/learn", b'{"x": {"a": 1}, "y": {}}', 422),
    "another label": ("/learn", b'{"x": {"a": 1}, "y": "ham"}', 422),
    "numbers for names": ("/learn", b'{"x": [1, 2], "y": 1}', 422),
    "a list of lists": ("/learn", b'{"x": [[1], [2]], "y": 1}', 422),
    "a list as value": ("/learn", b'{"x": [1, [], 0], "y": 1}', 422),
    "an object as value": ("/learn", b'{"x": {"a": {}}, "y": 1}', 422),
    "a number as id": ("/learn", b'{"x": {"a": 1}, "y": 1, "id": 7}', 422),
    "an id of ours": ("/learn", b'{"x": {"a": 1}, "y": 1, "id": "a7"}', 422),
    "a long id": ("/learn", json.dumps({"x": {"a": 1}, "y": 1, "id": "i" * 201}).encode(), 422),
    "a long name": ("/learn", json.dumps({"x": {"n" * 4001: 1}, "y": 1}).encode(), 422),
    "half a letter": ("/learn", b'{"x": {"\\ud800": 1}, "y": 1}', 400),
    "an unknown id": ("/reveal", b'{"id": "nobody", "y": 1}', 404),
    "reveal of x": ("/reveal", b'{"id": "nobody", "x": [1], "y": 1}', 422),
    "one id twice": ("/answer", b'{"examples": [{"x": {}, "id": "i"}, {"x": {}, "id": "i"}]}', 422),
    "answer with label": ("/answer", b'{"x": {"a": 1}, "y": 1}', 422),
}


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    with serve(tmp_path_factory.mktemp("faults") / "log") as one:
        one.learn({"x": {"a": 1.0}, "y": 1}, {"x": {"b": 1.0}, "y": -1})
        yield one


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_request_gets_a_message_and_changes_nothing(api, case):
    path, body, status = REFUSED[case]
    before = model_bytes(api)
    answer = api.post(path, body)
    assert answer.status_code in (status if isinstance(status, tuple) else (status,)), answer.text
    assert len(answer.json()["error"]) > 10
    assert model_bytes(api) == before
    assert api.service.log.position == api.service.learned


def test_a_body_over_the_limit_or_of_another_kind_is_refused(api):
    assert api.post("/learn", b" " * 16_000_001).status_code == 413
    assert api.post("/learn", b"x", headers={"content-type": "text/csv"}).status_code == 415
    kind = {"content-type": "application/vnd.apache.arrow.stream"}
    assert api.post("/learn", b"not arrow", headers=kind).status_code == 400
    assert api.client.get("/learn").status_code == 405
    assert api.client.get("/../../etc/passwd").status_code == 404
    assert "POST /answer" in api.client.post("/predict").json()["error"]
    assert api.client.get("/page/..%2f..%2fpage.html").status_code == 404


def test_a_slow_body_is_refused_and_delays_no_other_request(tmp_path, monkeypatch):
    limits = record_time_limits(monkeypatch)
    with listen(lambda: leader(tmp_path / "log")) as url:
        port = int(url.rpartition(":")[2])
        head = f"POST /learn HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
        client = Client(url)
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.sendall(head.encode() + b'content-length: 40\r\n\r\n{"x": {"a"')
            until(lambda: limits)
            assert client.learn({"a": 1.0}, 1)
            expire(*limits[0])
            assert slow.recv(1000).startswith(b"HTTP/1.1 408")
        client.close()


def test_a_service_that_is_reported_as_ready_accepts_connections(monkeypatch):
    """And a start that fails after that closes its socket and its log."""
    monkeypatch.setattr(sys, "setswitchinterval", lambda _: None)  # not for the whole process
    monkeypatch.setattr(gc, "freeze", lambda: None)
    stopped = []
    host = SimpleNamespace(
        role="leader",
        start=lambda: None,
        stop=lambda: stopped.append(1),
        health=lambda: SimpleNamespace(learned=0),
    )

    def connect_and_fail(message):
        port = int(message.split(" ")[0].rpartition(":")[2])
        socket.create_connection(("127.0.0.1", port), timeout=HANGS).close()
        raise ZeroDivisionError(message)

    with pytest.raises(ZeroDivisionError, match="is ready"):
        http_server.run(lambda: host, Address(port=0), connect_and_fail)
    gc.collect()  # a socket left open is an error here
    assert stopped == [1]


def test_a_service_reports_that_it_has_stopped(tmp_path):
    service = Process(str(tmp_path / "log"), [])
    try:
        get(service.port, "/health")  # the server handles signals once it replies
        service.process.terminate()
        service.process.wait()
        assert f"127.0.0.1:{service.port} has stopped; 0 examples learned" in service.said()
    finally:
        service.kill()


def test_idle_connections_are_closed():
    class Connection:
        def __init__(self, cycle):
            self.cycle, self.transport, self.aborted = cycle, self, 0

        def abort(self):
            self.aborted += 1

    silent, answered, busy = (
        Connection(None),
        Connection(SimpleNamespace(response_complete=True)),
        Connection(SimpleNamespace(response_complete=False)),
    )
    every, seen = {silent, answered, busy}, {}
    for now in (0.0, 39.0):
        close_idle(every, seen, now)
    answered.cycle = SimpleNamespace(response_complete=True)  # it asked again
    close_idle(every, seen, 41.0)
    assert [each.aborted for each in (silent, answered, busy)] == [1, 0, 0]
    close_idle({busy}, seen, 42.0)
    assert not seen


def test_a_full_queue_states_when_to_retry(api, monkeypatch):
    monkeypatch.setattr(worker, "MOST_WAITING", 0)
    api.service.waiting += 1
    try:
        answer = api.post("/learn", {"x": {"a": 1.0}, "y": 1})
    finally:
        api.service.waiting -= 1
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


@pytest.mark.parametrize(
    ("pragma", "back", "message"),
    [
        ("PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000", "no space"),  # a full disk
        ("PRAGMA query_only = ON", "PRAGMA query_only = OFF", "cannot be written"),
    ],
)
def test_a_full_disk_stops_learning_and_nothing_else(tmp_path, pragma, back, message):
    twin = Learner()
    with serve(tmp_path / "log") as api:
        for n in range(3):
            api.learn({"x": {f"a{n}": 1.0}, "y": 1})
            twin.learn({f"a{n}": 1.0}, 1)
        api.service.log._db.execute(pragma)
        big = {"examples": [{"x": {f"new{j}": 1.0, f"other{j}": 2.0}, "y": -1} for j in range(200)]}
        answer = api.post("/learn", big)
        assert answer.status_code == 507
        assert message in answer.json()["error"]
        assert message in api.client.get("/health").json()["trouble"]
        assert api.post("/answer", {"x": {"a1": 1.0}, "remember": False}).json()["answers"] == [1]
        assert model_bytes(api) == learner_bytes(twin, tmp_path)
        api.service.log._db.execute(back)
        assert api.post("/answer", {"x": {"a1": 1.0}}).status_code == 200  # small, so it may fit before
        assert message in api.client.get("/health").json()["trouble"]
        assert api.post("/learn", big).status_code == 200  # and the same names get the same numbers
        for each in big["examples"]:
            twin.learn(each["x"], each["y"])
        assert model_bytes(api) == learner_bytes(twin, tmp_path)
        assert api.client.get("/health").json()["trouble"] is None


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="cannot be written"):
        Log(str(tmp_path / "file" / "log"))


def test_times_in_the_log_never_decrease(tmp_path, monkeypatch):
    with serve(tmp_path / "log") as api:
        api.learn({"x": {"a": 1.0}, "y": 1})
        monkeypatch.setattr(log.time, "time", lambda: 1000.0)
        api.learn({"x": {"a": 1.0}, "y": -1})
        lines = [json.loads(line) for line in api.client.get("/log").text.splitlines()]
    assert lines[1]["at"] >= lines[0]["at"] > 1e9


def test_after_an_unforeseen_error_the_weights_are_rebuilt_from_the_log(tmp_path, monkeypatch, capfd):
    twin = Learner()
    with serve(tmp_path / "log") as api:
        monkeypatch.setattr(api.service.model, "learn", lambda *_: 1 / 0)  # that one, and none after it
        failed = api.post("/learn", {"x": {"a": 1.0}, "y": 1})
        assert failed.status_code == 500  # it is on the disk, but no client has received a reply
        assert api.post("/learn", {"x": {"b": 1.0}, "y": -1}).json()["position"] == 2
        for x, y in (({"a": 1.0}, 1), ({"b": 1.0}, -1)):
            twin.learn(x, y)
        assert model_bytes(api) == learner_bytes(twin, tmp_path)
        monkeypatch.setattr(service, "recover", lambda *_: 1 / 0)
        monkeypatch.setattr(api.service.model, "learn", lambda *_: 1 / 0)
        assert api.post("/learn", {"x": {"c": 1.0}, "y": 1}).status_code == 500
        assert api.post("/learn", {"x": {"c": 1.0}, "y": 1}).status_code == 503
        assert api.client.get("/health").json()["status"] == "failed"
    twin.learn({"c": 1.0}, 1)
    monkeypatch.undo()
    with serve(tmp_path / "log") as api:
        assert model_bytes(api) == learner_bytes(twin, tmp_path)
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_the_start_uses_the_newest_readable_snapshot(tmp_path):
    twin = Learner()
    with serve(tmp_path / "log") as api:
        for n in range(5):
            api.learn({"x": {f"a{n % 3}": 1.0}, "y": 1 - 2 * (n % 2)})
            twin.learn({f"a{n % 3}": 1.0}, 1 - 2 * (n % 2))
    newest = max(name for name in os.listdir(tmp_path) if name.startswith("log.0"))
    strays = ["log.000000000003.safetensors", ".log.000000000007.safetensors.0123456789abcdef.part"]
    for name in strays:  # of a process that was killed while it wrote them
        (tmp_path / name).write_bytes(b"half")
    content = bytearray((tmp_path / newest).read_bytes())
    content[-3] ^= 1
    (tmp_path / newest).write_bytes(content)
    with serve(tmp_path / "log") as api:
        assert model_bytes(api) == learner_bytes(twin, tmp_path)
        assert set(strays) & set(os.listdir(tmp_path)) == {strays[0]}, "no start removes a snapshot"
        api.learn({"x": {"a": 1.0}, "y": 1})
    assert not set(strays) & set(os.listdir(tmp_path)), "the next snapshot replaces it"


def test_a_log_cut_at_a_snapshot_restores_the_same_model(tmp_path):
    twin = Learner()
    for start in range(4):
        with serve(tmp_path / "log", cuts=True) as api:
            assert api.service.learned == 5 * start
            for n in range(5):
                x = {f"a{start}{n}": 1.0}
                api.learn({"x": x, "y": 1, "id": f"{start}-{n}"})
                twin.learn(x, 1)
            assert (
                api.learn({"x": {"a00": 1.0}, "y": 1, "id": "0-0"})["repeated"] == 1
            )  # ids outlive the entries
    with serve(tmp_path / "log", cuts=True) as api:
        assert model_bytes(api) == learner_bytes(twin, tmp_path)
        assert api.service.log.state.cut.position > 0
        assert "was cut" in api.client.get("/log?from=1").json()["error"]
        assert (
            len(api.client.get(f"/log?from={api.service.log.state.cut.position + 1}").text.splitlines()) > 0
        )


def test_killed_three_times_under_load_it_has_all_that_it_acknowledged_once():
    assert torture(kills=3, n_clients=3, longest=1.0) >= 3
