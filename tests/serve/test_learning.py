"""Acknowledged examples are learned in order, and a restart restores the same bits."""

import json
import os
import shutil

import numpy as np
import pyarrow as pa
import pytest

from rosenblatt import BadInput, Learner, Perceptron, save
from rosenblatt.models.loaded import LoadedLearner, open_learner
from rosenblatt.serve.log import Log
from tests.serve.serving import learner_bytes, model_bytes, serve


def mails(n, seed=0):
    rng = np.random.default_rng(seed)
    words = [f"word{j}" for j in range(60)]
    return [
        {"x": {words[j]: float(rng.integers(1, 4)) for j in rng.integers(0, 10 + i, 6) % 60}, "y": int(y)}
        for i, y in zip(range(n), rng.choice([-1, 1], n), strict=True)
    ]


def test_a_service_is_the_learner_that_saw_those_examples_before_and_after_a_crash(tmp_path):
    examples, twin, at = mails(50), Learner(), 0
    with serve(tmp_path / "log") as api:
        for size in (1, 1, 7, 20, 21):
            some, at = examples[at : at + size], at + size
            wrong = [twin.learn(e["x"], e["y"]) for e in some]
            reply = api.learn(*some)
            assert reply["position"] == at
            assert reply["wrong"] == [place for place, is_wrong in enumerate(wrong) if is_wrong]
        assert api.client.get("/health").json()["learned"] == 50
        assert model_bytes(api) == learner_bytes(twin, tmp_path)
        # a crash: the files as they lie there, without the snapshot that an orderly end writes
        crashed = tmp_path / "crashed"
        crashed.mkdir()
        for name in os.listdir(tmp_path):
            if name.startswith("log"):
                shutil.copy(tmp_path / name, crashed / name)
        shown = api.client.get("/state").json()
    for folder in (crashed, tmp_path):  # with and without an orderly end
        with serve(folder / "log") as again:
            assert model_bytes(again) == learner_bytes(twin, tmp_path)
            state = again.client.get("/state").json()
            assert {k: state[k] for k in ("examples", "mistakes", "curve", "recent_error")} == {
                k: shown[k] for k in ("examples", "mistakes", "curve", "recent_error")
            }


def test_a_reveal_counts_for_the_answer_that_was_given_however_late_it_comes(tmp_path):
    with serve(tmp_path / "log") as api:
        questions = [{"x": {"a": 1.0}}, {"x": {"b": 1.0}, "id": "mine"}]
        reply = api.post("/answer", {"examples": questions}).json()
        assert reply["answers"] == [-1, -1]
        assert reply["ids"] == ["a1", "mine"]
        api.learn({"x": {"a": 1.0}, "y": 1})  # now it would answer +1
    with serve(tmp_path / "log") as api:  # challenges survive a restart
        for other in ("a2", "a01"):  # neither is a name of a challenge, though both have numbers
            both = [{"id": "a1", "y": 1}, {"id": "mine", "y": -1}, {"id": other, "y": 1}]
            assert api.post("/reveal", {"examples": both}).status_code == 404
        assert api.post("/answer", {"x": {"a": 1.0}, "remember": False}).json()["answers"] == [1]
        reply = api.post("/reveal", {"examples": [{"id": "a1", "y": 1}, {"id": "mine", "y": -1}]}).json()
        assert (reply["mistakes"], reply["wrong"], reply["position"]) == (1, [0], 3)
        again = api.post("/reveal", {"id": "a1", "y": 1}).json()
        assert (again["learned"], again["repeated"], again["position"]) == (0, 1, 2)
        assert api.post("/reveal", {"id": "a1", "y": -1}).status_code == 409
        assert api.post("/reveal", {"id": "a99", "y": -1}).status_code == 404
        assert api.post("/answer", {"x": {"a": 1.0}, "id": "mine"}).status_code == 409
        lines = [json.loads(line) for line in api.client.get("/log?from=2").text.splitlines()]
        reply = [(line["id"], line["answer"], line["y"]) for line in lines]
        assert reply == [("a1", -1, 1), ("mine", -1, -1)]


