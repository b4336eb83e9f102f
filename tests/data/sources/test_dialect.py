"""Delimited text as people have it: delimiters, lines before the table, encodings, missing codes."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.data.sources import read
from rosenblatt.data.sources.delimited_inference import infer_delimited, like_delimited
from rosenblatt.data.sources.dialect import Dialect, find_dialect

NAMES = ["width", "colour", "kind"]
ROWS = [[f"{k}.5", ("red", "blue", "dark green")[k % 3], ("ham", "spam")[k % 2]] for k in range(30)]


def text_of(rows=ROWS, names=NAMES, delimiter=",", end="\n"):
    return "".join(delimiter.join(row) + end for row in [*([names] if names else []), *rows])


def columns_of(source):
    return dict(source.columns.columns)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", ":", "^"])
@pytest.mark.parametrize("names", [NAMES, None])
def test_the_delimiter_is_the_one_under_which_rows_are_alike(delimiter, names):
    top = find_dialect(text_of(names=names, delimiter=delimiter).encode())
    assert top.dialect == Dialect(delimiter.encode())
    assert top.width == 3


@pytest.mark.parametrize(
    ("text", "delimiter", "n_before"),
    [
        ("1,5;2,5;3\n", b";", 0),
        ("text\tlabel\nnow, then, and again\tham\nwell, yes\tspam\n", b"\t", 0),
        ("when\n12:30:05\n12:31:05\n", b"\x1f", 0),
        ("x\n1\n2\n", b"\x1f", 0),
        ("Sales report 2024\nRegion: North; all shops\n\n" + text_of(), b",", 2),
        ("# made by a machine\n# on Tuesday, at noon\n" + text_of(), b",", 2),
        ("sep=;\n" + text_of(delimiter=";"), b";", 1),
        ("# width height\n1 2\n3 4\n", b" ", 0),
        ("  1   2 3\n10  20 30\n", b" ", 0),
    ],
)
def test_lines_before_the_table_are_left_out(text, delimiter, n_before):
    dialect = find_dialect(text.encode()).dialect
    assert (dialect.delimiter, dialect.n_before) == (delimiter, n_before)


@pytest.mark.parametrize(
    "text",
    [
        "Sales report 2024\nRegion: North; all shops\n\n" + text_of(),
        "# a comment, with a comma\n" + text_of() + "# another comment\n",
        "sep=;\n" + text_of(delimiter=";"),
        text_of(end="\r"),
        text_of().replace("5,red", "5,red", 3).replace("ham\n", "ham\r\n"),
        text_of([[cell.replace(" ", ", ") for cell in row] for row in ROWS], delimiter=";"),
        text_of([[f"'{cell}'" for cell in row] for row in ROWS]),
    ],
    ids=["title", "comments", "sep", "carriage returns", "mixed ends", "commas", "apostrophes"],
)
def test_any_dress_has_the_rows_of_the_plain_table(tmp_path, text):
    Path(tmp_path, "a.csv").write_text(text, newline="")
    source = read(tmp_path / "a.csv", bits=10)
    assert columns_of(source) == {"width": "number", "colour": "category", "kind": "label"}
    (chunk,) = source.chunks()
    assert chunk.y.tolist() == [row[2] for row in ROWS]


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "cp1252", "latin-1"])
def test_encodings_are_detected(tmp_path, charset):
    rows = [[row[0], "Köln", row[2]] for row in ROWS]
    Path(tmp_path, "a.csv").write_bytes(text_of(rows).encode(charset))
    source = read(tmp_path / "a.csv", bits=10)
    (table,) = source.tables()
    assert set(table["colour"].to_pylist()) == {"Köln"}
    assert bool(source.notes) == (charset in ("cp1252", "latin-1"))


def test_a_header_may_lack_the_name_of_an_index_or_of_an_empty_column():
    index = infer_delimited(b"width,kind\n1,5,ham\n2,6,spam\n")
    assert index.names == ("Unnamed: 0", "width", "kind")
    empty = infer_delimited(b"width,kind\n5,ham,\n6,spam,\n", guesses_codes=True, target="kind")
    assert empty.names == ("width", "kind", "Unnamed: 2")
    assert dict(empty.columns.columns)["Unnamed: 2"] == "left out"


def test_kinds_are_decided_by_rows_from_all_over_the_file(tmp_path):
    rows = [[str(k) if k < 90_000 or k % 7 else f"PC {k}", "ab"[k % 2]] for k in range(100_000)]
    Path(tmp_path, "a.csv").write_text(text_of(rows, ["ticket", "kind"]))
    source = read(tmp_path / "a.csv", bits=10)
    assert columns_of(source)["ticket"] == "category"
    assert "column 'ticket' has numbers in 99% of its cells" in source.columns.doubts[0]
    assert sum(len(chunk) for chunk in source.chunks()) == 100_000


@pytest.mark.parametrize(
    "code", ["?", "NA", "N/A", "#N/A", "-", "--", ".", "n.a.", "None", "unknown", "nan", "Null"]
)
def test_codes_of_missing_numbers_are_missing(code):
    rows = [[code if k % 3 == 0 else f"{k}", "ab"[k % 2]] for k in range(60)]
    text = text_of(rows, ["x", "kind"]).encode()
    form = infer_delimited(text, missing="drop")
    assert dict(form.columns.columns)["x"] == "number"
    chunk = form.parse(np.frombuffer(text, "u1"), True)
    assert chunk.X.ravel().tolist() == [k for k in range(60) if k % 3]
    assert not chunk.bad


def test_a_cell_that_is_no_number_is_bad_among_codes_too():

    text = b"x,kind\n" + b"1,a\n-,b\n" * 20
    form = infer_delimited(text, missing="drop")
    (bad,) = form.parse(np.frombuffer(b"2,a\noops,b\n-,a\n", "u1"), False).bad
    assert (bad.line, bad.column) == (1, 1)
    assert "column 'x' holds 'oops', expected a number" in bad.problem


def test_a_name_that_resembles_a_code_is_a_name():
    text = b"name,kind\n" + b"Nan,a\nNull,b\nNone,a\nNA,b\n" * 5
    form = infer_delimited(text, missing="drop", categories=["name"])
    batch = form.read(np.frombuffer(text, "u1"), True).batch
    assert batch["name"].to_pylist() == ["Nan", "Null", "None", None] * 5


def test_digits_with_leading_zeros_are_codes():
    rows = [[f"{k * 997 % 20_000:05}", "ab"[k % 2]] for k in range(100)]
    form = infer_delimited(text_of(rows, ["zip", "kind"]).encode())
    assert dict(form.columns.columns)["zip"] == "category"


@pytest.mark.parametrize(
    "written",
    ["%d %b %Y", "%b %d, %Y", "%Y%m%d", "%m/%d/%Y %I:%M %p", "%d-%b-%y", "%d.%m.%y", "%a, %d %b %Y %H:%M"],
)
def test_dates_in_common_notations_are_dates(written):
    days = [datetime.datetime(2019, 1, 1, 9, 5) + datetime.timedelta(days=37 * k) for k in range(60)]
    rows = [[f'"{day.strftime(written)}"', "ab"[k % 2]] for k, day in enumerate(days)]
    form = infer_delimited(text_of(rows, ["when", "kind"]).encode(), guesses_codes=True)
    assert dict(form.columns.columns)["when"] == "date"
    text = text_of(rows, None).encode()
    cells = form.columns.cells(form.read(np.frombuffer(text, "u1"), False).batch, {"when": 0})
    assert cells["when year"].to_pylist() == [day.year for day in days]


def test_a_model_reads_other_files_in_the_dialect_of_its_training_file():
    form = infer_delimited(b"good film, I say\tpos\nbad\tneg\n" * 5, delimiter=b"\t")
    text = b"one, two, three\tpos\na, b, c\tneg\n"
    other = like_delimited(form.columns, text, "new.txt", known=form.dialect)
    assert other.dialect == form.dialect
    header = like_delimited(form.columns, b"0\t1\nfine\tpos\n", "new.txt", known=form.dialect)
    assert header.dialect.has_header
    semicolons = infer_delimited(b"a;kind\n1,5;x\n2,5;y\n")
    commas = like_delimited(semicolons.columns, b"a,kind\n1.5,x\n", "new.csv", known=semicolons.dialect)
    assert commas.dialect.delimiter == b","


def test_carriage_returns_among_newlines_end_lines_too(tmp_path):
    lines = text_of().splitlines()
    text = "".join(line + ("\r", "\n", "\r\n")[k % 3] for k, line in enumerate(lines))
    Path(tmp_path, "a.csv").write_text(text, newline="")
    (chunk,) = read(tmp_path / "a.csv", bits=10).chunks()
    assert chunk.y.tolist() == [row[2] for row in ROWS]


def test_an_id_whose_order_predicts_the_label_is_dropped_with_a_warning():
    r = np.random.default_rng(0)
    numbers = r.permutation(5000)[:2000] * 3 + 7
    rows = [[str(n), f"{r.normal():.2f}", "low" if n < 7000 else "high"] for n in numbers]
    form = infer_delimited(text_of(rows, ["serial", "x", "kind"]).encode(), guesses_codes=True)
    assert dict(form.columns.columns)["serial"] == "left out"
    assert "its order predicts the label almost perfectly in 1,000 rows" in form.columns.doubts[0]
    kept = infer_delimited(text_of(rows, ["serial", "x", "kind"]).encode())
    assert dict(kept.columns.columns)["serial"] == "number"
    assert "column 'serial' alone predicts the label" in kept.columns.doubts[0]


def test_codes_of_missing_values_may_stand_among_formatted_numbers():
    rows = [["-" if k % 5 == 0 else f"{k},{k:02}", "ab"[k % 2]] for k in range(10, 90)]
    text = text_of(rows, ["price", "kind"], delimiter=";").encode()
    form = infer_delimited(text, missing="drop", guesses_codes=True)
    assert form.columns.notations == (("price", "1.234,5"),)
    chunk = form.parse(np.frombuffer(text, "u1"), True)
    assert chunk.X.ravel().tolist() == [float(row[0].replace(",", ".")) for row in rows if row[0] != "-"]


def test_parts_of_texts_with_line_ends_do_not_decide_the_kind_of_the_labels(tmp_path):
    text = "one line, and\nanother, of a long text " + "word " * 40
    rows = [[f'"{text}"', str(k % 2)] for k in range(12_000)]
    Path(tmp_path, "a.csv").write_text(text_of(rows, ["says", "kind"]))
    source = read(tmp_path / "a.csv", bits=10)
    assert next(source.chunks()).y.tolist()[:2] == [0.0, 1.0]


def test_a_quote_that_is_open_far_below_is_a_letter_in_tab_separated_text():
    text = b"ham\tsee you at the lake\n" * 5000 + b'spam\t"free money now\n'
    assert find_dialect(text, b"\t").dialect.quote == b""
    assert find_dialect(text.replace(b'"', b""), b"\t").dialect.quote == b'"'
