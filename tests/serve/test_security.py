"""Only pages of this machine and clients with the token have access."""

import pytest

from rosenblatt import BadInput
from rosenblatt.serve.address import Address, read_token
from rosenblatt.serve.app import make_routes
from tests.serve.serving import serve

TOKEN = "a-token-of-many-letters"
EXAMPLE = {"x": {"a": 1.0}, "y": 1}


def test_another_host_or_origin_is_refused(tmp_path):
    with serve(tmp_path / "log") as api:
        for headers in (
            {"host": "evil.example"},
            {"host": "127.0.0.1:1"},
            {"origin": "http://evil.example"},
        ):
            assert api.post("/learn", EXAMPLE, headers=headers).status_code == 403
        assert api.post("/learn", EXAMPLE, headers={"origin": "http://127.0.0.1:8766"}).status_code == 200
        assert api.service.learned == 1


def test_other_machines_need_the_token(tmp_path):
    with pytest.raises(BadInput, match="--token-file"):
        Address(host="0.0.0.0").check()
    with serve(tmp_path / "log", address=Address(token=TOKEN)) as api:
        for given in ({}, {"authorization": "Bearer wrong"}, {"authorization": TOKEN}):
            assert api.post("/learn", EXAMPLE, headers=given).status_code == 401
            assert api.client.get("/model", headers=given).status_code == 401
        assert api.post("/learn", EXAMPLE, headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
        assert api.client.get("/health").status_code == 200


def test_the_token_is_in_a_file_that_others_cannot_read_or_in_the_environment(tmp_path, monkeypatch):
    path = tmp_path / "token"
    path.write_text(TOKEN + "\n")
    path.chmod(0o600)
    assert read_token(str(path)) == TOKEN
    path.chmod(0o644)
    with pytest.raises(BadInput, match="chmod 600"):
        read_token(str(path))
    monkeypatch.setenv("ROSENBLATT_TOKEN", "short")
    with pytest.raises(BadInput, match="at least 16 printable ASCII characters"):
        read_token(None)


def test_too_many_requests_are_refused_with_a_time_to_wait(tmp_path):
    with serve(tmp_path / "log", address=Address(rate=0.001)) as api:
        answers = [api.client.get("/health") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 429, 429]
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 1000


def test_nothing_of_a_request_is_part_of_sql_or_of_a_path(tmp_path):
    wicked = "'); DROP TABLE entries; --"
    with serve(tmp_path / "log") as api:
        example = {"x": {wicked: 1.0, "../../etc/passwd": 2.0}, "y": 1, "id": wicked}
        reply = api.learn(example)
        assert reply["position"] == 1
        assert api.post("/reveal", {"id": wicked + "x", "y": 1}).status_code == 404
        assert api.learn(example)["repeated"] == 1
    assert sorted(path.name for path in tmp_path.iterdir() if ".00000" not in path.name) == [
        "log",
        "log.end",
        "log.lock",
    ]


def reply_schema(description, path, method):
    reply = description["paths"][path][method]["responses"]["200"]
    reference = reply["content"]["application/json"]["schema"]["$ref"]
    return description["components"]["schemas"][reference.rpartition("/")[2]]


def test_the_description_has_every_route_and_every_method_and_no_other(tmp_path):
    with serve(tmp_path / "log") as api:
        reply = api.client.get("/openapi.json").json()
        known = make_routes(object())
        routes = {(route.path, method) for route in known for method in route.methods - {"HEAD"}}
        described = {
            (path, method.upper()) for path, methods in reply["paths"].items() for method in methods
        }
        assert described == routes
        # what it promises of an answer is what is answered
        for path, body in (
            ("/learn", EXAMPLE),
            ("/answer", {"x": {"a": 1.0}}),
            ("/reveal", {"id": "a1", "y": 1}),
        ):
            schema = reply_schema(reply, path, "post")
            answer = api.post(path, body).json()
            assert set(schema["required"]) <= set(answer) <= set(schema["properties"])
        health = reply_schema(reply, "/health", "get")
        assert set(api.client.get("/health").json()) <= set(health["properties"])


def test_the_page_and_its_scripts_have_safe_headers(tmp_path):
    with serve(tmp_path / "log") as api:
        page = api.client.get("/")
        assert "script-src 'self'" in page.headers["content-security-policy"]
        for name in ("page.js", "page.css", "chart.js", "viewer.css"):
            assert api.client.get(f"/page/{name}").status_code == 200
        figures = api.client.get("/metrics").text
        assert "rosenblatt_learned_total 0" in figures
