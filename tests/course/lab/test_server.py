"""The lab's server: what it answers, what it refuses, and in which words."""

from __future__ import annotations

import ast
import threading
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from rosenblatt.course.lab import proofs, server, uploaded_tables
from rosenblatt.course.lab.chapters import CHAPTERS, Answer, Chapter, multiclass, sure, training_steps, xor
from rosenblatt.course.lab.safety import LARGEST_BODY, LARGEST_FILE
from rosenblatt.course.lab.server import make_app
from rosenblatt.traces import trace
from rosenblatt.traces.replay_data import CHUNK, replay
from tests.patience import HANGS

PORT = 8765
HOST = f"127.0.0.1:{PORT}"
# as users have them: the tests extend the limits
LIMITS = [module.PATIENCE for module in (uploaded_tables, xor, multiclass, training_steps, sure)] + [
    proofs.TIME_LIMIT
]


@pytest.fixture(scope="module")
def client():
    with TestClient(make_app(PORT), base_url=f"http://{HOST}", raise_server_exceptions=False) as client:
        yield client


def ask(client, key, state, **more):
    return client.post(f"/api/{key}", json=state, **more)


# ---------------------------------------------------------------- pages


@pytest.mark.parametrize("key", CHAPTERS)
def test_every_chapter_has_a_page_with_its_text_and_its_script(client, key):
    response = client.get(f"/{key}")
    assert response.status_code == 200
    assert f'data-chapter="{key}"' in response.text
    assert "<math" in response.text
    assert client.get(f"/static/chapters/{key}.js").headers["content-type"].startswith("text/javascript")


# ---------------------------------------------------------------- answers


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"{", 400, "not JSON"),
        (b"\xff\xfe\x00", 400, "not JSON"),
        (b"[1, 2]", 400, "must be an object"),
        (b'{"b": -Infinity}', 400, "Infinity is not a number"),
        (b"[" * 200_000, 400, "not JSON that can be read"),
        (b'{"b": 1e400}', 422, "b: expected a finite number"),
        (b'{"b": ' + b"9" * 400 + b"}", 422, "b: expected a number from"),
        (b'{"b": ' + b"9" * 5000 + b"}", 400, "not JSON that can be read"),
        (b'{"points": [[1, null]]}', 422, "points, row 0: expected a number"),
    ],
)
def test_a_bad_state_gets_a_message(client, body, status, said):
    response = client.post("/api/line", content=body, headers={"content-type": "application/json"})
    assert response.status_code == status
    assert said in response.json()["error"]


def test_a_body_that_is_too_large_is_refused_before_it_is_read(client):
    response = client.post(
        "/api/line", content=b" " * (LARGEST_BODY + 1), headers={"content-type": "application/json"}
    )
    assert response.status_code == 400
    assert "larger than 4 MB" in response.json()["error"]


def test_a_body_without_a_length_is_cut_off_too(client):
    def parts():
        for _ in range(LARGEST_BODY // 100_000 + 2):
            yield b" " * 100_000

    response = client.post("/api/line", content=parts(), headers={"content-type": "application/json"})
    assert response.status_code == 400
    assert "larger than 4 MB" in response.json()["error"]


def test_only_json_is_accepted(client):
    response = client.post("/api/line", content=b"{}", headers={"content-type": "text/plain"})
    assert response.status_code == 415


def test_an_answer_that_takes_too_long_is_given_up(client, monkeypatch):
    free = threading.Event()
    slow = Chapter("slow", "Slow", "", {}, lambda state: free.wait(HANGS) and Answer({}, ""))
    monkeypatch.setitem(CHAPTERS, "slow", slow)
    monkeypatch.setattr(server, "LONGEST", 0.2)
    try:
        response = ask(client, "slow", {})
    finally:
        free.set()
    assert response.status_code == 503
    assert "and was stopped" in response.json()["error"]


def test_every_search_of_a_chapter_has_a_time_limit_below_that_of_the_server():
    searches = {"separate", "replay", "mistake_bound", "overlap"}
    found = []
    for path in Path(server.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in searches:
                limited = any(each.arg == "time_limit" for each in call.keywords)
                assert limited, f"{path.name}:{call.lineno} has no time limit"
                found.append(path.stem)
    assert {"proofs", "uploaded_tables", "data", "multiclass", "xor", "training_steps", "sure"} <= set(
        found
    )
    assert 4 * max(LIMITS) < server.LONGEST


@pytest.mark.parametrize(
    ("chapter", "state"),
    [
        ("bound", {"seed": 77}),
        (
            "teacher",
            {"side": "teacher", "labelling": "own", "challenges": [[0, 1], [1, 0]], "labels": [1, -1]},
        ),
    ],
)
def test_points_that_are_not_decided_in_time_are_answered_with_a_message(
    client, monkeypatch, chapter, state
):
    monkeypatch.setattr(proofs, "TIME_LIMIT", 0.0)
    response = ask(client, chapter, state)
    assert response.status_code == 422
    assert "not decided within 0 seconds" in response.json()["error"]


def test_whole_numbers_longer_than_a_double_can_be_reported(client):
    challenges = [[1, 1e-150], [0, 1e-150], [-1e6, 1e-150]]
    state = {"challenges": challenges, "labels": [-1, -1, -1], "labelling": "own", "offset": False}
    assert ask(client, "teacher", state).status_code == 200


def test_an_unexpected_error_is_reported_without_internals(client, monkeypatch, capsys):
    def fail(state):
        raise ZeroDivisionError("secret")

    monkeypatch.setitem(CHAPTERS, "broken", Chapter("broken", "Broken", "", {}, fail))
    response = ask(client, "broken", {})
    assert response.status_code == 500
    assert "ZeroDivisionError" in response.json()["error"]
    assert "secret" not in response.text
    assert "default-src 'none'" in response.headers["content-security-policy"]


# ---------------------------------------------------------------- whom it answers


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        f"127.0.0.1:{PORT + 1}",
        f"127.0.0.1.evil.example:{PORT}",
    ],
)
def test_another_host_is_refused(client, host):
    response = client.get("/", headers={"host": host})
    assert response.status_code == 403
    assert response.json()["error"].startswith("Host: this server answers only as")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", f"https://{HOST}", f"http://127.0.0.1:{PORT + 1}"]
)
def test_pages_of_others_are_refused(client, origin):
    response = ask(client, "line", {}, headers={"origin": origin})
    assert response.status_code == 403
    assert response.json()["error"].startswith("Origin: this server answers only to pages of")


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_our_own_pages_are_answered(client, name):
    ours = {"host": f"{name}:{PORT}", "origin": f"http://{name}:{PORT}"}
    assert ask(client, "line", {}, headers=ours).status_code == 200


