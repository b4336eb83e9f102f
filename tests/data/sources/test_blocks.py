"""Text is cut into blocks of whole lines, each line once, plain or compressed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt.data.sources import text_blocks
from rosenblatt.data.sources.text_blocks import PlainText, TextStream
from rosenblatt.errors import BadInput

PACKERS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda content: pa.Codec("zstd").compress(content, asbytes=True),
}


@pytest.fixture(autouse=True)
def tiny_blocks(monkeypatch):
    monkeypatch.setattr(text_blocks, "BLOCK", 16)
    monkeypatch.setattr(text_blocks, "READ_MORE", 3)


def texts(made):
    found = []
    for block in made:
        found.append(block.text.tobytes())
        block.release()
    return found


def cut_by_hand(content: bytes) -> list[bytes]:
    """A line belongs to block k when its first byte is one of k·16 … k·16 + 15."""
    lines, place = {}, 0
    for line in content.splitlines(keepends=True):
        lines.setdefault(place // 16, []).append(line if line.endswith(b"\n") else line + b"\n")
        place += len(line)
    n_blocks = max(1, -(-len(content) // 16))
    return [b"".join(lines.get(k, [])) for k in range(n_blocks)]


LINES = st.lists(st.text("ab ", max_size=40), max_size=12).map("\n".join).map(str.encode)


@given(LINES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_line_is_in_the_block_of_its_first_byte(tmp_path, content):
    path = tmp_path / "lines"
    path.write_bytes(content)
    plain = PlainText(str(path))
    assert [plain.block(k).text.tobytes() for k in reversed(range(plain.n_blocks))][::-1] == cut_by_hand(
        content
    )
    assert texts(plain.blocks()) == cut_by_hand(content)
    streamed = texts(TextStream(str(path)).blocks())
    while streamed and not streamed[-1]:
        streamed.pop()
    expected = cut_by_hand(content)
    while expected and not expected[-1]:
        expected.pop()
    assert streamed == expected


@pytest.mark.parametrize("packing", PACKERS)
def test_a_packed_file_is_cut_like_the_plain_one(packing, tmp_path):
    content = b"".join(b"%d 1:%d\n" % (k % 2, k) for k in range(100))
    path = tmp_path / "packed"
    path.write_bytes(PACKERS[packing](content))
    found = [text for text in texts(TextStream(str(path)).blocks()) if text]
    assert found == [text for text in cut_by_hand(content) if text]


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path):
    path = tmp_path / "marked"
    path.write_bytes(b"\xef\xbb\xbf1 1:1\n")
    assert texts(PlainText(str(path)).blocks()) == [b"1 1:1\n"]
    assert b"".join(texts(TextStream(str(path)).blocks())) == b"1 1:1\n"


def test_a_file_that_grows_is_refused(tmp_path):
    path = tmp_path / "grows"
    path.write_bytes(b"1 1:1\n" * 10)
    plain = PlainText(str(path))
    plain.block(0)
    with open(path, "ab") as file:
        file.write(b"1 1:1\n")
    with pytest.raises(BadInput, match="changed while it was read"):
        plain.block(1)
    with pytest.raises(BadInput, match="changed while it was read"):
        plain.check_unchanged()


def test_standard_input_shows_its_head_and_is_read_once(monkeypatch):
    content = b"".join(b"%d 1:%d\n" % (k % 2, k) for k in range(100))

    class Standard:
        buffer = io.BytesIO(content)

    monkeypatch.setattr(sys, "stdin", Standard())
    stream = TextStream("-")
    assert stream.head(20) == content[:20]
    assert b"".join(texts(stream.blocks())) == content
    with pytest.raises(BadInput, match="only once"):
        texts(stream.blocks())


def test_data_decompressed_for_detection_are_not_decompressed_again(tmp_path, monkeypatch):
    content = b"".join(b"%d 1:%d\n" % (k % 2, k) for k in range(100))
    path = tmp_path / "lines.bz2"
    path.write_bytes(bz2.compress(content))
    times = []
    monkeypatch.setattr(
        text_blocks,
        "open_file",
        lambda *args, really=text_blocks.open_file: times.append(1) or really(*args),
    )
    stream = TextStream(str(path))
    assert stream.head(20) == content[:20]
    assert stream.head(50) == content[:50]
    assert [b"".join(texts(stream.blocks())) for _ in range(2)] == [content, content]
    assert len(times) == 2  # once for the look and the first reading, once for the second
