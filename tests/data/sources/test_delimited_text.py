"""Delimited text in blocks: headers, cells, malformed lines, and other files of the same columns."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv

from rosenblatt.data.sources.delimited_inference import infer_delimited, like_delimited
from rosenblatt.data.sources.field_inference import fields_from_settings, infer_fields
from rosenblatt.errors import BadInput


def block(text):
    return np.frombuffer(text, np.uint8)


def parse(content, head=None, **options):
    return infer_delimited(head or content, "plants.csv", **options).parse(block(content), True)


def refusal(content):
    with pytest.raises(BadInput) as caught:
        infer_delimited(content, "plants.csv")
    return str(caught.value)


def faults(content, **options):
    return [(bad.line, bad.column, bad.problem) for bad in parse(content, **options).bad]


def same(one, other):
    """Whether two chunks have the same rows and labels."""
    assert one.X.shape == other.X.shape
    if hasattr(one.X, "indptr"):
        assert one.X.indptr.tolist() == other.X.indptr.tolist()
        assert one.X.indices.tolist() == other.X.indices.tolist()
        assert one.X.data.tobytes() == other.X.data.tobytes()
    else:
        assert one.X.tobytes() == other.X.tobytes()
    assert one.y.tolist() == other.y.tolist()


def test_a_header_of_words_above_words_is_known_by_the_target_or_by_saying_so():
    text = b"colour,shop\nred,ham\nblue,spam\n"
    assert not infer_delimited(text).dialect.has_header
    assert infer_delimited(text, target="shop").dialect.has_header
    assert infer_delimited(text, header=True).names == ("colour", "shop")
    usual = b"colour,kind\nred,ham\nblue,spam\n"
    assert infer_delimited(usual).dialect.has_header
    assert not infer_delimited(usual + b"red,kind\n").dialect.has_header  # a class may be called that
    numbers = b"1,2\n3,4\n"
    assert infer_delimited(numbers, header=True).names == ("1", "2")


def test_columns_without_names_are_counted():
    form = infer_delimited(b"1,red,0\n2,blue,1\n", bits=10)
    assert form.columns.columns == (("0", "number"), ("1", "category"), ("2", "label"))
    other = infer_delimited(b"1,red,0\n2,blue,1\n", target=0, leave_out=["2"], bits=10)
    assert other.columns.columns == (("0", "label"), ("1", "category"), ("2", "left out"))


# ---------------------------------------------------------------- the same rows in whatever blocks

cells = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), max_size=6)
texts = st.lists(cells, max_size=5).map(" ".join).map(str.strip)


@st.composite
def tables(draw):
    n = draw(st.integers(2, 8))

    def column(kind):
        return draw(st.lists(kind, min_size=n, max_size=n))

    numbers = st.floats(allow_nan=False, allow_infinity=False)
    return pa.table(
        {
            "size": pa.array(column(numbers), pa.float64()),
            "count": pa.array(column(st.none() | st.integers(-(2**53), 2**53)), pa.int64()),
            "colour": pa.array(column(st.none() | cells), pa.string()),
            "mail": pa.array(column(st.none() | texts), pa.string()),
            "kind": pa.array(column(st.sampled_from(["ham", 'sp"am', "é,è"])), pa.string()),
        }
    )  # fmt: skip


OPTIONS = {"text": ["mail"], "categories": ["colour"], "bits": 10, "missing": "zero"}


def as_csv(table, delimiter=","):
    sink = io.BytesIO()
    csv.write_csv(table, sink, csv.WriteOptions(delimiter=delimiter))
    return sink.getvalue()


@given(tables(), st.sampled_from([",", ";", "\t"]))
def test_text_has_the_rows_of_the_table_it_was_written_from(table, delimiter):
    text = as_csv(table, delimiter)
    columns = infer_fields(table, **OPTIONS)
    chunk = parse(text, delimiter=delimiter.encode(), header=True, **OPTIONS)
    assert not chunk.bad
    same(chunk, columns.chunk(table))


@given(tables(), st.data())
def test_blocks_cut_anywhere_give_the_rows_of_the_whole(table, data):
    text = as_csv(table)
    form = infer_delimited(text, header=True, delimiter=b",", **OPTIONS)
    lines = text.splitlines(keepends=True)
    cut = data.draw(st.integers(1, len(lines) - 1))
    parts = [
        form.parse(block(b"".join(some)), begins)
        for some, begins in ((lines[:cut], True), (lines[cut:], False))
    ]
    whole = form.parse(block(text), True)
    assert np.concatenate([part.X.data for part in parts]).tobytes() == whole.X.data.tobytes()
    assert np.concatenate([part.X.indices for part in parts]).tolist() == whole.X.indices.tolist()
    assert np.concatenate([part.y for part in parts]).tolist() == whole.y.tolist()


# ---------------------------------------------------------------- bad lines

GOOD = b"width,colour,kind\n" + b"1,red,0\n2,blue,1\n" * 20


@pytest.mark.parametrize(
    ("line", "column", "problem"),
    [
        (b"1,red,0,7", 9, "4 cells, expected 3"),
        (b'1,"red,0', 3, "a quote is not closed on its line"),
        (b"1,r\xffd,0", 4, "is not UTF-8 text"),
        (b"nan,red,0", 1, "column 'width' has no value"),
        (b"inf,red,0", 1, "column 'width' holds inf, expected a finite number"),
        (b"1_0,red,0", 1, "column 'width' holds '1_0', expected a number"),
        (b"1,,0", 3, "column 'colour' has no value"),
        (b"1, ? ,0", 3, "column 'colour' has no value"),
        (b'1,"red",', 9, "column 'kind', the label, has no value"),
        (b"1,red,ham", 7, "expected a number as label, as in the first rows, got 'ham'"),
        (b"1,r\red,0", 1, "cannot be split into cells"),
    ],
)
def test_each_fault_has_its_line_column_and_sentence(line, column, problem):
    text = GOOD + line + b"\n1,red,0\n"
    chunk = parse(text, head=GOOD, bits=10)
    ((bad),) = chunk.bad
    assert (bad.line, bad.column) == (41, column)
    assert problem in bad.problem
    assert len(chunk) == 41


@given(st.lists(st.sampled_from([b"1,red,0", b"", b"x,red,1", b"2,blue", b"+3,red,1", b"4,?,0", b"  "])))
def test_bad_lines_and_good_ones_may_come_in_any_order(lines):
    text = b"".join(line + b"\n" for line in lines)
    form = infer_delimited(GOOD, bits=10)
    chunk = form.parse(block(text), False)
    wrong = {b"x,red,1", b"2,blue", b"4,?,0"}
    assert [bad.line for bad in chunk.bad] == [i for i, line in enumerate(lines) if line in wrong]
    labels = {b"1,red,0": 0.0, b"+3,red,1": 1.0}
    assert chunk.y.tolist() == [labels[line] for line in lines if line in labels]
    assert chunk.n_lines == len(lines)


def test_with_blanks_between_cells_the_place_is_that_in_the_line():
    head = b"a b y\n1 2 0\n3 4 1\n"
    assert faults(b"a b y\n  1 \t x  0\n1 2\n", head=head) == [
        (1, 7, "column 'b' holds 'x', expected a number; correct it, or name it among the categories"),
        (2, 4, "2 cells, expected 3 as in the first line; give each row the same number of cells"),
    ]


def test_missing_values_are_zero_or_drop_their_row_on_request():
    text = b"width,colour,kind\n1,?,0\n,red,1\nNA,blue,0\n3,red,1\n5,red,0\n"
    assert [fault[:2] for fault in faults(text)] == [(1, 3), (2, 1), (3, 1)]
    assert parse(text, missing="drop").y.tolist() == [1, 0]
    zero = parse(text, missing="zero", bits=8)
    assert np.diff(zero.X.indptr).tolist() == [1, 1, 1, 2, 2]


def test_in_quotes_a_mark_is_a_value():
    text = b'width,colour,kind\n1,"?",0\n2,"",1\n'
    chunk = parse(text, bits=10)
    assert not chunk.bad
    expected = pa.table({"width": [1.0, 2.0], "colour": ["?", ""], "kind": [0, 1]})
    same(chunk, infer_fields(expected, bits=10).chunk(expected))


def test_if_all_cells_are_in_quotes_empty_numbers_are_missing():
    text = b'"width","colour","kind"\n' + b'"1","red","0"\n"","blue","1"\n"3","","0"\n' * 3
    chunk = parse(text, missing="zero", bits=10)
    assert not chunk.bad
    assert np.diff(chunk.X.indptr).tolist() == [2, 1, 2] * 3
    assert [fault[:2] for fault in faults(text)] == [(2, 1), (5, 1), (8, 1)]


def test_a_column_that_is_mostly_numbers_is_one_and_its_words_are_bad_lines():
    text = b"ticket,kind\n1,0\n2,1\nA/5,0\n4,1\n"
    ((line, column, problem),) = faults(text)
    assert (line, column) == (3, 1)
    assert "name it among the categories" in problem
    assert not parse(text, categories=["ticket"], bits=8).bad


def test_a_block_without_rows_has_a_chunk_without_rows():
    form = infer_delimited(GOOD, bits=10)
    for text, begins in ((b"", False), (b"\n\r\n", False), (b"width,colour,kind\n", True)):
        chunk = form.parse(block(text), begins)
        assert len(chunk) == 0
        assert not chunk.bad
        assert chunk.n_lines == text.count(b"\n")
    assert len(form.parse(block(b"x,red,0\n"), False)) == 0


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (b"\n \n", "there are no rows"),
        (b"1\n2\n", "the first line is one cell"),
    ],
)
def test_text_that_is_no_table_is_refused(text, part):
    assert part in refusal(text)


def test_the_last_line_of_a_head_may_be_cut():
    assert infer_delimited(b"a,b,y\n1,2,0\n3,").columns.names("number") == ["a", "b"]


def test_a_head_may_be_wide_and_have_a_line_that_is_not_utf8():
    names = ",".join(f"column{j}" for j in range(20000)).encode()
    row = b",".join([b"1"] * 20000)
    assert len(infer_delimited(names + b"\n" + row + b"\n").columns.columns) == 20000
    form = infer_delimited(GOOD[:26] + b"1,r\xe9d,0\n" + GOOD[26:], bits=10)
    assert form.columns == infer_delimited(GOOD, bits=10).columns


# ---------------------------------------------------------------- another file of the same columns


def test_columns_may_stand_in_another_order_in_another_file():
    form = infer_delimited(GOOD, bits=10)
    other = form.for_file(b"kind,extra,colour,width\n1,9,green,7\n", "new.csv")
    chunk = other.parse(block(b"kind,extra,colour,width\n1,9,green,7\n"), True)
    same(chunk, form.parse(block(b"7,green,1\n"), False))
    assert other.settings() == form.settings()


def test_a_column_missing_in_another_file_is_named():
    form = infer_delimited(GOOD, bits=10)
    with pytest.raises(
        BadInput, match=r"new\.csv: has no column 'colour' \(category\), only 'width', 'kind'"
    ):
        form.for_file(b"width,kind\n1,0\n", "new.csv")


def test_a_file_without_names_has_the_columns_of_the_first():
    form = infer_delimited(GOOD, bits=10)
    other = form.for_file(b"7,green,1\n", "new.csv")
    assert not other.dialect.has_header
    same(other.parse(block(b"7,green,1\n"), True), form.parse(block(b"7,green,1\n"), False))
    with pytest.raises(BadInput, match="has 2 columns without names, expected 3"):
        form.for_file(b"7,green\n", "new.csv")


def test_rows_without_labels_are_read_if_none_are_requested():
    known = infer_delimited(GOOD, bits=10)
    columns = fields_from_settings(json.loads(json.dumps(known.settings())))
    columns = replace(columns, labelled=False)
    for text in (b"colour,width\ngreen,7\n", b"7,green\n", b"7,green,1\n"):
        form = like_delimited(columns, text, "new.csv")
        chunk = form.parse(block(text), True)
        same(replace(chunk, y=np.array([1.0])), known.parse(block(b"7,green,1\n"), False))
        assert (chunk.y is None) == (text != b"7,green,1\n")
    alone = infer_delimited(b"width\n1\n2\n", labelled=False)
    assert alone.parse(block(b"5\n"), False).X.tolist() == [[5.0]]


def test_in_tab_separated_text_a_quote_that_is_not_closed_is_a_letter():
    head = b'ham\t"Yes", he said "no\nspam\tfree money now\nham\t"see you at 5\n'
    form = infer_delimited(head, "mail.tsv", target=0, delimiter=b"\t")
    assert not form.dialect.quote
    chunk = form.parse(np.frombuffer(head, np.uint8), begins_file=True)
    assert chunk.bad == ()
    assert chunk.y.tolist() == ["ham", "spam", "ham"]
    assert len(chunk.X.getrow(2).indices if hasattr(chunk.X, "getrow") else chunk.X[[2]].indices) == 3


@pytest.mark.parametrize("target", [None, 1, "1", -1])
def test_a_header_above_words_only_is_known_by_its_label(target):
    head = b"text,label\n" + b"see you at the lake,ham\nwin free money now,spam\n" * 3
    form = infer_delimited(head, "mail.csv", target=target)
    assert form.dialect.has_header
    assert form.parse(np.frombuffer(head, np.uint8), True).y.tolist() == ["ham", "spam"] * 3


def test_a_byte_order_mark_within_a_file_belongs_to_its_cell_wherever_a_block_begins():
    form = infer_delimited(b"a,b,y\n1,2,u\n3,4,v\n")
    lines = "1,2,u\n\ufeff,3,v\n5,6,u\n".encode()
    for first in (0, 1):
        text = lines.split(b"\n", first)[first]
        chunk = form.parse(np.frombuffer(text, np.uint8), begins_file=False)
        assert [each.problem.split(",")[0] for each in chunk.bad] == [r"column 'a' holds '\ufeff'"]
        assert len(chunk) == 2 - first