def test_every_response_carries_the_headers_of_caution(client):
    for response in (client.get("/"), client.get("/nowhere"), ask(client, "line", {})):
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert "unsafe" not in response.headers["content-security-policy"]
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in response.headers


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    "path",
    ["../server.py", "..%2fserver.py", "%2e%2e/server.py", "/etc/passwd", "viewer/__init__.py",
     "viewer/../../errors.py", "chapters/../../server.py", "lab.js%00.css", "..\\server.py"],
)  # fmt: skip
def test_no_file_outside_the_folder_is_served(client, path):
    response = client.get(f"/static/{path}")
    assert response.status_code == 404
    assert "import" not in response.text


# ---------------------------------------------------------------- replays


def test_the_chunks_of_a_replay_equal_those_of_the_trace(client):
    shown = ask(client, "steps", {"passes": 600}).json()["replay"]
    n_steps = shown["head"]["n_steps"]
    assert n_steps == 600 * 8 > 2 * CHUNK
    parts = [
        client.get(f"/replay/{shown['name']}/{number}").content for number in range(-(-n_steps // CHUNK))
    ]
    state = CHAPTERS["steps"].start
    whole = replay(trace(np.array(state["points"], float), state["labels"], epochs=600))
    assert parts == whole.chunks()


# ---------------------------------------------------------------- a real port


def test_the_server_listens_on_this_machine_only():
    from rosenblatt.course.lab.running import listening_socket

    with listening_socket(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


# ---------------------------------------------------------------- files of the user


NUMBERS = [*range(0, 40, 2), *range(1, 40, 2)]
OWN = "".join(f"{i},{i * 7 % 11},{'ham' if i < 20 else 'spam'}\n" for i in NUMBERS)
OWN = f"a,b,kind\n{OWN}".encode()


def drop(client, content, name="own.csv", **more):
    headers = {"content-type": "application/octet-stream", "x-file-name": name, **more}
    return client.post("/file", content=content, headers=headers)


def test_a_dropped_file_is_answered_by_its_token(client):
    dropped = drop(client, OWN, "my%20own.csv").json()
    assert dropped["name"] == "my own.csv"
    answer = client.post("/api/data", json={"file": dropped["file"]}).json()
    assert answer["sentences"][0] == "my own.csv: 40 rows, 3 columns."
    assert answer["python"].count('path = "my own.csv"') == 1


def test_a_file_that_is_too_large_or_empty_is_refused(client, monkeypatch):
    monkeypatch.setattr("rosenblatt.course.lab.server.LARGEST_FILE", 1_000_000)
    assert LARGEST_FILE == 20_000_000
    response = drop(client, b"x" * 1_000_001)
    assert (response.status_code, response.json()["error"]) == (
        413, "the file is larger than 1 MB; sample its rows first",
    )  # fmt: skip
    assert "the file is empty" in drop(client, b"").json()["error"]


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "evil.example"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "multipart/form-data; boundary=x"}, 415),
        ({"x-file-name": ""}, 415),
    ],
)
def test_pages_of_others_cannot_leave_files_here(client, more, status):
    assert drop(client, OWN, **more).status_code == status
