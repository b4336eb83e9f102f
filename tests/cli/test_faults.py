"""Damaged files, full disks and interrupted runs: one error message, an exit code, and nothing lost."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import re
import struct
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from rosenblatt.data.sources import read, reading, text_blocks
from rosenblatt.data.sources.arrow_files import _parts_of
from rosenblatt.data.whole_files import replacing
from rosenblatt.errors import BadInput
from rosenblatt.storage.checkpoints import save_checkpoint
from rosenblatt.training.settings import StreamSettings
from rosenblatt.training.streams.stream_run import StreamRun
from tests.cli.runner import run_command

SMALL = 512  # bytes of a block
EVERY_FORMAT = ("svm", "vw", "csv", "tsv", "parquet", "arrow", "npy", "npz")


def refusal(*words, code=65):
    """Return the output of a command that must fail with this exit code."""
    result = run_command(*words)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


def zstandard(content):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as packed:
        packed.write(content)
    return sink.getvalue().to_pybytes()


PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstandard}


@pytest.fixture
def workdir(tmp_path, monkeypatch):
    """A folder with rows.svm, 400 rows in some blocks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(text_blocks, "BLOCK", SMALL)
    r = np.random.default_rng(0)
    lines = []
    for row in r.normal(size=(400, 3)).round(3).tolist():
        label = 1 if row[0] + row[1] > 0.1 else -1
        lines.append(f"{label} " + " ".join(f"{j}:{v}" for j, v in enumerate(row, 1)) + "\n")
    Path("rows.svm").write_text("".join(lines))
    return tmp_path


def run_with_file_limit(*words, n_bytes):
    """Run a command whose files cannot grow beyond `n_bytes`, as on a full disk."""
    resource = pytest.importorskip("resource", reason="no such limits here")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    writes_none, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # it would be cut short too
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        return run_command(*words)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = writes_none


# ---------------------------------------------------------------- files that cannot be used


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("left_out", [1, 6, 0.5])
def test_a_packed_file_that_is_cut_is_refused_with_its_name(workdir, packing, left_out):
    packed = PACKERS[packing](Path("rows.svm").read_bytes())
    end = len(packed) - left_out if left_out >= 1 else int(len(packed) * left_out)
    Path(f"cut.svm.{packing}").write_bytes(packed[:end])
    said = refusal("fit", f"cut.svm.{packing}", "--out", "model.safetensors", "--quiet")
    assert f"cut.svm.{packing}: the compressed data is damaged or cut short" in said
    assert sorted(os.listdir()) == [f"cut.svm.{packing}", "rows.svm"]


@pytest.mark.parametrize("ending", EVERY_FORMAT)
@pytest.mark.parametrize("content", [bytes(1000), bytes(range(128, 256)) * 9, b"", b'{"a": 1}\n'])
def test_a_file_of_another_format_is_refused_with_its_name(workdir, ending, content):
    Path(f"odd.{ending}").write_bytes(content)
    assert f"Error: odd.{ending}" in refusal("fit", f"odd.{ending}", "--quiet")


def ipc_file(**columns):
    sink = pa.BufferOutputStream()
    table = pa.table(columns)
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def npy_of_shape(shape):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head


def parquet_of(**columns):
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file, compression="none", write_statistics=False)
    return file.getvalue()


def zip_of(files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("odd.jsonl", b'{"a":"\\ud800","y":1}\n', "line 1: has half of a surrogate pair"),
        ("odd.jsonl", b'{"\\udfff":2,"y":1}\n{"a":"x","y":0}\n', "line 1: has half of a surrogate pair"),
        ("odd.jsonl", b'{"a":1,"y":1}\n{"a":"\\ud800","y":1}\n', "line 2, column 1: has half of a"),
        ("odd.json", b'[{"a":"x","y":1},{"a":"\\ud800","y":0}]', "has half of a surrogate pair"),
        ("odd.json", b'[{"a":"x","y":1,"y":0},{"a":"z","y":0}]', "an object has 'y' twice"),
        ("odd.npy", npy_of_shape((10**12, 10)), "declares arrays larger than memory"),
        ("odd.npy", npy_of_shape((2**64, 3)), "is damaged or cut short"),
        ("odd.npz", zip_of({"X.npy": b"no array", "y.npy": npy_of_shape((0,))}), "X is not an array"),
        ("odd.npy", npy_of_shape("(1L, 3)"), "is damaged or cut short"),
        ("odd.npy", npy_of_shape("(1, 3)").replace(b"<f8", b",f8"), "is damaged or cut short"),
        (
            "odd.parquet",
            parquet_of(a=["spam", "ham"], y=[0, 1]).replace(b"spam", b"sp\x85m"),
            "is damaged or cut",
        ),
        ("odd.zip", zip_of({"": b"1,2\n"}), "the archive contains no files"),
        ("odd.zip", zip_of({"é.csv": b"1,2\n"}).replace("é".encode(), b"\xff\xfe"), "is damaged"),
        ("odd.jsonl", b'{"a":1,"y":"n"}\n{"a":2,"y":"\xeb"}\n', "line 2, column 1: is not JSON"),
        ("odd.arrow", ipc_file(naame=[1, 2], y=[0, 1]).replace(b"naame", b"na\x84me"), "is damaged or cut"),
    ],
)
def test_a_damaged_file_is_refused_with_its_name(workdir, name, content, said):
    Path(name).write_bytes(content)
    assert re.search(f"Error: {name}.*({said})", refusal("fit", name, "--quiet"))


