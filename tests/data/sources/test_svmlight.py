"""svmlight text: valid rows, and errors with their lines."""

from __future__ import annotations

import io
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from rosenblatt.data.sources import read_table
from rosenblatt.errors import BadInput


def read_svmlight(text, n_features=None):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.svm")
        path.write_bytes(text)
        return read_table(path, "svmlight", n_features=n_features)


def refusal(text, **options):
    """The sentence, without the folder and the column in the line."""
    with pytest.raises(BadInput) as caught:
        read_svmlight(text, **options)
    return re.sub(r"^.*?(train\.svm)|(?<=\d), column \d+(?=:)", r"\1", str(caught.value))


def same_bits(X, Y):
    assert X.shape == Y.shape
    np.testing.assert_array_equal(X.indptr, Y.indptr)
    np.testing.assert_array_equal(X.indices, Y.indices)
    assert X.data.tobytes() == Y.data.tobytes()


UNTIDY = b"""# a comment first

+1 1:0.5\t3:-2   # and one behind
  -1   2:1e-3 qid:4\r
\t
1 qid:3 1:1 2:2 3:.5#close
0
-1 3:7"""


def test_untidy_text_is_read_as_it_is_meant():
    X, y, names = read_svmlight(UNTIDY)
    expected = [[0.5, 0, -2], [0, 1e-3, 0], [1, 2, 0.5], [0, 0, 0], [0, 0, 7]]
    np.testing.assert_array_equal(X.toarray(), expected)
    np.testing.assert_array_equal(y, [1, -1, 1, 0, -1])
    assert names is None


def test_indices_count_from_one_unless_a_zero_occurs():
    assert read_svmlight(b"1 1:5 2:6\n").X.toarray().tolist() == [[5, 6]]
    assert read_svmlight(b"1 1:5 2:6\n0 0:7\n").X.toarray().tolist() == [[0, 5, 6], [7, 0, 0]]


def test_explicit_zeros_are_kept():
    assert read_svmlight(b"1 1:0 2:0.0\n").X.nnz == 2


@pytest.mark.parametrize(
    ("labels", "expected", "kind"),
    [
        (["+1", "-1"], [1, -1], np.int64),
        (["1.0", "2e0"], [1, 2], np.int64),
        (["0.5", "2"], [0.5, 2.0], np.float64),
        (["1e300", "1"], [1e300, 1.0], np.float64),
    ],
)
def test_labels_are_whole_numbers_if_all_are(labels, expected, kind):
    y = read_svmlight("".join(f"{label} 1:1\n" for label in labels).encode()).y
    assert y.dtype == kind
    assert y.tolist() == expected


def test_n_features_widens_the_matrix_and_never_narrows_it():
    assert read_svmlight(b"1 2:1\n", n_features=5).X.shape == (1, 5)
    assert read_svmlight(b"1\n", n_features=5).X.shape == (1, 5)
    sentence = refusal(b"1 2:1\n\n1 1:1 5:1 6:1\n", n_features=4)
    assert sentence.startswith("train.svm: has 6 features, expected 4")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"1 1:1\n# c\n1 1:1 x\n", "line 3: expected index:value, got 'x'"),
        (b"1 qi:5\n", "line 1: expected index:value, got 'qi:5'"),
        (b"1 1:5\n1 2: 5\n", "line 2: value '' is not a number"),
        (b"1 1:1_0\n", "line 1: value '1_0' is not a number"),
        (b"1 1:1\n1 1:1\n1 1:nan\n", "line 3: value 'nan' is not a finite number"),
        (b"1 1:1e999\n", "line 1: value '1e999' is not a finite number"),
        (b"nan 1:1\n", "line 1: label 'nan' is not a finite number"),
        (b"1 1:1\n1,3 1:1\n", "line 2: '1,3' contains several labels"),
        (b"spam 1:1\n", "line 1: expected a number as label, got 'spam'"),
        (b"1 1:1\n1 3:1 2:1 1:1 3:4\n", "line 2: index 3 occurs twice"),
        (b"1 0:1\n1 0:1 0:1\n", "line 2: index 0 occurs twice"),
        (b"1 2147483648:1\n", "line 1: the index of '2147483648:1' is above 2147483647"),
        (b"\n# only words\n  \n", "there are no rows"),
        (b"1\n0\n", "no row has a feature"),
        (b"1 1:\xff\xfe\n", "line 1: value '\ufffd\ufffd' is not a number"),
    ],
)
def test_unreadable_input_is_refused_with_its_line(text, sentence):
    assert refusal(text).startswith("train.svm")
    assert sentence in refusal(text)


