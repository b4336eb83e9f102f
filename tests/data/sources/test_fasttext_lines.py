"""fastText lines, and the files that are not read but can be converted."""

import sqlite3
import zipfile
from contextlib import closing

import numpy as np
import pytest

from rosenblatt import BadInput, Perceptron, read
from rosenblatt.data.sources.reading import read_table

LINES = "__label__spam free money now\n__label__ham lunch at noon\n\n__label__spam money back\n"


def test_fasttext_lines_give_the_rows_of_the_same_csv(tmp_path):
    (tmp_path / "train.txt").write_text(LINES)
    (tmp_path / "train.csv").write_text(
        'text,label\n"free money now",spam\n"lunch at noon",ham\nmoney back,spam\n'
    )
    ours = read_table(tmp_path / "train.txt")
    same = read_table(tmp_path / "train.csv", text=["text"])
    assert (ours.y == same.y).all()
    assert (ours.X != same.X).nnz == 0


def test_rows_without_labels_are_read_for_prediction(tmp_path):
    (tmp_path / "train.txt").write_text(LINES)
    (tmp_path / "new.txt").write_text("free money\nlunch\n")
    model = Perceptron(keep="averaged").fit_stream(read(tmp_path / "train.txt"))
    (chunk,) = read(tmp_path / "new.txt", format="fasttext", like=model.reading_, labelled=False)
    assert model.predict(chunk.X).tolist() == ["spam", "ham"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [("__label__a __label__b both", "has 2 labels, expected one"), ("no label", "label")],
)
def test_a_line_without_exactly_one_label_is_reported_with_its_number(tmp_path, line, problem):
    (tmp_path / "train.txt").write_text(LINES + line + "\n")
    with pytest.raises(BadInput, match=rf"line 5.*{problem}"):
        list(read(tmp_path / "train.txt"))


def test_a_target_is_refused_because_the_label_comes_first(tmp_path):
    (tmp_path / "train.txt").write_text(LINES)
    with pytest.raises(BadInput, match="in fastText lines the label comes first"):
        read(tmp_path / "train.txt", target="kind")


def test_an_sqlite_database_and_an_excel_workbook_are_refused_with_a_conversion(tmp_path):
    with closing(sqlite3.connect(tmp_path / "t.db")) as db, db:
        db.execute("create table t (a)")
    with pytest.raises(
        BadInput, match=r"an SQLite database; export a table: sqlite3 -header -csv '.*t\.db'"
    ):
        read(tmp_path / "t.db")
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as book:
        book.writestr("[Content_Types].xml", "")
        book.writestr("xl/workbook.xml", "")
    with pytest.raises(
        BadInput, match=r"an Excel workbook; convert it: python -c .*read_excel\('.*t\.xlsx'\)"
    ):
        read(tmp_path / "t.xlsx")


def test_classes_are_found_with_hashed_words(tmp_path):
    (tmp_path / "train.txt").write_text(LINES)
    chunks = list(read(tmp_path / "train.txt"))
    assert np.concatenate([chunk.y for chunk in chunks]).tolist() == ["spam", "ham", "spam"]
