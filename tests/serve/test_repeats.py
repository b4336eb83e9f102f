"""A repeated example is learned once; a known id or key with other content is refused.

Also after kills, restored backups, a full disk, and for followers that were paused meanwhile.
"""

import datetime
import json
import os
import random
import shutil
import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import settings

from rosenblatt import BadInput, Learner
from rosenblatt.models.loaded import LoadedLearner
from rosenblatt.serve import follower as follower_module
from rosenblatt.serve import log as log_module
from rosenblatt.serve.follower import Follower, Leader
from rosenblatt.serve.http_schema import ARROW, LOG_FRAMES
from rosenblatt.serve.jobs import Learn, Refusal, content_digest
from rosenblatt.serve.log import Log
from rosenblatt.serve.log_export import as_frames, as_lines
from rosenblatt.serve.request_bodies import parse_body
from rosenblatt.serve.service import open_service
from rosenblatt.serve.transaction import Transaction
from tests.serve.serving import learner_bytes, model_bytes, serve, until
from tests.serve.test_bodies import stream

ONE = {"x": {"a": 1.0, "b": 2}, "y": 1, "id": "one"}
KEY = {"headers": {"idempotency-key": "k1"}}


@pytest.fixture
def api(tmp_path):
    with serve(tmp_path / "log") as found:
        yield found


@pytest.mark.parametrize("other", [{"y": -1}, {"x": {"a": 1.0, "b": 3}}, {"x": {"c": 1.0}}, {"x": {}}])
def test_an_id_that_comes_again_with_other_content_is_refused(api, other):
    assert api.learn(ONE)["learned"] == 1
    fresh = {"x": {"new": 1.0}, "y": 1, "id": "two"}
    before = model_bytes(api)
    for body in ({**ONE, **other}, {"examples": [fresh, {**ONE, **other}]}):
        answer = api.post("/learn", body)
        assert answer.status_code == 409
        assert "'one'" in answer.json()["error"]
    assert model_bytes(api) == before
    assert api.learn(ONE)["repeated"] == 1
    assert api.learn({**ONE, "x": {"b": 2.0, "a": 1}})["repeated"] == 1, (
        "the same numbers, written otherwise"
    )
    assert api.learn(fresh)["learned"] == 1, "nothing of a refused request was learned"


def test_an_id_twice_in_a_request_is_learned_once_or_refused(api):
    other = {**ONE, "y": -1}
    assert api.post("/learn", {"examples": [ONE, other]}).status_code == 409
    reply = api.learn(ONE, ONE)
    assert (reply["learned"], reply["repeated"]) == (1, 1)


def test_a_key_that_comes_again_with_other_examples_is_refused(api):
    batch = [{"x": {"a": float(k)}, "y": 1} for k in range(3)]
    assert api.learn(*batch, **KEY)["learned"] == 3
    assert api.learn(*batch, **KEY)["repeated"] == 3
    for other in (batch[:2], [*batch, batch[0]], batch[::-1], [{**batch[0], "y": -1}, *batch[1:]]):
        answer = api.post("/learn", {"examples": other}, **KEY)
        assert answer.status_code == 409
        assert "Idempotency-Key 'k1'" in answer.json()["error"]
    assert api.service.learned == 3


def test_a_key_of_examples_that_were_known_by_their_ids_is_of_one_request(api):
    two = {**ONE, "id": "two"}
    api.learn(ONE)
    for known in ([ONE], [ONE, two]):  # no new example, and one
        key = {"headers": {"idempotency-key": f"of {len(known)}"}}
        first = api.learn(*known, **key)
        again = api.learn(*known, **key)
        assert (first["learned"], first["repeated"]) == (len(known) - 1, 1)
        assert (again["learned"], again["repeated"]) == (0, len(known))
        assert first["position"] == again["position"] == len(known)
        assert api.post("/learn", {"x": {"new": 1.0}, "y": 1}, **key).status_code == 409
    assert api.service.learned == 2


