"""A file format is one entry of `FORMATS`: every command then reads and writes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from rosenblatt.cli.main import main
from rosenblatt.data.sources import read_table
from rosenblatt.data.sources.formats import FORMATS, Format
from rosenblatt.data.sources.svmlight import SvmlightText

COLON, EQUALS = b":="


@dataclass(frozen=True)
class EqualsText:
    """Read lines such as ``+1 1=0.5 3=2``."""

    def parse(self, text, begins_file):
        text = text.copy()
        text[text == EQUALS] = COLON
        return SvmlightText(1).parse(text, begins_file)

    def settings(self):
        return {"format": "equals", "first_index": 1}


def write_equals(chunks, to):
    n_rows = 0
    with to.text() as file:
        for chunk in chunks:
            for row, label in zip(chunk.X.toarray(), chunk.y, strict=True):
                pairs = " ".join(f"{j}={value!r}" for j, value in enumerate(row.tolist(), 1) if value)
                file.write(f"{label} {pairs}\n".encode())
            n_rows += len(chunk)
            chunk.release()
    return n_rows


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("rows.svm").write_text("+1 1:0.5 3:2\n-1 2:1\n" * 20)
    monkeypatch.setitem(
        FORMATS, "equals",
        Format("equals text", lambda text: EqualsText(), write_equals, (".eq",), has_columns=False),
    )  # fmt: skip

    def run(*words):
        result = CliRunner().invoke(main, list(words))
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


def test_a_new_format_is_converted_learned_inspected_and_predicted(run):
    run("convert", "rows.svm", "rows.eq.gz")
    run("convert", "rows.eq.gz", "again.svm")
    assert Path("again.svm").read_text() == "1 1:0.5 3:2.0\n-1 2:1.0\n" * 20
    for name in ("rows.svm", "rows.eq.gz"):
        run("fit", name, "--quiet", "--out", f"{name}.model")
    assert "equals text, features numbered from 1" in run("inspect", "rows.eq.gz.model")
    answers = [run("predict", f"{name}.model", name, "--scores") for name in ("rows.svm", "rows.eq.gz")]
    assert answers[0] == answers[1]


def test_options_that_a_format_without_columns_cannot_use_are_refused(run):
    run("convert", "rows.svm", "rows.eq")
    with pytest.raises(ValueError, match="in equals the label comes first in each line"):
        read_table("rows.eq", target="x")
