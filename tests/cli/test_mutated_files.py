"""Mutated files of each format through the command line: an exit code and a message, never a traceback.

`make test` tries 300 files of each format, `make test-properties` 10,000. A command may take at most 30 s
of processor time and 800 MB of memory more than the process had.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import shutil
import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import settings
from pyarrow import parquet

from rosenblatt import KernelPerceptron, save
from rosenblatt.cli.main import main

SECONDS, MEGABYTES = 30, 800

CSV = b"a,b,when,kind\n" + b"".join(
    b"%d,%s,2024-01-%02d,%s\n" % (i, b"red" if i % 3 else b'"bl""ue"', 1 + i, b"xy"[i % 2 :][:1])
    for i in range(12)
)
SVM = b"".join(b"%d 1:%d 3:0.5\n" % (i % 2, i) for i in range(12))


def array_bytes(write, *arrays, **named):
    file = io.BytesIO()
    write(file, *arrays, **named)
    return file.getvalue()


def arrow(table):
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def zip_bytes(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        warnings.catch_warnings(action="ignore"),  # of a name that comes twice
    ):
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


TABLE = pa.table({"a": [1.0, 2.0, None, 4.0], "b": ["x", "y", "x", "é"], "kind": ["u", "v", "u", "v"]})
X = np.array([[1.0, 2, 0], [3, 1, 1], [2, 5, 0], [4, 0, 1]])
NPY = array_bytes(np.save, X)
PARTS = {"X.npy": NPY, "y.npy": array_bytes(np.save, X[:, 2])}
FILES = {
    "rows.csv": CSV,
    "rows.jsonl": b"".join(
        json.dumps({"a": i, "b": "word \ud83d\ude00", "kind": "xy"[i % 2]}).encode() + b"\n"
        for i in range(8)
    ),
    "rows.svm": SVM,
    "rows.vw": b"".join(b"%d 2 'tag |n red:0.5 blue |m:2 a\n" % (i % 2 * 2 - 1) for i in range(9)),
    "rows.npy": NPY,
    "rows.npz": zip_bytes(PARTS),
    "rows.arrow": arrow(TABLE),
    "rows.parquet": array_bytes(lambda file: parquet.write_table(TABLE, file)),
    "rows.zip": zip_bytes({"rows.csv": CSV}),
    "rows.svm.gz": gzip.compress(SVM, mtime=0),
}
NUMBERS = [b"-1", b"nan", b"inf", b"1e400", b"0" * 99, b"9" * 400, b"1e-320", b"18446744073709551616"]
PIECES = [
    *NUMBERS, b"", b'"', b"'", b"\n", b"\r", b"\t", b" ", b":", b"|", b"#", b"\0", b"\xff", b"\xfe\xff",
    b",", b"{", b"}", b"[", b"]", b"[[", b"null", b"true", b"\\ud800", b"\\", "\u2028é".encode(),
    b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff\xff\xff\xff\x7f", b"\0\0\0\0\0\0\0\x80", b"(", b"O", b"<U9",
]  # fmt: skip


def mutate(content: bytes, draw: random.Random) -> bytes:
    """Return the content with a few bytes flipped, replaced, put in, taken out or cut off."""
    for _ in range(draw.choice((1, 1, 2, 4))):
        at = draw.randrange(len(content) + 1)
        kind = draw.random()
        if kind < 0.2 and content:
            at = min(at, len(content) - 1)
            content = content[:at] + bytes([content[at] ^ 1 << draw.randrange(8)]) + content[at + 1 :]
        elif kind < 0.4 and (numbers := list(re.finditer(rb"-?\d+(\.\d+)?", content))):
            start, end = draw.choice(numbers).span()
            content = content[:start] + draw.choice(NUMBERS) + content[end:]
        else:
            put = draw.choice([draw.choice(PIECES), draw.randbytes(1), content[at : at + 9] * 2])
            content = content[:at] + put + content[at + draw.choice((0, 1, 1, len(put), 20)) :]
        if draw.random() < 0.1:
            content = content[:at]
    return content


def mutated_npz(draw: random.Random) -> bytes:
    """Return an archive of valid checksums, one of whose members or names is mutated."""
    name = draw.choice(list(PARTS))
    if draw.random() < 0.2:
        other = mutate(name.encode(), draw).decode("latin-1") or "empty"
        return zip_bytes({**PARTS, other: NPY})
    return zip_bytes({**PARTS, name: mutate(PARTS[name], draw)})


INSIDE: dict[str, Callable[[random.Random], bytes]] = {
    "rows.npz": mutated_npz,
    "rows.zip": lambda draw: zip_bytes(
        {draw.choice(["rows.csv", "r.jsonl", "../r.csv"]): mutate(CSV, draw)}
    ),
    "rows.svm.gz": lambda draw: gzip.compress(mutate(SVM, draw), mtime=0),
}
"""Mutated contents of valid containers; those of mutated containers seldom get past their checksums."""


def n_cases() -> int:
    return 10_000 if settings().max_examples >= 300 else 300


def peak_megabytes() -> float | None:
    """Return the largest resident memory since the last reset, in MB, and reset it; None: not on Linux."""
    try:
        with open("/proc/self/status") as lines:
            peak = next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
        with open("/proc/self/clear_refs", "w") as reset:
            reset.write("5")
    except OSError:
        return None
    return peak


def check(command: list[str], where: object) -> None:
    peak_megabytes()
    before, began = peak_megabytes(), time.process_time()
    result = CliRunner().invoke(main, command)
    spent, after = time.process_time() - began, peak_megabytes()
    is_exit = result.exception is None or isinstance(result.exception, SystemExit)
    assert is_exit, (where, command, result.exception, result.exc_info)
    assert result.exit_code in (0, 1, 2) or result.exit_code >= 64, (where, command)
    assert result.exit_code < 64 or "Error: " in result.output, (where, command, result.output)
    assert spent < SECONDS, (where, command)
    assert before is None or after - before < MEGABYTES, (where, command, after - before)


@pytest.fixture(scope="module")
def artefacts(tmp_path_factory) -> Path:
    """Return a folder with a model for each file, a kernel model, a proof and the rows that they are of."""
    folder = tmp_path_factory.mktemp("written")
    (folder / "n.csv").write_text("a,b,kind\n1,2,x\n3,1,y\n2,5,x\n4,0,y\n")
    commands = [
        f"fit {folder}/n.csv --out {folder}/m.safetensors --quiet --probabilities",
        f"separate {folder}/n.csv --proof {folder}/p.json",
    ]
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
        commands.append(f"fit {folder}/{name} --out {folder}/{name}.safetensors --quiet")
    for command in commands:
        result = CliRunner().invoke(main, command.split())
        assert result.exit_code == 0, (command, result.output)
    save(KernelPerceptron("gaussian").fit(X, [0, 1, 0, 1]), folder / "k.safetensors")
    return folder


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", FILES)
def test_a_mutated_file_is_read_or_refused_with_a_message(
    name, artefacts, tmp_path, monkeypatch, random_seed
):
    monkeypatch.chdir(tmp_path)
    draw, model = random.Random(name + random_seed), f"{artefacts}/{name}.safetensors"
    fit = ["fit", name, "--epochs", "1", "--quiet"]
    commands = [
        fit, fit, fit, [*fit, "--skip-bad", "5"], ["separate", name, "--time-limit", "0.2"],
        ["predict", model, name], ["evaluate", model, name], ["convert", name, "converted.arrow"],
    ]  # fmt: skip
    for case in range(n_cases()):
        content = (
            INSIDE[name](draw) if name in INSIDE and draw.random() < 0.5 else mutate(FILES[name], draw)
        )
        Path(name).write_bytes(content)
        Path("converted.arrow").unlink(missing_ok=True)
        check(draw.choice(commands), (name, case, content))


def mutated_header(model: bytes, draw: random.Random) -> bytes:
    """Return a model whose header is mutated; the length of the header is right."""
    size = int.from_bytes(model[:8], "little")
    header = mutate(model[8 : 8 + size], draw)
    return len(header).to_bytes(8, "little") + header + model[8 + size :]


MODELS_AND_PROOFS = {
    "m.safetensors": [["predict"], ["evaluate"], ["inspect"], ["predict", "--probabilities"]],
    "k.safetensors": [["predict"], ["evaluate"], ["inspect"], ["predict", "--scores"]],
    "p.json": [["verify"]],
}


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", MODELS_AND_PROOFS)
def test_a_mutated_model_or_proof_is_used_or_refused_with_a_message(
    name, artefacts, tmp_path, monkeypatch, random_seed
):
    monkeypatch.chdir(tmp_path)
    shutil.copy(artefacts / "n.csv", "n.csv")
    Path("x.csv").write_text("1,2,0\n3,1,1\n2,5,0\n4,0,1\n")
    good, draw = (artefacts / name).read_bytes(), random.Random(name + random_seed)
    for case in range(n_cases()):
        is_header = name != "p.json" and draw.random() < 0.5
        content = mutated_header(good, draw) if is_header else mutate(good, draw)
        Path(name).write_bytes(content)
        command, *options = draw.choice(MODELS_AND_PROOFS[name])
        rows = {"inspect": []}.get(command, ["x.csv" if name == "k.safetensors" else "n.csv"])
        check([command, name, *rows, *options], (name, case, content))
