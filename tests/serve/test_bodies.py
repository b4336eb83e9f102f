"""Bodies are read within bounds, or refused with a message."""

import socket
import time

import numpy as np
import pyarrow as pa
import pytest

from fuzz.serve_torture import get
from rosenblatt.serve import app, request_bodies
from rosenblatt.serve.http_schema import ARROW, JSON, NDJSON
from rosenblatt.serve.jobs import Refusal
from rosenblatt.serve.log_records import Mark
from rosenblatt.serve.request_bodies import parse_body
from tests.serve.serving import expire, leader, listen, record_time_limits, serve, until


def stream(table, **options):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def lists(X, y):
    X = np.asarray(X, float)
    return pa.table({"x": pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), X.shape[1]), "y": y})


def outcome(body):
    """Return examples, labels and ids of a body, or the status of its refusal."""
    try:
        parts = parse_body(body, ARROW, "/learn")
    except Refusal as error:
        return error.status
    return np.asarray(parts.examples).tolist(), parts.labels, parts.ids


def test_a_column_of_an_unknown_type_is_refused():
    good = stream(pa.table({"x": [[1.0], [2.0]], "y": pa.array([1, 2], pa.float32())}))
    statuses = set()
    for kind in (place for place in range(len(good)) if good[place] == 3):  # a floating-point number …
        for unit in (place for place in range(len(good)) if good[place] == 1):  # … of single precision
            bad = bytearray(good)
            bad[kind], bad[unit] = 11, 0  # an interval, of months
            found = outcome(bytes(bad))
            statuses.add(found if isinstance(found, int) else 200)
    assert 422 in statuses
    assert max(statuses) < 500


def test_a_repeated_name_among_many_is_found_at_once():
    names = ",".join(f'"{k}":1' for k in range(100_000))
    body = f'{{"x":{{{names},"99999":1}},"y":1}}'.encode()
    began = time.thread_time()
    with pytest.raises(Refusal, match="'99999' twice"):
        parse_body(body, JSON, "/learn")
    assert time.thread_time() - began < 5  # comparing each name with all before it took two minutes


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_compressed_streams_are_refused_before_they_grow(compression):
    plain = pa.table({"x": np.zeros(1000), "y": np.zeros(1000, int)})
    words = pa.table({"x": pa.array(["a" * 50] * 999 + ["b"]).dictionary_encode(), "y": [1] * 1000})
    for table in (plain, words):
        with pytest.raises(Refusal, match="without compression"):
            parse_body(stream(table, compression=compression), ARROW, "/learn")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pa.table({"x": pa.array([[1.0, 2.0], [3.0]]), "y": [1, -1]}), "different lengths"),
        (pa.table({"x": pa.array([[1.0, 2.0], None]), "y": [1, -1]}), "missing"),
        (lists([[1.0, np.nan]], [1]), "not finite"),
        (lists([[1.0, 2.0]], [np.nan]), "texts or numbers"),
        (pa.table({"a": [1.0], "b": [np.nan], "y": [1]}), "not finite"),
        (pa.table({"x": [1.0], "y": [1]}), "expected {name: value}"),
        (pa.table({"a": [1.0], "y": [[1]]}), "a column of list"),
        (pa.table({"a": [1.0], "y": [1]}).slice(0, 0), "0 examples"),
        (pa.table({"a": pa.array([2**62], pa.timestamp("us")), "y": [1]}), "cannot be read"),
        (pa.table({"x": pa.array([2**62], pa.duration("s")), "y": [1]}), "cannot be read"),
    ],
)
def test_a_faulty_table_is_refused_with_its_fault(table, message):
    with pytest.raises(Refusal, match=message):
        parse_body(stream(table), ARROW, "/learn")


def test_columns_categories_and_several_batches_are_read():
    table = pa.table({"a": [1.0, None], "c": pa.array(["u", "v"]).dictionary_encode(), "y": ["p", "q"]})
    assert outcome(stream(pa.concat_tables([table, table]))) == (
        [{"a": 1.0, "c": "u"}, {"c": "v"}] * 2, ["p", "q"] * 2, None,
    )  # fmt: skip


def test_a_body_of_too_many_lists_is_refused_before_it_is_parsed(monkeypatch):
    monkeypatch.setattr(request_bodies, "MOST_PARTS", 1000)
    for kind in (JSON, NDJSON):
        with pytest.raises(Refusal, match="lists and objects") as refused:
            parse_body(b'{"x": [' + b"[]," * 1000 + b'1], "y": 1}', kind, "/learn")
        assert refused.value.status == 413


def test_bodies_in_progress_and_readers_of_large_replies_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(app, "MOST_READERS", 1)
    with serve(tmp_path / "log") as api:
        example = {"x": {"a": 1.0}, "y": 1}
        monkeypatch.setattr(app, "MOST_BYTES", 100)
        for _ in range(5):  # what was done is not counted, and neither is what was refused
            assert api.post("/learn", example).status_code == 200
            assert api.post("/learn", {**example, "y": {}}).status_code == 422
        refused = api.post("/learn", {"x": {"a" * 100: 1.0}, "y": 1})
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
        for path in ("/model", "/log?from=0", "/log", "/model"):  # each gives its place back
            assert api.client.get(path).status_code == (422 if "from=0" in path else 200)
        monkeypatch.setattr(app, "PIECE", 7)
        assert api.client.get("/log").text.count("\n") == 5


def test_a_reader_that_does_not_read_is_disconnected(tmp_path, monkeypatch):
    monkeypatch.setattr(app, "MOST_READERS", 1)
    limits, host = record_time_limits(monkeypatch), leader(tmp_path / "log")

    async def log(*_):
        return bytes(30_000_000), Mark()

    monkeypatch.setattr(host, "export_log", log)
    with listen(lambda: host) as url:
        port = int(url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as reader:
            reader.sendall(f"GET /log HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n\r\n".encode())
            assert reader.recv(12) == b"HTTP/1.1 200"
            statuses = [get(port, path)[0] for path in ("/model", "/log")]
            assert statuses == [503, 503], "the only place is taken"
            expire(*limits[0])
            until(lambda: get(port, "/model")[0] == 200)


def test_the_page_keeps_only_the_beginning_of_an_example(tmp_path):
    with serve(tmp_path / "log") as api:
        api.learn({"x": {"says": "free " * 50_000, **{f"f{j}": 1.0 for j in range(1000)}}, "y": 1})
        assert len(str(api.service.last[-1]["x"])) < 3000