def test_an_id_of_a_challenge_is_of_one_example(api):
    first = api.post("/answer", {"x": {"a": 1.0}, "id": "q"})
    assert api.post("/answer", {"x": {"a": 1}, "id": "q"}).json() == first.json()
    assert api.post("/answer", {"x": {"a": 2.0}, "id": "q"}).status_code == 409
    assert api.post("/learn", {"x": {"a": 1.0}, "y": 1, "id": "q"}).status_code == 409
    assert api.post("/reveal", {"id": "q", "y": 1}).status_code == 200
    assert api.learn({"x": {"a": 1.0}, "y": 1, "id": "q"})["repeated"] == 1
    assert api.post("/learn", {"x": {"a": 2.0}, "y": 1, "id": "q"}).status_code == 409


def test_an_example_with_a_value_that_json_lacks_is_refused_or_repeated(api):
    table = pa.table({"a": [1.0], "when": [datetime.date(2024, 5, 1)], "id": ["i"], "y": [1]})
    for some, path in ((table, "/learn"), (table.drop_columns("y"), "/answer")):
        answer = api.post(path, stream(some), headers={"content-type": ARROW})
        assert answer.status_code == 422
        assert "'when'" in answer.json()["error"]
    assert content_digest({"when": datetime.date(2024, 5, 1)}) == content_digest({"when": "2024-05-01"})


TWICE = {
    "the label": b'{"x":{"a":1},"y":"ham","y":"spam"}',
    "a feature": b'{"x":{"a":1,"a":2},"y":"ham"}',
    "the id": b'{"id":"i","x":"a: b","id":"j","y":"ham"}',
    "an escaped name": b'{"x":{"a":1,"\\u0061":2},"y":"ham"}',
    "the examples": b'{"examples":[{"x":[1],"y":1}],"examples":[{"x":[2],"y":1}]}',
    "in an example": b'{"examples":[{"x":[1],"y":1},{"x":[1],"x":[2],"y":1}]}',
}


@pytest.mark.parametrize("case", TWICE)
def test_a_name_that_comes_twice_in_an_object_is_refused(case):
    for body, kind in (
        (TWICE[case], "application/json"),
        (b'{"x":"b","y":1}\n' + TWICE[case], "application/x-ndjson"),
    ):
        with pytest.raises(Refusal, match=r"twice; give each name|unknown field `examples`") as refused:
            parse_body(body, kind, "/learn")
        assert refused.value.status == 422


@pytest.mark.parametrize(
    "x", ['"re: re: hello"', '{"at:home": 1, "q\\":": 2}', '{"a": ["b:c", "d"]}', "[1, 2]"]
)
def test_colons_in_texts_are_no_names(x):
    assert parse_body(f'{{"x" : {x}, "y": "a:b"}}'.encode(), "application/json", "/learn").examples == [
        json.loads(x)
    ]


def test_a_snapshot_that_cannot_be_written_is_trouble_until_one_is(tmp_path, monkeypatch):
    with serve(tmp_path / "log", every=0.0) as api:
        monkeypatch.setattr("rosenblatt.serve.service.write_snapshot", lambda *_: os.stat("/no/such/file"))
        health = lambda: api.client.get("/health").json()["trouble"]  # noqa: E731
        api.learn(ONE)
        until(health)
        api.post("/answer", {"x": {"a": 1.0}})
        assert "a snapshot could not be written" in health()
        monkeypatch.undo()
        api.learn({"x": {"a": 1.0}, "y": 1})
        until(lambda: health() is None)


def n_challenges(log):
    return log.db.execute("SELECT count(*) FROM challenges").fetchone()[0]


def test_old_challenges_are_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr(log_module, "MOST_CHALLENGES", 20)
    with serve(tmp_path / "log") as api:
        for k in range(6):
            api.post("/answer", {"examples": [{"x": {"a": float(k)}}] * 7})
        api.post("/reveal", {"id": "a40", "y": 1})
        assert n_challenges(api.service.log) == 19
        assert api.post("/reveal", {"id": "a1", "y": 1}).status_code == 404
    with closing(Log(str(tmp_path / "log"))) as log:  # which checks all rows
        assert n_challenges(log) == 19


