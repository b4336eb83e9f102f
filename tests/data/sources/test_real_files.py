"""Well-known data files are read completely. Needs ROSENBLATT_DATA."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from rosenblatt.data.sources import read_table

pytestmark = pytest.mark.data


@pytest.mark.parametrize(
    ("path", "shape", "classes"),
    [
        ("a9a/a9a.gz", (32561, 123), 2),
        ("a9a/a9a.t.gz", (16281, 122), 2),  # 123 in the training file: n_features is there for this
        ("agaricus/agaricus.txt.train.gz", (6513, 126), 2),
        ("ijcnn1/ijcnn1.trn.bz2", (49990, 22), 2),
        ("reuters/reuters.trn.bz2", (7770, 8315), 2),
        pytest.param("sector/sector.scale.bz2", (6412, 55197), 105, marks=pytest.mark.matrix),
    ],
)
def test_svmlight_files_are_read_as_the_peer_reads_them(data, path, shape, classes):
    X, y, _ = read_table(data / path)
    theirs, labels = load_svmlight_file(str(data / path))
    assert X.shape == theirs.shape == shape
    assert X.data.tobytes() == theirs.data.tobytes()
    np.testing.assert_array_equal(X.indices, theirs.indices)
    np.testing.assert_array_equal(X.indptr, theirs.indptr)
    np.testing.assert_array_equal(y, labels)
    assert y.dtype == np.int64
    assert len(np.unique(y)) == classes


@pytest.mark.parametrize(
    ("path", "shape", "classes"),
    [
        ("skin_segmentation/Skin_NonSkin.txt.gz", (245057, 3), [1, 2]),
        ("uci_classic/banknote_authentication.csv.gz", (1372, 4), [0, 1]),
        ("uci_classic/german.data-numeric.gz", (1000, 24), [1, 2]),
        ("uci_classic/ionosphere.csv.gz", (351, 34), ["b", "g"]),
        ("uci_classic/iris.csv.gz", (150, 4), ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]),
        ("uci_classic/magic04.data.gz", (19020, 10), ["g", "h"]),
        ("uci_classic/shuttle.trn.gz", (43500, 9), [1, 2, 3, 4, 5, 6, 7]),
        ("uci_classic/spambase.data.gz", (4601, 57), [0, 1]),
        ("streams/elec.csv.gz", (45312, 6), [0, 1]),
        ("streams/outdoorStream.csv.gz", (4000, 21), list(range(40))),
    ],
)
def test_tables_of_cells_are_read_whole(data, path, shape, classes):
    X, y, _ = read_table(data / path)
    assert X.shape == shape
    assert np.unique(y).tolist() == classes


def test_the_numbers_of_a_csv_are_the_ones_that_python_reads(data):
    X, y, names = read_table(data / "streams" / "elec.csv.gz")
    with gzip.open(data / "streams" / "elec.csv.gz", "rt") as file:
        header, *lines = file.read().splitlines()
    rows = np.array([[float(cell) for cell in line.split(",")] for line in lines])
    assert names == header.split(",")[:-1]
    assert X.tobytes() == np.ascontiguousarray(rows[:, :-1]).tobytes()
    np.testing.assert_array_equal(y, rows[:, -1])


def test_the_label_may_stand_in_another_column(data):
    X, y, _ = read_table(data / "uci_classic" / "wdbc.data.gz", target=1)
    assert X.shape == (569, 31)
    assert np.unique(y).tolist() == ["B", "M"]
