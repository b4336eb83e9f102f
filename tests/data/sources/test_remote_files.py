"""Remote files, read through fsspec, have the rows of local copies, even if connections break."""

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


class FileServer(BaseHTTPRequestHandler):
    """Serve files from a dictionary; cut the next `breaks` replies in half.

    largest, sent: bytes of the largest reply and of all replies.
    """

    files: ClassVar[dict[str, bytes]] = {}
    breaks = 0
    has_ranges = True
    largest = sent = 0

    def do_HEAD(self):
        self.reply(with_body=False)

    def do_GET(self):
        self.reply(with_body=True)

    def reply(self, with_body):
        cls = type(self)
        body = cls.files.get(self.path)
        if body is None:
            self.send_error(404)
            return
        part, code = body, 200
        requested = self.headers.get("Range")
        if requested and cls.has_ranges:
            begin, end = requested.removeprefix("bytes=").split("-")
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
def server_url(monkeypatch):
    monkeypatch.setattr(remote, "RANGE", 10_000)
    monkeypatch.setattr(remote, "PAUSE", 0.001)
    monkeypatch.setattr(text_blocks, "BLOCK", 8_000)
    FileServer.files = {"/rows.svm": ROWS, "/rows.svm.gz": gzip.compress(ROWS)}
    FileServer.breaks, FileServer.has_ranges, FileServer.largest = 0, True, 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), FileServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def local_rows(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_bytes(ROWS)
    return rows_in(str(path))


def same(one, other):
    return (one[0] == other[0]).all() and (one[1] == other[1]).all()


@pytest.mark.parametrize("name", ["rows.svm", "rows.svm.gz"])
def test_http_files_have_the_rows_of_local_files(server_url, local_rows, name):
    assert same(rows_in(f"{server_url}/{name}"), local_rows)


def test_a_file_is_requested_in_ranges(server_url):
    list(read(f"{server_url}/rows.svm"))
    assert 0 < FileServer.largest <= 10_000 < len(ROWS)


def test_a_connection_that_breaks_is_tried_again(server_url, local_rows):
    source = read(f"{server_url}/rows.svm")
    FileServer.breaks = 3
    chunks = list(source)
    assert sum(len(chunk) for chunk in chunks) == len(local_rows[1])
    assert FileServer.breaks == 0


def test_a_connection_that_always_breaks_is_reported(server_url):
    source = read(f"{server_url}/rows.svm")
    FileServer.breaks = 10_000
    with pytest.raises(BadInput, match=r"rows\.svm: could not be read, tried 5 times"):
        list(source)


def test_a_server_without_ranges_is_read_too(server_url, local_rows):
    FileServer.has_ranges = False
    assert same(rows_in(f"{server_url}/rows.svm"), local_rows)


def test_a_missing_file_is_reported(server_url):
    with pytest.raises(BadInput, match=r"nothing\.svm: there is no such file"):
        read(f"{server_url}/nothing.svm")
    with pytest.raises(BadInput, match="fsspec does not know this kind of address"):
        read("nowhere://rows.svm")


def test_memory_urls_patterns_and_folders_have_the_rows_of_local_files(local_rows, tmp_path):
    memory = fsspec.filesystem("memory")
    half = ROWS.index(b"\n", len(ROWS) // 2) + 1
    memory.pipe({"/days/one.svm": ROWS[:half], "/days/two.svm": ROWS[half:]})
    try:
        assert same(rows_in("memory://days/*.svm"), local_rows)
        assert same(rows_in("memory://days"), local_rows)
        assert same(rows_in(f"file://{tmp_path}/rows.svm"), local_rows)
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


def test_only_the_requested_row_groups_of_a_parquet_file_are_fetched(server_url, tmp_path, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.sources.arrow_files.PART_BYTES", 40_000)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "no copy is made here"))
    FileServer.files["/rows.parquet"] = parquet_bytes()
    (tmp_path / "rows.parquet").write_bytes(FileServer.files["/rows.parquet"])
    local, remote_source = read(str(tmp_path / "rows.parquet")), read(f"{server_url}/rows.parquet")
    assert remote_source.n_parts == local.n_parts == 10
    FileServer.sent = 0
    (one,) = remote_source.chunks([7])
    assert FileServer.sent < 150_000 < len(FileServer.files["/rows.parquet"])
    assert (one.X == next(iter(local.chunks([7]))).X).all()
    FileServer.breaks = 3
    whole = [chunk.X for chunk in pickle.loads(pickle.dumps(remote_source))]
    assert (np.concatenate(whole) == np.concatenate([chunk.X for chunk in local])).all()
    assert FileServer.largest <= 10_000
    FileServer.breaks = 10_000
    with pytest.raises(BadInput, match=r"rows\.parquet: could not be read, tried 5 times"):
        list(read(f"{server_url}/rows.parquet"))


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