# ------------------------------------------------------------ faults in any order


class LocalLeader:
    """A leader in this process, without HTTP."""

    url = "leader"

    def __init__(self, host):
        self.host = host

    def get(self, path, accept=None):
        service, log = self.host.service, self.host.service.log
        if path == "/model":
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "model"
                service.model.save(str(path))
                return path.read_bytes(), service.end
        assert accept == LOG_FRAMES
        first = int(path.partition("from=")[2].partition("&")[0])
        return as_frames(log, first, log.position), service.end


class Cluster:
    """A service whose process may be killed and whose log may be restored, and a follower."""

    def __init__(self, folder, draw, monkeypatch):
        self.draw, self.folder, self.backup = draw, folder, folder / "backup"
        self.files, self.n = folder / "files", 0
        self.acknowledged, self.saved, self.requests = {}, {}, {}
        for path in (self.files, self.backup):
            path.mkdir()
        self.open()
        self.copy(self.backup)
        monkeypatch.setattr(follower_module, "AGAIN", 0.0)
        monkeypatch.setattr(Follower, "_follow", lambda self: None)
        monkeypatch.setattr(follower_module, "Leader", lambda *_: LocalLeader(self))
        self.follower = Follower("leader")
        self.follower.start()

    def open(self):
        self.service = open_service(str(self.files / "log"), lambda: LoadedLearner(Learner()), "")

    def copy(self, to):
        """Copy the files of the service as they are."""
        shutil.rmtree(to)
        shutil.copytree(self.files, to)

    def kill(self):
        after = self.folder / "after"
        after.mkdir()
        self.copy(after)  # what a killed process leaves behind
        self.service.log.close()
        shutil.rmtree(self.files)
        after.rename(self.files)

    def send(self, examples, key=None):
        """Send a request, and return its result or its refusal."""
        job = Learn(
            [e["x"] for e in examples], [e["y"] for e in examples], [e["id"] for e in examples], key
        )
        Transaction(self.service, [job]).execute()
        if job.error is None:
            self.acknowledged.update({e["id"]: (e["x"], e["y"]) for e in examples})
        return job.error or job.result

    def step(self):
        kind = self.draw.choice(
            ["new"] * 4 + ["again", "other", "kill", "kill", "backup", "restore", "follow"]
        )
        if kind == "new":
            self.n += 1
            some = [
                {
                    "id": f"e{self.n}-{k}",
                    "x": {f"w{self.draw.randrange(9)}": float(k + 1)},
                    "y": self.draw.choice((-1, 1)),
                }
                for k in range(self.draw.randrange(1, 4))
            ]  # fmt: skip
            assert self.send(some, f"k{self.n}").learned == len(some)
            self.requests.update({each["id"]: (f"k{self.n}", some) for each in some})
        elif kind in ("again", "other") and self.acknowledged:
            name = self.draw.choice(list(self.acknowledged))
            x, y = self.acknowledged[name]
            key, whole = self.requests[name]
            if kind == "again" and self.draw.random() < 0.5:  # the request with its key
                assert self.send(whole, key).repeated == len(whole)
            elif kind == "again":
                assert self.send([{"id": name, "x": x, "y": y}]).repeated == 1
            else:
                refused = self.send([{"id": name, "x": x, "y": -y}])
                assert refused.status == 409
                self.acknowledged[name] = x, y
        elif kind == "kill":
            self.kill()
            self.open()
        elif kind == "backup":
            self.copy(self.backup)
            self.saved = dict(self.acknowledged)
        elif kind == "restore":
            self.kill()
            shutil.rmtree(self.files)
            shutil.copytree(self.backup, self.files)
            self.open()
            self.acknowledged = dict(self.saved)
        elif kind == "follow":
            self.follower.read_once()

    def check(self):
        """Check that each acknowledged example is in the log once, and that all models are of the log."""
        twin, seen = Learner(), {}
        for line in as_lines(self.service.log, 1, self.service.learned).splitlines():
            reply = json.loads(line)
            assert reply["id"] not in seen
            seen[reply["id"]] = reply["x"], reply["y"]
            twin.learn(reply["x"], reply["y"])
        assert seen == self.acknowledged
        if self.service.learned:
            self.service.model.save(str(self.folder / "model"))
            assert (self.folder / "model").read_bytes() == learner_bytes(twin, self.folder)
        for _ in range(3):
            self.follower.read_once()
            is_same = self.follower.end == self.service.end
            assert is_same or self.follower.trouble
        assert is_same
        assert self.follower.trouble is None
        self.follower.model.save(str(self.folder / "followed"))
        self.service.model.save(str(self.folder / "model"))
        assert (self.folder / "followed").read_bytes() == (self.folder / "model").read_bytes()


