"""Files elsewhere, by fsspec: the bits of the same files here, whatever happens to the connection."""

from __future__ import annotations

import gzip
import os
import pickle
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import fsspec
import numpy as np
import pytest

from rosenblatt import BadInput, read
from rosenblatt.data.sources import remote, text_blocks

ROWS = "".join(f"{1 if k % 3 else -1} 1:{k % 7} {2 + k % 5}:{k / 8}\n" for k in range(3000)).encode()


def rows_in(source, **more):
    chunks = list(read(source, **more))
    X = np.vstack([np.hstack([c.X.toarray(), np.zeros((len(c), 6 - c.X.shape[1]))]) for c in chunks])
    return X, np.concatenate([chunk.y for chunk in chunks])


class Place(BaseHTTPRequestHandler):
    """Files of a dictionary. `breaks`: so many answers are cut in the middle; `knows_ranges`: or not."""

    files: ClassVar[dict[str, bytes]] = {}
    breaks = 0
    knows_ranges = True
    largest = sent = 0

    def do_HEAD(self):
        self.answer(with_body=False)

    def do_GET(self):
        self.answer(with_body=True)

    def answer(self, with_body):
        cls = type(self)
        body = cls.files.get(self.path)
        if body is None:
            self.send_error(404)
            return
        part, code = body, 200
        wanted = self.headers.get("Range")
        if wanted and cls.knows_ranges:
            begin, end = wanted.removeprefix("bytes=").split("-")
            part, code = body[int(begin) : int(end or len(body)) + 1], 206
        self.send_response(code)
        self.send_header("Content-Length", str(len(part)))
        if code == 206:
            self.send_header("Content-Range", f"bytes {begin}-{end}/{len(body)}")
        self.end_headers()
        if with_body:
            cls.largest = max(cls.largest, len(part))
            cls.sent += len(part)
            if cls.breaks:
                cls.breaks -= 1
                self.wfile.write(part[: len(part) // 2])
                self.close_connection = True
                return
            self.wfile.write(part)

    def log_message(self, *_):
        pass


@pytest.fixture
def place(monkeypatch):
    monkeypatch.setattr(remote, "RANGE", 10_000)
    monkeypatch.setattr(remote, "PAUSE", 0.001)
    monkeypatch.setattr(text_blocks, "BLOCK", 8_000)
    Place.files = {"/rows.svm": ROWS, "/rows.svm.gz": gzip.compress(ROWS)}
    Place.breaks, Place.knows_ranges, Place.largest = 0, True, 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Place)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def here(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_bytes(ROWS)
    return rows_in(str(path))


def same(one, other):
    return (one[0] == other[0]).all() and (one[1] == other[1]).all()


@pytest.mark.parametrize("name", ["rows.svm", "rows.svm.gz"])
def test_http_gives_the_rows_of_the_file(place, here, name):
    assert same(rows_in(f"{place}/{name}"), here)


def test_ranges_are_requested_not_the_whole(place):
    list(read(f"{place}/rows.svm"))
    assert 0 < Place.largest <= 10_000 < len(ROWS)


def test_a_connection_that_breaks_is_tried_again(place, here):
    source = read(f"{place}/rows.svm")
    Place.breaks = 3
    chunks = list(source)
    assert sum(len(chunk) for chunk in chunks) == len(here[1])
    assert Place.breaks == 0


def test_a_connection_that_always_breaks_is_reported(place):
    source = read(f"{place}/rows.svm")
    Place.breaks = 10_000
    with pytest.raises(BadInput, match=r"rows\.svm: could not be read, tried 5 times"):
        list(source)


def test_a_server_without_ranges_will_do(place, here):
    Place.knows_ranges = False
    assert same(rows_in(f"{place}/rows.svm"), here)


def test_a_missing_file_is_reported(place):
    with pytest.raises(BadInput, match=r"nothing\.svm: there is no such file"):
        read(f"{place}/nothing.svm")
    with pytest.raises(BadInput, match="fsspec does not know this kind of address"):
        read("nowhere://rows.svm")


def test_memory_and_local_files_patterns_and_folders(here, tmp_path):
    memory = fsspec.filesystem("memory")
    half = ROWS.index(b"\n", len(ROWS) // 2) + 1
    memory.pipe({"/days/one.svm": ROWS[:half], "/days/two.svm": ROWS[half:]})
    try:
        assert same(rows_in("memory://days/*.svm"), here)
        assert same(rows_in("memory://days"), here)
        assert same(rows_in(f"file://{tmp_path}/rows.svm"), here)
        with pytest.raises(BadInput, match="no file matches"):
            read("memory://days/*.csv")
    finally:
        memory.rm("/days", recursive=True)


def test_a_binary_file_is_fetched_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    memory, table = fsspec.filesystem("memory"), np.arange(12.0).reshape(4, 3) % 5
    np.save(tmp_path / "rows.npy", table)
    memory.pipe("/rows.npy", (tmp_path / "rows.npy").read_bytes())
    try:
        (chunk,) = read("memory://rows.npy")
        assert (table[:, :-1] == chunk.X).all()
    finally:
        memory.rm("/rows.npy")


def test_copies_are_not_kept_in_a_folder_that_others_can_write_to(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    remote._copies_folder.cache_clear()
    foreign = tmp_path / f"rosenblatt-remote-{os.geteuid()}"
    foreign.mkdir(mode=0o777)
    foreign.chmod(0o777)
    try:
        folder = Path(remote._copies_folder())
        assert folder != foreign
        assert folder.stat().st_mode & 0o077 == 0
    finally:
        remote._copies_folder.cache_clear()


def parquet_bytes():
    import pyarrow as pa
    from pyarrow import parquet

    numbers = np.random.default_rng(0).normal(size=(20_000, 3))
    table = pa.table({"a": numbers[:, 0], "b": numbers[:, 1], "y": (numbers[:, 2] > 0).astype(int)})
    file = pa.BufferOutputStream()
    parquet.write_table(table, file, row_group_size=2_000, compression="none", use_dictionary=False)
    return file.getvalue().to_pybytes()


def test_of_parquet_only_the_row_groups_that_are_requested_are_read(place, tmp_path, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.sources.arrow_files.PART_BYTES", 40_000)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nothing is fetched"))
    Place.files["/rows.parquet"] = parquet_bytes()
    (tmp_path / "rows.parquet").write_bytes(Place.files["/rows.parquet"])
    here, there = read(str(tmp_path / "rows.parquet")), read(f"{place}/rows.parquet")
    assert there.n_parts == here.n_parts == 10
    Place.sent = 0
    (one,) = there.chunks([7])
    assert Place.sent < 150_000 < len(Place.files["/rows.parquet"])
    assert (one.X == next(iter(here.chunks([7]))).X).all()
    Place.breaks = 3
    whole = [chunk.X for chunk in pickle.loads(pickle.dumps(there))]
    assert (np.concatenate(whole) == np.concatenate([chunk.X for chunk in here])).all()
    assert Place.largest <= 10_000
    Place.breaks = 10_000
    with pytest.raises(BadInput, match=r"rows\.parquet: could not be read, tried 5 times"):
        list(read(f"{place}/rows.parquet"))


def test_a_file_that_changes_while_it_is_read_is_refused(monkeypatch):
    monkeypatch.setattr(text_blocks, "BLOCK", 8_000)
    memory = fsspec.filesystem("memory")
    memory.pipe("/rows.svm", ROWS)
    try:
        source = read("memory://rows.svm")
        memory.pipe("/rows.svm", ROWS + b"1 1:2\n")
        with pytest.raises(BadInput, match="the file changed while it was read"):
            list(source)
    finally:
        memory.rm("/rows.svm")
