"""Arrays in npy and npz files are read, and no code in them is run."""

from __future__ import annotations

import io

import numpy as np
import pytest
from scipy import sparse

from rosenblatt.data.sources.numpy_files import read_npy, read_npz
from rosenblatt.errors import BadInput
from tests.data.sources.numpy_bytes import npy, npz

X = np.array([[1.5, 2.0], [3.0, 4.0]])


def fields(matrix):
    """What scipy.sparse.save_npz writes of a matrix."""
    file = io.BytesIO()
    sparse.save_npz(file, matrix)
    with np.load(io.BytesIO(file.getvalue())) as arrays:
        return dict(arrays)


def refusal(reader, content, *options):
    with pytest.raises(BadInput) as caught:
        reader(content, "train.npz", *options)
    assert str(caught.value).startswith("train.npz")
    return str(caught.value)


def test_the_label_of_an_npy_file_is_its_last_column_or_the_target():
    table = npy([[1.5, 2.0, -1.0], [3.0, 4.0, 1.0]])
    assert read_npy(table).X.tolist() == X.tolist()
    assert read_npy(table).y.tolist() == [-1, 1]
    assert read_npy(table, target=0).y.tolist() == [1.5, 3.0]
    assert read_npy(table, target="-2").X.tolist() == [[1.5, -1.0], [3.0, 1.0]]


@pytest.mark.parametrize(
    ("kind", "kept"), [("f4", "f4"), ("f8", "f8"), (">f8", "f8"), ("i8", "f8"), ("u1", "f8"), ("?", "f8")]
)
def test_float32_stays_float32_and_all_else_becomes_float64(kind, kept):
    table = np.array([[1, 0, 1], [0, 1, 0]]).astype(kind)
    for read in (read_npy(npy(table)), read_npz(npz(X=table[:, :2], y=table[:, 2]))):
        assert read.X.dtype == np.dtype(kept)
        assert read.X.tolist() == [[1, 0], [0, 1]]
        assert read.y.tolist() == [1, 0]
        assert read.y.dtype == np.int64


def test_labels_of_bytes_become_text():
    assert read_npz(npz(X=X, y=np.array([b"ham", b"spam"]))).y.tolist() == ["ham", "spam"]


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "dia", "bsr"])
@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csr_matrix])
def test_the_fields_of_save_npz_with_y_are_a_sparse_table(layout, make):
    table = read_npz(npz(**fields(make(X).asformat(layout)), y=[0, 1]))
    assert isinstance(table.X, sparse.csr_array)
    assert table.X.toarray().tolist() == X.tolist()
    assert table.y.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (npz(X=X), "has ['X'], expected arrays X and y"),
        (npz(y=[0, 1]), "has ['y'], expected arrays X and y"),
        (npz(**fields(sparse.csr_array(X))), "expected arrays X and y"),
        (npz(X=X, y=[0, 1, 0]), "3 labels for 2 rows"),
        (npz(X=X, y=[[0], [1]]), "y: expected a label for each row, got int64 of shape (2, 1)"),
        (npz(X=X, y=[0.0, np.nan]), "label nan in row 1 is not finite"),
        (npz(X=[[1.0, 2.0], [np.inf, 0.0]], y=[0, 1]), "infinity in row 1, column 0"),
        (npz(X=[1.0, 2.0], y=[0, 1]), "Expected 2D array"),
        (npz(X=X * 1j, y=[0, 1]), "Complex data not supported"),
        (npz(X=np.empty((0, 2)), y=[]), "0 sample(s)"),
        (npz(X=X, y=[0, 1])[:-40], "is damaged or cut short"),
        (b"1,2,3\n", "is not an .npz file"),
    ],
)
def test_npz_files_without_a_table_are_refused(content, sentence):
    assert sentence in refusal(read_npz, content)


def test_a_sparse_matrix_with_an_index_outside_is_refused():
    broken = fields(sparse.csr_array(X))
    broken["indices"] = broken["indices"] + 5
    assert "train.npz" in refusal(read_npz, npz(**broken, y=[0, 1]))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (npy([1.0, 2.0]), "got float64 of shape (2,)"),
        (npy([[1.0], [2.0]]), "got float64 of shape (2, 1)"),
        (npy([["a", "b"]]), "got <U1 of shape (1, 2)"),
        (npy([[1.0, 0.0], [np.nan, 1.0]]), "NaN in row 1, column 0"),
        (npy([[1.0, np.nan]]), "label nan in row 0 is not finite"),
        (npy(X)[:-3], "is damaged or cut short"),
        (b"1,2,3\n", "is not an .npy file"),
    ],
)
def test_npy_files_without_a_table_are_refused(content, sentence):
    assert sentence in refusal(read_npy, content)


def test_an_npy_file_has_no_names_for_a_target():
    assert "expected a number" in refusal(read_npy, npy(X), "label")


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("code of the file was run",))


def test_files_that_need_pickle_are_refused_and_not_run():
    bomb = np.array([[Bomb(), 1], [2, 3]], dtype=object)
    assert "pickle runs code" in refusal(read_npy, npy(bomb))
    assert "pickle runs code" in refusal(read_npz, npz(X=bomb, y=[0, 1]))
    assert "y.astype(str)" in refusal(read_npz, npz(X=X, y=np.array(["ham", Bomb()], dtype=object)))