@pytest.mark.parametrize(
    "labels",
    [
        pa.array([[["u"]], [["v"]]] * 6),
        pa.array([b"\xff", b"v"] * 6),
        pa.array([b"\xff", b"v"] * 6, pa.binary_view()),
    ],
)
def test_labels_that_are_neither_numbers_nor_texts_are_refused(workdir, labels):
    Path("odd.arrow").write_bytes(ipc_file(a=range(12), y=labels))
    assert "--target: column 'y' holds" in refusal("fit", "odd.arrow", "--quiet")


UNUSUAL = {
    "views, as polars writes them": pa.array(["red", None, "blue"] * 4, pa.string_view()),
    "categories that are views": pa.DictionaryArray.from_arrays(
        pa.array([0, None, 1] * 4, pa.int32()), pa.array(["red", "blue"], pa.string_view())
    ),
    "times after the year 9999": pa.array([0, 1 << 61, 1 << 62] * 4, pa.timestamp("us")),
    "vectors that are all missing": pa.array([None] * 12, pa.list_(pa.float32(), 3)),
}


@pytest.mark.parametrize("case", UNUSUAL)
def test_unusual_arrow_columns_are_read(workdir, case):
    labels = pa.array(["u", "v"] * 6, pa.string_view())
    Path("odd.arrow").write_bytes(ipc_file(a=[1.0, 2.0, 3.5] * 4, b=UNUSUAL[case], y=labels))
    assert run_command("fit", "odd.arrow", "--out", "m.safetensors", "--quiet").exit_code == 0
    assert run_command("predict", "m.safetensors", "odd.arrow").output.split()[0] in ("u", "v")


def test_a_parquet_file_may_state_row_groups_of_no_bytes():
    group = SimpleNamespace(num_rows=5, total_byte_size=0)
    assert _parts_of(SimpleNamespace(num_row_groups=2, row_group=lambda n: group)) == ([[0, 1]], [0])


def test_too_little_memory_has_its_own_exit_code(workdir, monkeypatch):
    def no_memory(*_, **__):
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr("rosenblatt.data.sources.svmlight.SvmlightText.parse", no_memory)
    assert "not enough memory (Unable to allocate 9 TiB)" in refusal("fit", "rows.svm", "--quiet", code=71)


