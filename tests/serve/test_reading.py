"""A model that was fitted from a file reads requests as it read the file: columns, words, hashes."""

import numpy as np
import pytest
from click.testing import CliRunner

from rosenblatt import KernelPerceptron, save
from rosenblatt.cli.main import main
from rosenblatt.models.loaded import open_learner
from tests.serve.serving import model_bytes, serve

WORDS = ["free", "money", "lunch", "friend", "offer", "report"]


def run(*words):
    reply = CliRunner().invoke(main, [str(word) for word in words])
    assert reply.exit_code == 0, reply.output
    return reply.output


def restarts_with(folder, before):
    with serve(folder / "log") as again:
        return model_bytes(again) == before


def test_columns_are_scaled_and_words_hashed_as_the_command_line_does(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        (f"{rng.normal():.3f}", " ".join(rng.choice(WORDS, 5)), str(rng.choice(["Rome", "Oslo"])))
        for _ in range(30)
    ]
    labels = [str(label) for label in rng.choice(["ham", "spam", "other"], 30)]
    lines = [",".join(row) for row in rows]
    (tmp_path / "train.csv").write_text(
        "size,says,city,kind\n" + "".join(f"{a},{b}\n" for a, b in zip(lines, labels, strict=True))
    )
    (tmp_path / "new.csv").write_text("size,says,city\n" + "".join(f"{line}\n" for line in lines))
    run("fit", tmp_path / "train.csv", "--out", tmp_path / "model", "--quiet", "--text", "says")
    X = [{"size": float(size), "says": says, "city": city} for size, says, city in rows]
    with serve(tmp_path / "log", lambda: open_learner(str(tmp_path / "model"))) as api:
        reply = api.post("/answer", {"examples": [{"x": x} for x in X]}).json()
        assert reply["answers"] == run("predict", tmp_path / "model", tmp_path / "new.csv").split()
        unheard = {"size": None, "says": "words that nobody met", "city": "Paris"}
        api.learn({"x": unheard, "y": "spam"}, *({"x": x, "y": y} for x, y in zip(X, labels, strict=True)))
        assert api.learn({"x": unheard, "y": "a late class"})["position"] == 32
        assert "no column 'nope'" in api.learn({"x": {"nope": 1}, "y": "ham"})["error"]
        assert "a number" in api.learn({"x": {**X[0], "size": "large"}, "y": "ham"})["error"]
        after = model_bytes(api)
        reply = api.post("/answer", {"examples": [{"x": x} for x in X], "remember": False}).json()
    assert restarts_with(tmp_path, after)
    (tmp_path / "after").write_bytes(after)  # still a Perceptron, and a model of the command line
    assert run("predict", tmp_path / "after", tmp_path / "new.csv").split() == reply["answers"]


@pytest.mark.parametrize(
    ("name", "line", "known", "late", "wrong"),
    [
        ("v.vw", "|f free money:2", "|f free money:2", "|f never heard", "|f x:"),
        ("s.svm", "1:0.5 5:2", {"1": 0.5, "5": 2}, {"9": 1.0}, {"0": 1.0}),
    ],
)
def test_hashed_lines_and_numbered_features_may_come_late(tmp_path, name, line, known, late, wrong):
    (tmp_path / name).write_text(f"1 {line}\n-1 {line.replace('5', '4').replace('free', 'friend')}\n" * 10)
    run("fit", tmp_path / name, "--out", tmp_path / "model", "--quiet")
    with serve(tmp_path / "log", lambda: open_learner(str(tmp_path / "model"))) as api:
        assert api.post("/answer", {"x": known}).json()["answers"] == [1]
        assert api.learn({"x": late, "y": -1}, {"x": known, "y": 1})["position"] == 2
        assert api.post("/answer", {"x": late}).json()["scores"][0] != 0.0
        assert "x: " in api.learn({"x": wrong, "y": 1})["error"]
        after = model_bytes(api)
    assert restarts_with(tmp_path, after)


def test_kernel_perceptrons_learn_on_too(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 2))
    y = np.where((X**2).sum(axis=1) > 1.5, "out", "in")
    model = KernelPerceptron(kernel="polynomial", degree=2, epochs=1, order="given", device="cpu").fit(X, y)
    save(model, tmp_path / "model")
    more, labels = rng.normal(size=(6, 2)), np.array(["in", "out"] * 3)
    with serve(tmp_path / "log", lambda: open_learner(str(tmp_path / "model"))) as api:
        reply = api.post("/answer", {"examples": [{"x": x.tolist()} for x in more]}).json()
        assert reply["answers"] == model.predict(more).tolist()
        examples = ({"x": x.tolist(), "y": str(label)} for x, label in zip(more, labels, strict=True))
        assert api.learn(*examples)["position"] == 6
        assert "classes" in api.learn({"x": [1.0, 2.0], "y": "elsewhere"})["error"]
        after = model_bytes(api)
    assert restarts_with(tmp_path, after)
    for x, label in zip(more, labels, strict=True):
        model.partial_fit([x], np.array([label], y.dtype))
    save(model, tmp_path / "expected")
    assert (tmp_path / "expected").read_bytes() == after
