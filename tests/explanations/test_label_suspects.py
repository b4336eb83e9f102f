"""Rows whose label is probably wrong: flipped labels come first."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rosenblatt import read
from rosenblatt.explanations.label_suspects import find_suspects, margins_over_rivals
from tests.cli.runner import run_command, succeed


def clouds(n_classes=3, n=600, seed=0):
    """Return separated clouds of points, their labels with 30 flipped, and which."""
    r = np.random.default_rng(seed)
    numbers = r.integers(0, n_classes, n)
    X = r.normal(size=(n, 4)) + 6.0 * np.eye(n_classes, 4)[numbers]
    wrong = r.permutation(n)[:30]
    given = numbers.copy()
    given[wrong] = (given[wrong] + 1) % n_classes
    return X, numbers, given, wrong


@pytest.mark.parametrize("n_classes", [2, 3])
def test_flipped_labels_are_the_first_suspects_and_their_true_label_is_proposed(n_classes):
    X, true, given, wrong = clouds(n_classes)
    found, n = find_suspects(read(pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": given})))
    assert n == len(X)
    first = found[: len(wrong)]
    assert len({each.row for each in first} & set(wrong.tolist())) >= 28
    assert np.mean([each.proposed == true[each.row] for each in first]) > 0.9
    assert all(each.given == given[each.row] for each in found)
    assert [each.score for each in found] == sorted(each.score for each in found)
    assert all(each.late_mistakes <= 4 and each.score < 0.0 for each in found)


def test_the_margin_is_the_lead_over_the_strongest_rival():
    values = np.array([[3.0, 1.0, 2.0], [0.0, 5.0, 7.0]])
    margins, rivals = margins_over_rivals(values, np.array([0, 1]))
    assert (margins.tolist(), rivals.tolist()) == ([1.0, -2.0], [2, 2])


def test_the_csv_file_has_the_line_of_each_suspect(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, _, given, _ = clouds(2)
    lines = [",".join([*(f"{x:.3f}" for x in row), f"c{y}"]) for row, y in zip(X, given, strict=True)]
    Path("rows.csv").write_text("a,b,c,d,kind\n" + "\n".join(lines) + "\n")
    text = succeed("suspects", "rows.csv", "--target", "kind", "--out", "s.csv").output
    assert "suspects among 600 rows" in text
    with open("s.csv") as file:
        rows = list(csv.DictReader(file))
    assert rows
    for row in rows:
        assert lines[int(row["line"]) - 2].endswith(row["given"])
    told = json.loads(succeed("suspects", "rows.csv", "--target", "kind", "--json").stdout)
    assert [each["line"] for each in told] == [int(row["line"]) for row in rows]


def test_labels_that_are_whole_numbers_are_listed_as_such(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, _, given, _ = clouds(2)
    pd.DataFrame(X).assign(kind=given).to_csv("rows.csv", index=False)
    found = json.loads(succeed("suspects", "rows.csv", "--target", "kind", "--json").stdout)
    assert {(type(each["given"]), each["given"] + each["proposed"]) for each in found} == {(int, 1)}


def test_rows_that_cannot_be_divided_into_folds_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text("a,kind\n" + "1,x\n2,y\n" * 3)
    refused = run_command("suspects", "rows.csv", "--target", "kind")
    assert refused.exit_code == 65
    assert "has 3 rows, fewer than the 5 folds" in refused.output
    assert succeed("suspects", "rows.csv", "--target", "kind", "--folds", 2)
    Path("rows.csv").write_text("a,kind\n" + "1,x\n" * 9)
    assert "give rows of two classes" in run_command("suspects", "rows.csv").output