def test_fit_on_100000_columns_takes_less_than_900_mb(workdir):
    names = ",".join(f"c{i}" for i in range(100_000))
    Path("wide.csv").write_text("\n".join([names, ",".join("1" * 100_000), ",".join("2" * 100_000), ""]))
    # Linux counts the memory of a process before exec too, so a small process starts the command
    measure = (
        "import resource, subprocess, sys\n"
        "subprocess.run([sys.executable, '-m', 'rosenblatt', *sys.argv[1:]], check=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [sys.executable, "-c", measure, "fit", "wide.csv", "--epochs", "1", "--quiet"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    kilobytes = int(printed.split()[-1]) / (1024 if sys.platform == "darwin" else 1)
    # 543 MB, and 80 MB more to compile; pyarrow's reader alone would take it to 1,190 MB
    assert kilobytes < 900_000, printed


def test_json_lines_with_a_name_of_its_own_in_each_line_are_refused(workdir):
    own = [json.dumps({f"k{i}": 1, "y": i % 2}) for i in range(4_000)]
    Path("own.jsonl").write_text("\n".join(own))  # 100 KB; 16 million cells
    message = refusal("fit", "own.jsonl")
    assert "own.jsonl: 4,000 objects with 4,001 different names are a table of 16,004,000 cells" in message


def test_a_quote_that_is_not_closed_far_away_is_named_with_its_line(workdir):
    Path("open.csv").write_text('a,b,y\n1,"x,0\n' + "1,z,1\n" * 500_000)
    assert "open.csv line 2, column 3: a quote is not closed within" in refusal("fit", "open.csv")


@pytest.mark.parametrize(("ending", "head"), [("svm", "1 1:1\n-1 "), ("vw", "1 | a\n-1 | "), ("svm", "1 ")])
def test_a_line_without_an_end_is_refused(workdir, monkeypatch, ending, head):
    monkeypatch.setattr(text_blocks, "LONGEST_LINE", 1 << 21)
    monkeypatch.setattr(reading, "LONGEST_LINE", 1 << 21)
    content = (head + "3:1 " * 1_500_000).encode()
    Path(f"endless.{ending}.gz").write_bytes(gzip.compress(content, 1))
    said = refusal("fit", f"endless.{ending}.gz", "--quiet")
    assert f"line {head.count(chr(10)) + 1}: no line end within 2 MB" in said


def test_the_next_write_removes_what_killed_runs_left_but_not_what_a_process_holds(workdir):
    leftover, other = Path(".m.x.0123456789abcdef.part"), Path(".other.0123456789abcdef.part")
    leftover.write_bytes(b"half")
    other.write_bytes(b"of another file")
    with replacing("m.x") as first, replacing("m.x") as second:
        assert not leftover.exists()
        assert os.path.exists(first)
        assert os.path.exists(second)
    assert sorted(os.listdir()) == [other.name, "m.x", "rows.svm"]


# ---------------------------------------------------------------- bad lines that are allowed


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_bad_lines_are_counted_over_all_blocks_and_files(workdir, n_jobs):
    lines = Path("rows.svm").read_text().splitlines(keepends=True)
    for number in (3, 150, 399):
        lines[number] = "bad\n"
    Path("first.svm").write_text("".join(lines))
    Path("second.svm").write_text("1 1:1\nworse\n")
    source = read(["first.svm", "second.svm"], skip_bad=4, n_jobs=n_jobs)
    assert sum(len(chunk) for chunk in source) == 398
    assert source.n_bad == 4
    with pytest.raises(BadInput, match=r"second\.svm line 2, column 1: .*\(3 malformed lines skipped"):
        list(read(["first.svm", "second.svm"], skip_bad=3, n_jobs=n_jobs))


# ---------------------------------------------------------------- a full disk


def test_a_full_disk_leaves_the_old_model(workdir):
    assert run_command("fit", "rows.svm", "--out", "model.safetensors", "--quiet").exit_code == 0
    before = Path("model.safetensors").read_bytes()
    result = run_with_file_limit(
        "fit", "rows.svm", "--out", "model.safetensors", "--epochs", 2, "--quiet", n_bytes=100
    )
    assert result.exit_code == 73, result.stderr
    assert "model.safetensors: no space for the model" in result.stderr
    assert Path("model.safetensors").read_bytes() == before
    assert sorted(os.listdir()) == ["model.safetensors", "rows.svm"]


@pytest.mark.parametrize("ending", ["svm", "vw", "parquet", "arrow", "npz", "svm.gz", "svm.zst"])
def test_a_full_disk_leaves_the_old_converted_file(workdir, ending):
    Path(f"out.{ending}").write_text("old")
    result = run_with_file_limit("convert", "rows.svm", f"out.{ending}", n_bytes=1000)
    assert result.exit_code == 73, result.stderr
    assert f"out.{ending}" in result.stderr
    assert Path(f"out.{ending}").read_text() == "old"
    assert sorted(os.listdir()) == sorted([f"out.{ending}", "rows.svm"])


def test_a_full_disk_leaves_the_old_report_and_no_cache(workdir):
    Path("report.html").write_text("old")
    assert (
        run_with_file_limit("fit", "rows.svm", "--report", "report.html", "--quiet", n_bytes=500).exit_code
        == 73
    )
    assert (
        run_with_file_limit("fit", "rows.svm", "--cache", "rows.cache", "--quiet", n_bytes=500).exit_code
        == 73
    )
    assert Path("report.html").read_text() == "old"
    assert sorted(os.listdir()) == ["report.html", "rows.svm"]


# ---------------------------------------------------------------- files that change while they are read


def finished_run(source, watch=lambda run: None, n_jobs=1, **settings):
    run = StreamRun(source, StreamSettings(**settings), n_jobs, watch)
    run.go()
    return run


class Stopped(Exception):
    """The moment at which a test ends a run."""


def stop_after(run, n_groups):
    """Stop a run after `n_groups` groups of rows."""
    seen = []

    def watch(run):
        seen.append(1)
        if len(seen) == n_groups:
            raise Stopped

    run.watch = watch
    with pytest.raises(Stopped):
        run.go()


def append():
    with open("rows.svm", "a") as file:
        file.write("1 1:1\n")


def replace():
    Path("other.svm").write_bytes(Path("rows.svm").read_bytes())
    os.replace("other.svm", "rows.svm")


@pytest.mark.parametrize("change", [append, replace, lambda: os.truncate("rows.svm", 3000)])
@pytest.mark.parametrize("when", [1, 5, 15])
@pytest.mark.parametrize("order", ["given", "shuffled"])
def test_text_that_changes_while_it_is_read_is_refused(workdir, monkeypatch, change, when, order):
    monkeypatch.setattr("rosenblatt.training.streams.shuffling.BUFFER_BYTES", 2 * SMALL)
    seen = []

    def watch(run):
        seen.append(1)
        if len(seen) == when:
            change()

    with pytest.raises(BadInput, match=r"rows\.svm: the file changed while it was read"):
        finished_run(read("rows.svm", n_jobs=1), watch, order=order, epochs=4)


# ---------------------------------------------------------------- checkpoints and caches that are damaged


@pytest.fixture
def checkpoint(workdir):
    run = StreamRun(read("rows.svm"), StreamSettings(epochs=2))
    stop_after(run, 20)
    save_checkpoint(run, "run.checkpoint")
    return Path("run.checkpoint").read_bytes()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.99])
