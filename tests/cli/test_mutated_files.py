"""Mutated files of each format through the command line: an exit code and a message, never a traceback.

`make test-properties` tries twelve times as many."""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import settings
from pyarrow import parquet

from rosenblatt.cli.main import main

CSV = b"a,b,when,kind\n" + b"".join(
    b"%d,%s,2024-01-%02d,%s\n" % (i, b"red" if i % 3 else b'"bl""ue"', 1 + i, b"xy"[i % 2 :][:1])
    for i in range(12)
)
SVM = b"".join(b"%d 1:%d 3:0.5\n" % (i % 2, i) for i in range(12))


def saved(write, *arrays, **named):
    file = io.BytesIO()
    write(file, *arrays, **named)
    return file.getvalue()


def arrow(table):
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def zipped(content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("rows.csv", content)
    return file.getvalue()


TABLE = pa.table({"a": [1.0, 2.0, None, 4.0], "b": ["x", "y", "x", "é"], "kind": ["u", "v", "u", "v"]})
X = np.array([[1.0, 2, 0], [3, 1, 1], [2, 5, 0], [4, 0, 1]])
FILES = {
    "rows.csv": CSV,
    "rows.jsonl": b"".join(
        json.dumps({"a": i, "b": "word \ud83d\ude00", "kind": "xy"[i % 2]}).encode() + b"\n"
        for i in range(8)
    ),
    "rows.svm": SVM,
    "rows.vw": b"".join(b"%d 2 'tag |n red:0.5 blue |m:2 a\n" % (i % 2 * 2 - 1) for i in range(9)),
    "rows.npy": saved(np.save, X),
    "rows.npz": saved(np.savez_compressed, X=X, y=X[:, 2]),
    "rows.arrow": arrow(TABLE),
    "rows.parquet": saved(lambda file: parquet.write_table(TABLE, file)),
    "rows.zip": zipped(CSV),
    "rows.svm.gz": gzip.compress(SVM, mtime=0),
}
PIECES = [
    b"",
    b'"',
    b"\n",
    b"\0",
    b"\xff",
    b",",
    b"{",
    b"\\ud800",
    b"9" * 400,
    b"-1",
    b"nan",
    b"\xff\xff\xff\x7f",
]


def mutated(content, draw):
    """Return the content with a few bytes flipped, replaced, put in, taken out or cut off."""
    for _ in range(draw.choice((1, 1, 2, 4))):
        at = draw.randrange(len(content) + 1)
        put = draw.choice([draw.choice(PIECES), draw.randbytes(1), content[at : at + 9] * 2])
        content = content[:at] + put + content[at + draw.choice((0, 1, 1, len(put), 20)) :]
        if draw.random() < 0.1:
            content = content[:at]
    return content


def check(command, content, where):
    result = CliRunner().invoke(main, command)
    is_exit = result.exception is None or isinstance(result.exception, SystemExit)
    assert is_exit, (where, content, result.exception)
    assert result.exit_code in (0, 1, 2) or result.exit_code >= 64, (where, content)
    assert result.exit_code < 64 or "Error: " in result.output, (where, content, result.output)


def n_cases():
    return settings().max_examples


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", FILES)
def test_a_mutated_file_is_read_or_refused_with_a_message(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = random.Random(name)
    for case in range(n_cases()):
        content = mutated(FILES[name], draw)
        Path(name).write_bytes(content)
        check(["fit", name, "--epochs", "1", "--quiet"], content, (name, case))


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", ["m.safetensors", "p.json"])
def test_a_mutated_model_or_proof_is_used_or_refused_with_a_message(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("n.csv").write_text("a,b,kind\n1,2,x\n3,1,y\n2,5,x\n4,0,y\n")
    for command in ("fit n.csv --out m.safetensors --quiet", "separate n.csv --proof p.json"):
        assert CliRunner().invoke(main, command.split()).exit_code == 0
    good, draw = Path(name).read_bytes(), random.Random(name)
    command = ["verify", name, "n.csv"] if name == "p.json" else ["predict", name, "n.csv"]
    for case in range(n_cases()):
        content = mutated(good, draw)
        Path(name).write_bytes(content)
        check(command, content, (name, case))
