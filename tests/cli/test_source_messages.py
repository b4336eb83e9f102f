"""The table of columns that `rosenblatt fit` prints, and its warnings about guesses."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from rosenblatt.cli.main import main
from rosenblatt.data.sources import read
from rosenblatt.data.sources.described_fields import as_lines, describe_columns
from tests.cli.runner import succeed


def european(number):
    return f"{number:,.2f}".replace(",", "X").replace(".", ",").replace("X", ".")


@pytest.fixture
def workdir(tmp_path, monkeypatch):
    """shop.csv: a column of each kind, as a spreadsheet writes them, and the same numbers in plain.csv."""
    monkeypatch.chdir(tmp_path)
    r = np.random.default_rng(0)
    price = r.normal(1500.0, 900.0, 80).clip(1).round(2)
    share, sold = r.integers(0, 100, 80), r.integers(0, 5000, 80)
    plain = pd.DataFrame(
        {
            "number": np.arange(80),
            "price": price,
            "share": share,
            "sold": sold,
            "city": r.choice(["Rome", "Oslo"], 80),
            "age": np.where(np.arange(80) % 10, r.integers(18, 80, 80), np.nan),
            **{f"x{k}": r.normal(size=80).round(2) for k in range(6)},
            "kind": np.where(price > 1400, "dear", "cheap"),
        }
    )
    plain.to_csv("plain.csv", sep=";", index=False)
    plain.assign(
        price=[european(p) for p in price], share=[f"{s} %" for s in share], sold=[f"{s:,}" for s in sold]
    ).to_csv("shop.csv", sep=";", index=False)


def test_the_columns_are_a_table(workdir):
    message = succeed("fit", "shop.csv", "--epochs", 1).stderr
    table = {line.split("  ")[0].strip(): " ".join(line.split()) for line in message.splitlines()}
    assert table["number"] == "number dropped running number --categories"
    assert table["age"] == "age numbers, standardised numbers 8 --categories"
    assert table["6 columns x0 … x5"] == "6 columns x0 … x5 numbers, standardised numbers 0 --categories"
    assert table["city"] == "city categories 2 values 0 --text"
    assert table["kind"] == "kind label the last column 0 --target"
    assert "treated as" not in succeed("fit", "shop.csv", "--epochs", 1, "--quiet").stderr
    result = succeed("fit", "shop.csv", "--epochs", 1, "--json", "--leave-out", "number")
    assert "treated as" not in result.stderr
    columns = {each["column"]: each for each in json.loads(result.stdout)["columns"]}
    assert columns["age"]["gaps"] == 8
    assert columns["number"]["why"] == "requested"
    assert columns["number"]["option"] == ""


def test_numbers_in_another_notation_are_numbers(workdir):
    shop, plain = (read(f"{name}.csv", missing="mark", guesses_codes=True) for name in ("shop", "plain"))
    assert next(shop.chunks()).X.toarray().tolist() == next(plain.chunks()).X.toarray().tolist()
    assert "written 1.234,5" in succeed("fit", "shop.csv", "--epochs", 1).stderr
    succeed("fit", "shop.csv", "--quiet", "--seed", 0, "--out", "m")
    assert succeed("predict", "m", "shop.csv").stdout == succeed("predict", "m", "plain.csv").stdout
    lines = as_lines(describe_columns(read("shop.csv", missing="mark", categories=["share"]).columns))
    assert any(line.startswith("share") and "requested" in line for line in lines)


def test_commands_that_take_cells_as_they_are_warn_of_numbers(workdir):
    pd.read_csv("shop.csv", sep=";")[["price", "x0", "kind"]].to_csv("few.csv", index=False)
    plain = pd.read_csv("plain.csv", sep=";")[["price", "x0", "kind"]]
    plain.to_csv("same.csv", index=False)
    result = CliRunner().invoke(main, ["separate", "few.csv"])
    assert "column 'price' looks like numbers written as 1.234,5" in result.stderr
    assert "--guess treats them as numbers" in result.stderr
    asked = CliRunner().invoke(main, ["separate", "few.csv", "--guess", "--proof", "p.json"])
    assert asked.stderr == ""
    assert asked.stdout.splitlines()[0] == succeed("separate", "same.csv").stdout.splitlines()[0]
    assert "rosenblatt verify p.json few.csv --guess" in asked.stdout
    succeed("verify", "p.json", "same.csv")
    message = succeed("fit", "few.csv", "--no-guess", "--epochs", 1).stderr
    assert "looks like numbers written as 1.234,5, but is treated as categories" in message


def test_a_label_with_few_rows_for_each_class_is_doubted(workdir):
    table = pd.read_csv("shop.csv", sep=";")
    table.assign(shelf=np.arange(80) * 7 % 25).to_csv("shelves.csv", index=False)
    message = succeed("fit", "shelves.csv", "--epochs", 1).stderr
    assert "Warning: the label, column 'shelf', has 25 different values in 80 rows" in message
    assert "name another (--target COLUMN)" in message
    assert "Warning" not in succeed("fit", "shelves.csv", "--epochs", 1, "--target", "kind").stderr


def test_labels_that_the_model_does_not_know_are_named(workdir):
    table = pd.read_csv("shop.csv", sep=";")
    table.assign(kind=table["kind"] + ".").to_csv("other.csv", sep=";", index=False)
    options = ("--epochs", 1, "--quiet", "--test", "other.csv", "--out", "m")
    message = succeed("fit", "shop.csv", *options).stderr
    assert "Warning: other.csv: 80 rows with labels unknown to the model" in message
    assert "'dear.'" in message
    assert "the model's classes are 'cheap', 'dear' (did you mean " in message
    assert succeed("evaluate", "m", "other.csv").stderr == message
    assert succeed("evaluate", "m", "shop.csv").stderr == ""


def test_infinite_cells_are_reported_by_fit_and_predict_and_count_as_missing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{k % 7},{'a' if k % 2 else 'b'},{'yes' if k % 3 else 'no'}" for k in range(60)]
    for name, one, other in (("gaps", "-", ""), ("endless", "inf", "-Inf")):
        lines = ["x,c,kind", f"{one},a,yes", *rows, f"{other},b,no"]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    shown = succeed("fit", "endless.csv", "--out", "a.safetensors", "--effort", "none")
    note = (
        "Note: 2 infinite cells treated as missing, the first in endless.csv line 2, column 1: "
        "column 'x' holds inf.\n"
    )
    assert note in shown.stderr
    succeed("fit", "gaps.csv", "--out", "b.safetensors", "--effort", "none")
    answers = succeed("predict", "a.safetensors", "endless.csv", "--scores")
    assert note in answers.stderr
    assert answers.stdout == succeed("predict", "b.safetensors", "gaps.csv", "--scores").stdout