def test_a_checkpoint_that_is_cut_is_refused(checkpoint, share):
    Path("run.checkpoint").write_bytes(checkpoint[: int(len(checkpoint) * share)])
    assert "run.checkpoint" in refusal("fit", "rows.svm", "--checkpoint", "run.checkpoint", "--quiet")


@pytest.mark.parametrize("order", ["given", "shuffled"])
def test_threads_change_nothing(workdir, order):
    found = {
        finished_run(read("rows.svm", n_jobs=n), n_jobs=n, order=order, epochs=2).state.current().tobytes()
        for n in range(1, 9)
    }
    assert len(found) == 1


def hostile_lists(offsets, indices, path):
    """An Arrow file of sparse rows with these offsets, which pyarrow writes as they are."""
    places = pa.py_buffer(np.asarray(offsets, np.int32))
    n = len(offsets) - 1

    def lists(cells):
        return pa.Array.from_buffers(pa.list_(cells.type), n, [None, places], children=[cells])

    values = np.ones(len(indices))
    columns = {
        "y": [1, -1] * (n // 2),
        "indices": lists(pa.array(indices)),
        "values": lists(pa.array(values)),
    }
    batch = pa.record_batch(columns)
    with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
        writer.write_batch(batch)


@pytest.mark.parametrize("offset", [2_000_000_000, -2_000_000_000, -2, 1])
def test_an_arrow_file_whose_lists_lead_out_of_it_is_refused(workdir, offset):
    offsets = np.arange(101) * 2
    offsets[50] = offset
    hostile_lists(offsets, np.tile([0, 1], 100).astype(np.int32), "odd.arrow")
    assert "odd.arrow" in refusal("fit", "odd.arrow", "--quiet")


@pytest.mark.parametrize("seed", range(20))
def test_a_cache_with_flipped_bytes_never_leads_out_of_memory(workdir, monkeypatch, seed):
    from rosenblatt.data.sources import cache

    monkeypatch.setattr(cache, "AT_REST", 0.0)
    list(cache.Cached(read("rows.svm"), "rows.cache"))
    damaged = bytearray(Path("rows.cache").read_bytes())
    r = np.random.default_rng(seed)
    for place in r.integers(0, len(damaged), 30).tolist():
        damaged[place] = int(r.integers(0, 256))
    Path("rows.cache").write_bytes(damaged)
    with suppress(BadInput):  # what is found is refused; what is not must not lead out of the arrays
        finished_run(cache.Cached(read("rows.svm"), "rows.cache"), epochs=2)