def test_lines_of_json_and_arrow_teach_the_same(tmp_path):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(30, 4)), rng.choice([0, 1], 30)
    twin = Learner()
    twin.learn_many(X, y.tolist())
    lines = "\n".join(json.dumps({"x": x.tolist(), "y": int(label)}) for x, label in zip(X, y, strict=True))
    column = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 4)
    sink = pa.BufferOutputStream()
    table = pa.table({"x": column, "y": y})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    bodies = {
        "application/x-ndjson": lines.encode(),
        "application/vnd.apache.arrow.stream": sink.getvalue().to_pybytes(),
    }
    for number, (kind, body) in enumerate(bodies.items()):
        with serve(tmp_path / f"log{number}") as api:
            assert api.post("/learn", body, headers={"content-type": kind}).json()["position"] == 30
            assert model_bytes(api) == learner_bytes(twin, tmp_path)


def test_classes_and_features_may_come_late(tmp_path):
    begin = lambda: LoadedLearner(Learner(multiclass="one_vs_rest"))  # noqa: E731
    twin = Learner(multiclass="one_vs_rest")
    examples = [({"a": 1.0}, "x"), ({"b": 1.0}, "y"), ({"a": 1.0, "c": 2.0}, "z"), ({"d": 1.0}, "x")]
    with serve(tmp_path / "log", begin) as api:
        for x, y in examples:
            twin.learn(x, y)
            api.learn({"x": x, "y": y})
        reply = api.post("/answer", {"x": {"c": 1.0, "unheard": 3.0}}).json()
        assert reply["answers"] == [twin.predict({"c": 1.0})]
        assert reply["classes"] == ["x", "y", "z"]
        assert model_bytes(api) == learner_bytes(twin, tmp_path)
    with serve(tmp_path / "log", begin) as api:
        assert model_bytes(api) == learner_bytes(twin, tmp_path)


@pytest.mark.parametrize("kernel", [None, "gaussian"])
def test_only_a_learned_example_determines_whether_features_have_names(tmp_path, monkeypatch, kernel):
    with serve(tmp_path / "log", lambda: LoadedLearner(Learner(kernel=kernel))) as api:
        assert api.post("/answer", {"x": [1.0, 2.0]}).status_code == 200
        api.service.log.db.execute("PRAGMA query_only = ON")  # as on a full disk
        assert api.post("/learn", {"x": [1.0, 2.0], "y": 1}).status_code == 507
        api.service.log.db.execute("PRAGMA query_only = OFF")
        assert api.learn({"x": {"a": 1.0}, "y": 1})["learned"] == 1
        for path, label in (("/answer", {}), ("/learn", {"y": 1})):
            assert api.post(path, {"x": [1.0, 2.0], **label}).status_code == 422


def test_a_second_process_is_refused_and_so_is_another_model(tmp_path):
    with serve(tmp_path / "log"), pytest.raises(BadInput, match="in use by another process"):
        Log(str(tmp_path / "log"))
    from rosenblatt.serve.service import open_service

    with pytest.raises(BadInput, match="started with another model"):
        open_service(str(tmp_path / "log"), lambda: LoadedLearner(Learner()), "a file with digest 00")


def test_any_saved_model_is_served_and_stays_the_model_it_is(tmp_path):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 3)), rng.choice(["no", "yes"], 40)
    model = Perceptron(epochs=1, order="given", keep="averaged").fit(X, y)
    save(model, tmp_path / "model")
    more, labels = rng.normal(size=(20, 3)), rng.choice(["no", "yes"], 20)
    with serve(tmp_path / "log", lambda: open_learner(str(tmp_path / "model"))) as api:
        questions = {"examples": [{"x": x.tolist()} for x in more], "remember": False}
        reply = api.post("/answer", questions).json()
        assert reply["answers"] == model.predict(more).tolist()
        assert reply["scores"] == model.decision_function(more).tolist()
        api.learn(*({"x": x.tolist(), "y": str(label)} for x, label in zip(more, labels, strict=True)))
        (tmp_path / "after").write_bytes(model_bytes(api))
    from rosenblatt import load

    after = load(tmp_path / "after")
    model.partial_fit(more, labels)
    assert np.array_equal(after.coef_, model.coef_)
    assert np.array_equal(after.intercept_, model.intercept_)
    assert after.mistakes_ == model.mistakes_
