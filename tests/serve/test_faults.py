"""Whatever comes, there is a status and a sentence, nothing half-done, and the service goes on."""

import json
import os
import socket
import sqlite3
from types import SimpleNamespace

import pytest

from fuzz.serve_torture import torture
from rosenblatt import BadInput, Client, Learner
from rosenblatt.serve import log, replies, service, worker
from rosenblatt.serve.http_server import close_idle
from rosenblatt.serve.log import Log
from rosenblatt.serve.log_files import LogFailed
from rosenblatt.serve.service import open_service
from tests.serve.serving import leader, learner_bytes, listening, model_bytes, serving

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
def asked(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("faults") / "log") as one:
        one.learn({"x": {"a": 1.0}, "y": 1}, {"x": {"b": 1.0}, "y": -1})
        yield one


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_request_gets_a_sentence_and_leaves_no_trace(asked, case):
    path, body, status = REFUSED[case]
    before = model_bytes(asked)
    answer = asked.post(path, body)
    assert answer.status_code in (status if isinstance(status, tuple) else (status,)), answer.text
    assert len(answer.json()["error"]) > 10
    assert model_bytes(asked) == before
    assert asked.service.log.position == asked.service.learned


def test_a_body_over_the_limit_or_of_another_kind_is_refused(asked):
    assert asked.post("/learn", b" " * 16_000_001).status_code == 413
    assert asked.post("/learn", b"x", headers={"content-type": "text/csv"}).status_code == 415
    kind = {"content-type": "application/vnd.apache.arrow.stream"}
    assert asked.post("/learn", b"not arrow", headers=kind).status_code == 400
    assert asked.client.get("/learn").status_code == 405
    assert asked.client.get("/../../etc/passwd").status_code == 404
    assert asked.client.get("/page/..%2f..%2fpage.html").status_code == 404


def test_a_body_that_does_not_come_is_given_up_and_holds_up_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(replies, "LONGEST_BODY", 0.3)
    with listening(lambda: leader(tmp_path / "log")) as url:
        port = int(url.rpartition(":")[2])
        head = f"POST /learn HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
        client = Client(url)
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.sendall(head.encode() + b'content-length: 40\r\n\r\n{"x": {"a"')
            assert client.learn({"a": 1.0}, 1)
            assert slow.recv(1000).startswith(b"HTTP/1.1 408")
        client.close()


def test_connections_that_say_too_little_for_a_request_are_let_go():
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


def test_a_full_line_says_when_to_come_again(asked, monkeypatch):
    monkeypatch.setattr(worker, "MOST_WAITING", 0)
    asked.service.worker.waiting += 1
    try:
        answer = asked.post("/learn", {"x": {"a": 1.0}, "y": 1})
    finally:
        asked.service.worker.waiting -= 1
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


@pytest.mark.parametrize(
    ("pragma", "back", "sentence"),
    [
        ("PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000", "no room"),  # a full disk
        ("PRAGMA query_only = ON", "PRAGMA query_only = OFF", "cannot be written"),
    ],
)
def test_a_disk_that_takes_no_more_stops_learning_and_nothing_else(tmp_path, pragma, back, sentence):
    twin = Learner()
    with serving(tmp_path / "log") as asked:
        for n in range(3):
            asked.learn({"x": {f"a{n}": 1.0}, "y": 1})
            twin.learn({f"a{n}": 1.0}, 1)
        asked.service.log._db.execute(pragma)
        big = {"examples": [{"x": {f"new{j}": 1.0, f"other{j}": 2.0}, "y": -1} for j in range(200)]}
        answer = asked.post("/learn", big)
        assert answer.status_code == 507
        assert sentence in answer.json()["error"]
        assert sentence in asked.client.get("/health").json()["trouble"]
        assert asked.post("/answer", {"x": {"a1": 1.0}, "remember": False}).json()["answers"] == [1]
        assert model_bytes(asked) == learner_bytes(twin, tmp_path)
        asked.service.log._db.execute(back)
        assert asked.post("/learn", big).status_code == 200  # and the same names get the same numbers
        for each in big["examples"]:
            twin.learn(each["x"], each["y"])
        assert model_bytes(asked) == learner_bytes(twin, tmp_path)
        assert asked.client.get("/health").json()["trouble"] is None


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="cannot be written"):
        Log(str(tmp_path / "file" / "log"))


def damaged(path, place):
    """Flip a byte of the last entry's body, wherever it lies."""
    with sqlite3.connect(path) as db:
        position, body = db.execute("SELECT position, body FROM entries ORDER BY position DESC").fetchone()
        changed = bytearray(body)
        changed[place] ^= 1
        db.execute("UPDATE entries SET body = ? WHERE position = ?", (bytes(changed), position))
    db.close()


