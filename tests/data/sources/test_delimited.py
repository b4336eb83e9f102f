"""csv, tsv and tables with blanks: delimiters, headers, labels, and what is refused."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.data.sources import read_table
from rosenblatt.errors import BadInput
from tests.data.sources.test_decimals import HARD


def read_delimited(text, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "plants.csv")
        path.write_bytes(text)
        return read_table(path, **options)


def refusal(text, **options):
    """The sentence, without the folder and the column in the line."""
    with pytest.raises(BadInput) as caught:
        read_delimited(text, **options)
    return re.sub(r"^.*?(plants\.csv)|(?<=\d), column \d+(?=:)", r"\1", str(caught.value))


@pytest.mark.parametrize(
    "text",
    [
        b"1,2.5,0\n3,4,1\n",
        b"1;2.5;0\n3;4;1",
        b"1\t2.5\t0\r\n3\t4\t1\r\n",
        b"\n 1 , 2.5 , 0 \n\n3 ,\t4, 1\n",
        b"   1  2.5 0 \n3 4\t1\n",
        b'"1","2.5","0"\n3,+4,1\n',
        b"  \n1,2.5,0\n   \n3,4,1\n",
    ],
)
def test_the_same_table_in_every_dress(text):
    X, y, names = read_delimited(text)
    assert X.tolist() == [[1.0, 2.5], [3.0, 4.0]]
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert y.tolist() == [0, 1]
    assert y.dtype == np.int64
    assert names is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (b"width,height,kind\n1,2,0\n3,4,1\n", ["width", "height"]),
        (b"width,height,kind\n1,2,ham\n", ["width", "height"]),
        (b"0,1,target\n1,2,0\n", ["0", "1"]),
        (b'"a, b" , c,kind\n1,2,0\n', ["a, b", "c"]),
        (b'"a ""b""",c,kind\n1,2,0\n', ['a "b"', "c"]),
        (b"\r\nwidth,height,kind\r\n1,2,0\r\n", ["width", "height"]),
        (b"width height kind\n1 2 0\n", ["width", "height"]),
        (b"5.1,3.5,Iris-setosa\n4.9,3.0,Iris-setosa\n", None),
        (b"1,2,ham\n3,4,spam\n", None),
        (b"1,2\n3,4\n", None),
    ],
)
def test_a_line_of_words_above_numbers_is_a_header(text, names):
    assert read_delimited(text).feature_names == names


def test_a_first_row_with_a_slip_is_not_treated_as_a_header():
    assert "line 1: column '1' holds 'oops', expected a number" in refusal(b"5.1,oops,0\n4.9,3.0,1\n")


@pytest.mark.parametrize(
    ("target", "y"),
    [
        (None, [3, 6]),
        ("a", [1, 4]),
        ("1", [2, 5]),
        (0, [1, 4]),
        (-2, [2, 5]),
        ("-1", [3, 6]),
        ("c", [3, 6]),
    ],
)
def test_the_target_is_a_name_or_a_number(target, y):
    X, labels, names = read_delimited(b"a,b,c\n1,2,3\n4,5,6\n", target=target)
    assert labels.tolist() == y
    assert X.shape == (2, 2)
    assert names is not None
    assert len(names) == 2


def test_a_name_comes_before_a_number_where_columns_are_called_by_numbers():
    table = read_delimited(b"2,1,0,x\n5,6,7,8\n", target="0")
    assert table.y.tolist() == [7]
    assert table.feature_names == ["2", "1", "x"]
    assert read_delimited(b"2,1,0,x\n5,6,7,8\n", target=0).y.tolist() == [5]


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("d", "target: expected one of 'a', 'b', 'c', got 'd'"),
        (3, "target: got 3, but the file has 3 columns; give -3…2"),
        (-4, "target: got -4"),
    ],
)
def test_a_target_that_is_not_there_is_refused(target, sentence):
    assert sentence in refusal(b"a,b,c\n1,2,3\n", target=target)


def test_columns_with_the_same_name_or_without_one_are_named_as_in_pandas():
    table = read_delimited(b"a,a,,c\n1,2,3,4\n", target="a")
    assert table.feature_names == ["a.1", "Unnamed: 2", "c"]
    assert table.y.tolist() == [1]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([" ham", "spam ", "ham"], ["ham", "spam", "ham"]),
        (["+1", "-1", "1.0"], [1, -1, 1]),
        (["0.5", "1", "2"], [0.5, 1.0, 2.0]),
        (["1", "2", "none"], ["1", "2", "none"]),
        (["True", "False", "True"], ["True", "False", "True"]),
        (["2020-01-01", "x", "x"], ["2020-01-01", "x", "x"]),
    ],
)
def test_labels_are_numbers_if_all_are_and_text_otherwise(labels, expected):
    y = read_delimited("".join(f"7,{label}\n" for label in labels).encode()).y
    assert y.tolist() == expected
    assert [type(label) for label in y.tolist()] == [type(label) for label in expected]


def test_rows_longer_than_a_block_of_pyarrow_are_read():
    row = ",".join(["0.1" + "0" * 200] * 20_000)
    X, y, _ = read_delimited(f"{row},1\n{row},0\n".encode())
    assert X.shape == (2, 20_000)
    assert y.tolist() == [1, 0]


def test_labels_survive_many_blocks():
    labels = [f"class {i * 7919 % 1000:03}" for i in range(200_000)]
    y = read_delimited("".join(f"0.5,{label}\n" for label in labels).encode()).y
    assert y.tolist() == labels


@pytest.mark.parametrize("text", HARD)
def test_hard_decimals_are_read_as_python_reads_them(text):
    X = read_delimited(f"{text},1\n {text} ,0\n".encode()).X  # the blanks take the other path
    assert X[:, 0].tobytes() == np.array([float(text)] * 2).tobytes()