def test_the_same_index_at_the_end_and_the_start_of_neighbouring_rows_is_not_a_duplicate():
    X = read_svmlight(b"1 3:1 2:2\n1 3:5 1:4\n1 3:1\n").X  # sorted: … 3 | 1 3 | 3
    assert X.toarray().tolist() == [[0, 2, 1], [4, 0, 5], [0, 0, 1]]


def test_the_largest_index_is_accepted():
    X = read_svmlight(b"1 2147483647:3\n").X
    assert X.shape == (1, 2147483647)
    assert X.indices.tolist() == [2147483646]


finite = st.floats(allow_nan=False, allow_infinity=False)
rows = st.lists(st.dictionaries(st.integers(1, 50), finite, max_size=8), min_size=1, max_size=8)


@given(rows, st.data())
def test_numbers_written_with_repr_are_read_bit_for_bit_in_any_order(table, data):
    labels = data.draw(st.lists(finite, min_size=len(table), max_size=len(table)))
    lines = []
    for label, row in zip(labels, table, strict=True):
        pairs = data.draw(st.permutations(list(row.items())))
        lines.append(" ".join([repr(label), *(f"{index}:{value!r}" for index, value in pairs)]))
    X, y, _ = read_svmlight("\n".join(lines).encode(), n_features=50)
    assert np.asarray(y, np.float64).tolist() == labels
    for i, row in enumerate(table):
        entries = slice(X.indptr[i], X.indptr[i + 1])
        assert X.indices[entries].tolist() == [index - 1 for index in sorted(row)]
        assert X.data[entries].tobytes() == np.array([row[index] for index in sorted(row)]).tobytes()


@pytest.mark.parametrize("zero_based", [True, False])
def test_files_of_the_peer_are_read_as_the_peer_reads_them(zero_based):
    random = np.random.default_rng(3)
    X = sparse.random_array((60, 40), density=0.2, format="csr", rng=random)
    assert X[:, [0]].nnz, "without an index 0 nothing tells where indices start"
    y = random.integers(0, 3, 60)
    file = io.BytesIO()
    dump_svmlight_file(X, y, file, zero_based=zero_based, comment="by the peer")
    ours = read_svmlight(file.getvalue())
    theirs, labels = load_svmlight_file(io.BytesIO(file.getvalue()))
    same_bits(ours.X, theirs)
    np.testing.assert_array_equal(ours.y, labels)


@given(st.binary(max_size=60))
def test_arbitrary_bytes_are_read_or_refused_but_never_crash(content):
    try:
        table = read_svmlight(content)
    except BadInput:
        return
    assert np.isfinite(table.X.data).all()
    assert table.X.shape[0] == len(table.y)


@given(st.text("01 :.-+#e\n\tq", max_size=40))
def test_a_line_is_read_as_a_plain_reading_of_the_grammar_reads_it(text):
    def plain():
        table = []
        for line in text.split("\n"):
            tokens = line.partition("#")[0].split()
            if tokens:
                pairs = [token.split(":", 1) for token in tokens[1:]]
                assert all(index.isdigit() for index, _ in pairs)
                row = {int(index): float(value) for index, value in pairs}
                assert len(row) == len(pairs)
                assert all(np.isfinite([float(tokens[0]), *row.values()]))
                table.append((float(tokens[0]), row))
        assert any(row for _, row in table)
        return table

    try:
        expected = plain()
    except (ValueError, AssertionError):
        refusal(text.encode())
        return
    X, y, _ = read_svmlight(text.encode())
    base = 0 if any(0 in row for _, row in expected) else 1
    assert np.asarray(y, np.float64).tolist() == [label for label, _ in expected]
    for i, (_, row) in enumerate(expected):
        entries = slice(X.indptr[i], X.indptr[i + 1])
        found = dict(zip((X.indices[entries] + base).tolist(), X.data[entries].tolist(), strict=True))
        assert found == row
