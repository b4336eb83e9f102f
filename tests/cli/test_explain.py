"""`rosenblatt explain`: rows of files, JSON objects and texts, and what cannot be explained."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, Perceptron, load, save
from tests.cli.runner import run_command, succeed


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a model of texts and numbers, and its training file."""
    monkeypatch.chdir(tmp_path)
    r = np.random.default_rng(0)
    words = np.where(r.random(200) < 0.5, "a fine day", "a poor day")
    lines = [
        f"{word},{n:.1f},{'yes' if 'fine' in word else 'no'}"
        for word, n in zip(words, r.normal(size=200), strict=True)
    ]
    Path("rows.csv").write_text("says,level,kind\n" + "\n".join(lines) + "\n")
    succeed("fit", "rows.csv", "--target", "kind", "--text", "says", "--out", "m.safetensors")
    return tmp_path


def refuse(*words):
    result = run_command(*words)
    assert result.exit_code not in (0, 1), result.output
    return result.output


def test_explain_prints_the_lead_the_features_and_the_smallest_change(here):
    text = succeed("explain", "m.safetensors", "rows.csv", "--rows", 2).stdout
    assert "Row 2: " in text
    assert '"fine"' in text or '"poor"' in text
    assert "the answer would change" in text
    assert "By column:" in text
    answers = succeed("predict", "m.safetensors", "rows.csv", "--scores").stdout.splitlines()
    found = json.loads(succeed("explain", "m.safetensors", "rows.csv", "--rows", 9, "--json").stdout)
    for each, line in zip(found, answers, strict=False):
        label, value = line.split("\t")
        assert each["predicted"] == label
        assert each["margin"] == pytest.approx(abs(float(value)))
        total = sum(one["adds"] for one in each["contributions"]) + each["offset"]
        assert total == pytest.approx(each["margin"])


def test_an_object_and_a_row_of_a_file_have_the_same_explanation(here):
    says, level, _ = Path("rows.csv").read_text().splitlines()[1].split(",")
    one = succeed("explain", "m.safetensors", "rows.csv", "--rows", 1, "--json").stdout
    other = succeed("explain", "m.safetensors", json.dumps({"says": says, "level": float(level)}), "--json")
    assert json.loads(one) == json.loads(other.stdout)


def test_a_text_is_explained_without_a_file_also_without_stored_names(here):
    lines = [line.split(",") for line in Path("rows.csv").read_text().splitlines()]
    Path("mails.csv").write_text("".join(f"{says},{kind}\n" for says, _, kind in lines))
    succeed(
        "fit",
        "mails.csv",
        "--target",
        "kind",
        "--text",
        "says",
        "--names",
        "none",
        "--out",
        "t.safetensors",
    )
    (found,) = json.loads(succeed("explain", "t.safetensors", "--text", "What a fine day", "--json").stdout)
    assert found["predicted"] == "yes"
    assert found["contributions"][0]["feature"] in ('"fine"', '"a fine"', '"fine day"')
    assert "".join(part for part, _ in found["texts"]["says"]) == "What a fine day"
    assert "<blockquote>" in succeed("explain", "t.safetensors", "--text", "fine", "--html").stdout


def test_a_row_that_does_not_fit_gets_the_message_of_predict(here):
    Path("other.csv").write_text("says,kind\na fine day,yes\n")
    Path("wrong.csv").write_text("says,level,kind\na fine day,high,yes\n")
    for file in ("other.csv", "wrong.csv"):
        expected = refuse("predict", "m.safetensors", file)
        assert refuse("explain", "m.safetensors", file) == expected
    assert "column 'level' holds 'high'" in refuse("explain", "m.safetensors", "wrong.csv")
    assert "no column 'height'" in refuse("explain", "m.safetensors", '{"says": "a", "height": 1}')
    assert "--text: expected {column: value}" in refuse("explain", "m.safetensors", "--text", "a fine day")
    assert "is not JSON" in refuse("explain", "m.safetensors", '{"says": ')
    assert "give rows to explain" in refuse("explain", "m.safetensors")
    assert "give rows to explain" in refuse("explain", "m.safetensors", "rows.csv", "--text", "x")


def test_a_committee_is_refused_and_a_kernel_model_is_explained_by_training_rows(here):
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    save(Perceptron(keep="voted").fit(X, y), "voted.safetensors")
    save(KernelPerceptron(kernel="gaussian").fit(X, y), "kernel.safetensors")
    np.save("X.npy", np.column_stack([X, y]))
    assert "committee" in refuse("explain", "voted.safetensors", "X.npy")
    assert "support vectors" in succeed("explain", "kernel.safetensors", "X.npy", "--rows", 1).stdout
    text = succeed("explain", "kernel.safetensors", "[0.1, 0.2, 0.3]", "--json").stdout
    assert json.loads(text)[0]["predicted"] == load("kernel.safetensors").predict([[0.1, 0.2, 0.3]])[0]


def test_html_is_one_page_for_light_and_dark_whose_words_are_escaped_and_that_loads_nothing(here):
    page = succeed("explain", "m.safetensors", "rows.csv", "--rows", 2, "--html").stdout
    assert page.startswith("<!DOCTYPE html>")
    assert '<meta charset="utf-8">' in page
    assert "color-scheme: light dark" in page
    assert page.count("<section>") == page.count("<blockquote>") == 2
    row = json.dumps({"says": "<script>fine</script> é", "level": 1.0})
    page = succeed("explain", "m.safetensors", row, "--html").stdout
    assert "&lt;" in page
    assert "<script>" not in page
    assert not re.search(r"https?:|url\(|@import|<img|<link", page)
