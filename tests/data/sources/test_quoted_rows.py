"""Quoted cells with line ends, as pandas writes them: a row belongs to the block of its first byte."""

from __future__ import annotations

import csv
import gzip
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rosenblatt.data.sources import read, text_blocks
from rosenblatt.data.sources.text_blocks import PlainText, TextStream
from rosenblatt.errors import BadInput

SMALL = 32  # bytes of a block


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(text_blocks, "BLOCK", SMALL)
    monkeypatch.setattr(text_blocks, "READ_MORE", 5)


CELLS = st.text('ab",\n ', max_size=30)
TABLES = st.lists(st.tuples(CELLS, CELLS), max_size=12)


def csv_bytes(rows, ending="\n"):
    file = io.StringIO()
    csv.writer(file, lineterminator=ending).writerows(rows)
    return file.getvalue().encode()


def rows_in(blocks):
    """Each block's rows, as Python's csv reads that block alone."""
    return [list(csv.reader(io.StringIO(text.decode(), newline=""))) for text in blocks]


@given(TABLES, st.sampled_from(["\n", "\r\n"]), st.booleans())
@example([("a" * 20, ""), ("b" * 30, "")], "\n", False)  # the last row has no end and covers a block
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_row_is_in_the_block_of_its_first_byte(tmp_path, rows, ending, last_is_ended):
    content = csv_bytes(rows, ending)
    content = content if last_is_ended else content.removesuffix(ending.encode())
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    expected = {}
    place = 0
    for row in rows:
        expected.setdefault(place // SMALL, []).append(list(row))
        place += len(csv_bytes([row], ending))
    plain = PlainText(str(path), lambda: b",")
    found = [plain.block(k).text.tobytes() for k in reversed(range(plain.n_blocks))][::-1]
    assert rows_in(found) == [expected.get(k, []) for k in range(plain.n_blocks)]
    streamed = [block.text.tobytes() for block in TextStream(str(path), lambda: b",").blocks()]
    assert [text for text in streamed if text] == [text for text in found if text]


@pytest.mark.parametrize("packed", [False, True])
def test_a_table_of_mails_is_read_as_pandas_wrote_it(tmp_path, packed):
    r = np.random.default_rng(0)
    words = ["free", "money", "lake", 'say ""when""', "to,morrow", "\n", "\n\n", '5" pipe']
    table = pd.DataFrame(
        {
            "id": np.arange(300) % 7,
            "mail": [" ".join(r.choice(words, 9)) for _ in range(300)],
            "kind": r.choice(["ham", "spam"], 300),
        }
    )
    path = str(tmp_path / ("mails.csv.gz" if packed else "mails.csv"))
    with (gzip.open if packed else open)(path, "wb") as file:
        file.write(table.to_csv(index=False).encode())
    rows, same = read(path, text=["mail"], bits=12), read(table, text=["mail"], bits=12)
    chunks = list(rows.chunks())
    assert len([chunk for chunk in chunks if len(chunk)]) > 5
    assert np.concatenate([chunk.y for chunk in chunks if len(chunk)]).tolist() == table["kind"].tolist()
    X = np.vstack([chunk.X.toarray() for chunk in chunks if len(chunk)])
    assert np.array_equal(X, next(same.chunks()).X.toarray())
    if not packed:
        backwards = [chunk.y for chunk in rows.chunks(range(rows.n_parts)[::-1]) if len(chunk)][::-1]
        assert np.concatenate(backwards).tolist() == table["kind"].tolist()


def test_an_error_names_the_line_of_the_file(tmp_path):
    path = tmp_path / "mails.csv"
    good = '1,"two\nlines",ham\n2,one,spam\n'
    path.write_text("a,mail,kind\n" + good * 20 + "x,one,ham\n" + good)
    with pytest.raises(BadInput, match=r"mails\.csv line 62, column 1: column 'a' holds 'x'"):
        list(read(str(path)).chunks())


def test_a_quote_that_is_never_closed_costs_its_line(tmp_path):
    path = tmp_path / "mails.csv"
    path.write_text("a,mail,kind\n" + "1,one,ham\n" * 10 + '1,"one,ham\n' + "2,two,spam\n" * 10)
    rows = read(str(path), skip_bad=1)
    assert sum(len(chunk) for chunk in rows.chunks()) == 20
    with pytest.raises(BadInput, match=r"line 12, column 3: a quote is not closed"):
        list(read(str(path)).chunks())


def test_tabs_with_line_ends_in_quotes(tmp_path):
    table = pd.DataFrame({"mail": ["one\ntwo", 'so "he" said', "three"] * 9, "kind": ["a", "b", "a"] * 9})
    table.to_csv(tmp_path / "mails.tsv", sep="\t", index=False)
    (tmp_path / "stray.tsv").write_text("mail\tkind\n" + '"see you\ta\nthe "end\tb\n' * 9)
    for name, n in (("mails.tsv", 27), ("stray.tsv", 18)):
        assert sum(len(chunk) for chunk in read(str(tmp_path / name), header=True, bits=9).chunks()) == n