@pytest.mark.hypothesis
def test_each_acknowledged_example_is_learned_once_whatever_happens(tmp_path, monkeypatch, random_seed):
    monkeypatch.setitem(log_module.DURABILITIES, "full", "OFF")  # waiting for the disk changes nothing
    monkeypatch.setattr("os.fsync", lambda _: None)
    for case in range(settings().max_examples):
        folder = tmp_path / str(case)
        folder.mkdir()
        cluster = Cluster(folder, random.Random(f"{case}{random_seed}"), monkeypatch)
        for _ in range(30):
            cluster.step()
        cluster.check()
        cluster.service.log.close()
        shutil.rmtree(folder)


def test_a_follower_of_a_restored_leader_says_so_and_begins_again(tmp_path, monkeypatch):
    """At the same position, before it, and behind it."""
    for case, n in enumerate((5, 3, 9)):
        with serve(tmp_path / f"first{case}") as api:
            for k in range(5):
                api.learn({"x": {"a": 1.0 + k}, "y": 1 - 2 * (k % 2)})
            monkeypatch.setattr(Follower, "_follow", lambda self: None)
            monkeypatch.setattr(follower_module, "Leader", lambda *_: LocalLeader(api))
            monkeypatch.setattr(follower_module, "AGAIN", 0.0)
            follower = Follower("leader")
            follower.start()
        with serve(tmp_path / f"second{case}") as api:
            for k in range(n):
                api.learn({"x": {"other": 1.0 + k}, "y": 1 - 2 * (k % 2)})
            follower._leader = LocalLeader(api)
            follower.read_once()
            assert "it was restored; starting again with the leader's model" in follower.trouble
            follower.read_once()
            assert (follower.trouble, follower.learned) == (None, n)
            follower.model.save(str(tmp_path / "model"))
            assert (tmp_path / "model").read_bytes() == model_bytes(api)


def test_a_follower_notices_an_entry_that_came_with_other_content(tmp_path, monkeypatch):
    with serve(tmp_path / "log") as api:
        monkeypatch.setattr(Follower, "_follow", lambda self: None)
        monkeypatch.setattr(follower_module, "Leader", lambda *_: LocalLeader(api))
        monkeypatch.setattr(follower_module, "AGAIN", 0.0)
        follower, get = Follower("leader"), LocalLeader.get
        follower.start()
        api.learn({"x": {"a": 1.5}, "y": 1})

        def damaged(self, path, accept=None):
            content, end = get(self, path, accept)
            half = np.float64(1.5).tobytes()
            return content.replace(half, np.float64(2.5).tobytes()) if accept else content, end

        monkeypatch.setattr(LocalLeader, "get", damaged)
        follower.read_once()
        assert "came with other content" in follower.trouble
        assert follower.learned == 1  # with the leader's model


def test_an_address_of_a_leader_is_checked():
    with pytest.raises(BadInput, match="expected an address"):
        Leader("ftp://there", None)