def test_damage_is_found_and_says_what_can_be_saved(tmp_path):
    path = tmp_path / "log"
    with serving(path) as asked:
        for n in range(4):
            asked.learn({"x": {"a": float(n)}, "y": 1})
    for name in os.listdir(tmp_path):  # the snapshot of the orderly end knows better than the log
        if name.endswith("4.safetensors"):
            (tmp_path / name).unlink()
    damaged(path, -1)
    with pytest.raises(BadInput, match=r"position 4 is damaged.*--upto 3"):
        open_service(str(path), None, "")
    with open(path, "r+b") as file:  # and a last page of zeros
        size = file.seek(0, 2)
        for page in range(1, size // 4096):
            file.seek(page * 4096)
            file.write(bytes(4096))
    with pytest.raises((BadInput, LogFailed), match=r"damaged|cannot be used"):
        open_service(str(path), None, "")


def test_a_log_that_lost_its_last_entry_is_not_continued(tmp_path):
    with serving(tmp_path / "log") as asked:
        asked.learn({"x": {"a": 1.0}, "y": 1})
        asked.learn({"x": {"a": 1.0}, "y": -1})
    with sqlite3.connect(tmp_path / "log") as db:
        db.execute("DELETE FROM entries WHERE position = 2")
    db.close()
    with pytest.raises(BadInput, match=r"position 2 is damaged \(it is missing\)"):
        open_service(str(tmp_path / "log"), None, "")


def test_a_clock_that_goes_back_does_not_turn_the_log_around(tmp_path, monkeypatch):
    with serving(tmp_path / "log") as asked:
        asked.learn({"x": {"a": 1.0}, "y": 1})
        monkeypatch.setattr(log.time, "time", lambda: 1000.0)
        asked.learn({"x": {"a": 1.0}, "y": -1})
        lines = [json.loads(line) for line in asked.client.get("/log").text.splitlines()]
    assert lines[1]["at"] >= lines[0]["at"] > 1e9


def test_an_error_that_nobody_foresaw_is_told_and_the_weights_are_made_again(tmp_path, monkeypatch, capfd):
    twin = Learner()
    with serving(tmp_path / "log") as asked:
        monkeypatch.setattr(asked.service.served, "learn", lambda *_: 1 / 0)  # that one, and none after it
        failed = asked.post("/learn", {"x": {"a": 1.0}, "y": 1})
        assert failed.status_code == 500  # it is on the disk, and nobody was told that it was learned
        assert asked.post("/learn", {"x": {"b": 1.0}, "y": -1}).json()["position"] == 2
        for x, y in (({"a": 1.0}, 1), ({"b": 1.0}, -1)):
            twin.learn(x, y)
        assert model_bytes(asked) == learner_bytes(twin, tmp_path)
        monkeypatch.setattr(service, "recover", lambda *_: 1 / 0)
        monkeypatch.setattr(asked.service.served, "learn", lambda *_: 1 / 0)
        assert asked.post("/learn", {"x": {"c": 1.0}, "y": 1}).status_code == 500
        assert asked.post("/learn", {"x": {"c": 1.0}, "y": 1}).status_code == 503
        assert asked.client.get("/health").json()["status"] == "failed"
    twin.learn({"c": 1.0}, 1)
    monkeypatch.undo()
    with serving(tmp_path / "log") as asked:
        assert model_bytes(asked) == learner_bytes(twin, tmp_path)
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_a_damaged_snapshot_is_passed_over_for_the_one_before(tmp_path):
    twin = Learner()
    with serving(tmp_path / "log") as asked:
        for n in range(5):
            asked.learn({"x": {f"a{n % 3}": 1.0}, "y": 1 - 2 * (n % 2)})
            twin.learn({f"a{n % 3}": 1.0}, 1 - 2 * (n % 2))
    newest = max(name for name in os.listdir(tmp_path) if name.startswith("log.0"))
    strays = ["log.000000000003.safetensors", ".log.000000000007.safetensors.0123456789abcdef.part"]
    for name in strays:  # of a process that was killed while it wrote them
        (tmp_path / name).write_bytes(b"half")
    content = bytearray((tmp_path / newest).read_bytes())
    content[-3] ^= 1
    (tmp_path / newest).write_bytes(content)
    with serving(tmp_path / "log") as asked:
        assert model_bytes(asked) == learner_bytes(twin, tmp_path)
        assert set(strays) & set(os.listdir(tmp_path)) == {strays[0]}, "no start removes a snapshot"
        asked.learn({"x": {"a": 1.0}, "y": 1})
    assert not set(strays) & set(os.listdir(tmp_path)), "the next snapshot replaces it"


def test_the_log_can_be_cut_behind_a_snapshot(tmp_path):
    twin = Learner()
    for start in range(4):
        with serving(tmp_path / "log", cuts=True) as asked:
            assert asked.service.learned == 5 * start
            for n in range(5):
                x = {f"a{start}{n}": 1.0}
                asked.learn({"x": x, "y": 1, "id": f"{start}-{n}"})
                twin.learn(x, 1)
            assert (
                asked.learn({"x": {"a00": 1.0}, "y": 1, "id": "0-0"})["repeated"] == 1
            )  # ids outlive the entries
    with serving(tmp_path / "log", cuts=True) as asked:
        assert model_bytes(asked) == learner_bytes(twin, tmp_path)
        assert asked.service.log.state.cut.position > 0
        assert "was cut" in asked.client.get("/log?from=1").json()["error"]
        assert (
            len(asked.client.get(f"/log?from={asked.service.log.state.cut.position + 1}").text.splitlines())
            > 0
        )


def test_killed_three_times_under_load_it_has_all_that_it_acknowledged_once():
    assert torture(kills=3, n_clients=3, longest=0.4) > 3
