"""`read_table`: detection of formats, decompression, and errors for files without a table."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys

import numpy as np
import pytest

from rosenblatt.data.sources import FORMATS, Table, read, read_table, text_blocks
from rosenblatt.errors import BadInput
from tests.data.sources.numpy_bytes import npy, npz

SVM = b"1 1:1 2:2\n-1 1:3 2:4\n"
CSV = b"1,2,1\n3,4,-1\n"
TSV = CSV.replace(b",", b"\t")


NPY = npy([[1.0, 2.0, 1.0], [3.0, 4.0, -1.0]])
NPZ = npz(X=[[1.0, 2.0], [3.0, 4.0]], y=[1, -1])


def is_the_table(table):
    X = table.X if isinstance(table.X, np.ndarray) else table.X.toarray()
    return isinstance(table, Table) and X.tolist() == [[1, 2], [3, 4]] and table.y.tolist() == [1, -1]


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Writes a file and gives its name."""
    monkeypatch.chdir(tmp_path)

    def write(name, content):
        (tmp_path / name).write_bytes(content)
        return name

    return write


def refusal(path, **options):
    with pytest.raises(BadInput) as caught:
        read_table(path, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.svm", SVM), ("a.svmlight", SVM), ("a.libsvm", SVM), ("a.LIBSVM", SVM), ("a.csv", CSV),
        ("a.tsv", TSV), ("a.csv", TSV), ("a.npy", NPY), ("a.npz", NPZ),
        # names that say nothing
        ("a.txt", SVM), ("a.txt", TSV), ("a.data", CSV), ("a.dat", CSV.replace(b",", b" ")), ("a9a", SVM),
        ("a9a.t", b"# comment\n\n" + SVM), ("a", SVM.replace(b"1 1:1", b"1 qid:3 1:1")), ("a", NPY),
        ("a", NPZ), ("a", b"\xef\xbb\xbf" + CSV), ("a.svm", b"\xef\xbb\xbf" + SVM),
        ("a", SVM.replace(b"\n", b"\r\n")),
    ],
)  # fmt: skip
def test_the_format_is_known_by_the_name_or_else_by_the_first_line(file, name, content):
    assert is_the_table(read_table(file(name, content)))


def test_a_first_row_without_features_does_not_hide_the_format(file):
    assert read_table(file("a", b"-1\n" + SVM)).X.shape == (3, 2)


def test_a_given_format_wins(file):
    assert is_the_table(read_table(file("a.csv", SVM), format="svmlight"))
    assert is_the_table(read_table(file("a.svm", CSV), format="csv"))
    assert is_the_table(read_table(file("a.svm", NPZ), format="npz"))


@pytest.mark.parametrize("content", [SVM, CSV])
@pytest.mark.parametrize(
    ("pack", "extension"), [(gzip.compress, ".gz"), (bz2.compress, ".bz2"), (lzma.compress, ".xz")]
)
def test_packed_text_is_unpacked(file, content, pack, extension):
    suffix = ".svm" if content is SVM else ".csv"
    assert is_the_table(read_table(file("a" + suffix + extension, pack(content))))
    assert is_the_table(read_table(file("a" + extension, pack(content))))
    assert is_the_table(read_table(file("misnamed" + suffix, pack(content))))
    assert is_the_table(read_table(file("not packed" + suffix + extension, content)))
    assert "the compressed data is damaged or cut short" in refusal(
        file("b" + extension, pack(content)[:-9])
    )


PIPED = (("svmlight", SVM), ("csv", gzip.compress(CSV)), ("npy", NPY), ("npz", NPZ))


def test_standard_input_is_read_with_a_format(monkeypatch):
    for path in ("-", "/dev/stdin"):
        for format_, content in PIPED:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
            assert is_the_table(read_table(path, format=format_))
    assert "standard input has no file name" in refusal("-")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 x\n")))
    assert refusal("-", format="svmlight").startswith("standard input line 1, column 3: ")


def test_an_unknown_format_lists_the_choices(file):
    sentence = refusal(file("a.svm", SVM), format="arff")
    assert sentence.startswith("format: got 'arff'")
    assert all(repr(name) in sentence for name in FORMATS)


def test_n_features_is_how_many_features_there_are(file):
    assert read_table(file("a.svm", SVM), n_features=7).X.shape == (2, 7)
    assert is_the_table(read_table(file("a.csv", CSV), n_features=2))
    assert "has 2 features, expected 7" in refusal(file("a.csv", CSV), n_features=7)
    assert "has 2 features, expected 7" in refusal(file("a.npz", NPZ), n_features=7)
    assert "n_features: expected a whole number of at least 1, got 0" in refusal("a.csv", n_features=0)


@pytest.mark.parametrize(("name", "content"), [("a.svm", SVM), ("a.npz", NPZ)])
def test_a_target_where_the_label_has_its_own_place_is_refused(file, name, content):
    assert f"{name}: target: got 'class'" in refusal(file(name, content), target="class")


@pytest.mark.parametrize(
    ("extensions", "content", "message"),
    [
        ((".svm", ".csv", ".tsv", ".npy", ".npz", ""), b"", "the file is empty"),
        ((".svm", ".csv", ""), b"\n  \n\n", "there are no rows"),
        ((".svm", ".csv", ".tsv", ""), b"\x7fELF\x00\x01", "is a binary file"),
    ],
)
def test_a_file_without_rows_is_refused_with_the_reason(file, extensions, content, message):
    for extension in extensions:
        assert message in refusal(file("a" + extension, content))


def test_missing_files_and_empty_folders_have_their_sentences(tmp_path):
    assert refusal(tmp_path / "none.svm").endswith("none.svm: there is no such file; check its name")
    assert "is a folder without files" in refusal(tmp_path)


def test_the_files_of_a_folder_are_one_table(tmp_path):
    for name, line in (("1.svm", b"1 1:1 2:2\n"), ("2.svm", b"-1 1:3 2:4\n")):
        (tmp_path / name).write_bytes(line)
    assert is_the_table(read_table(tmp_path))


def test_a_table_is_its_chunks_joined(file, monkeypatch):
    monkeypatch.setattr(text_blocks, "BLOCK", 16)
    rows = "".join(f"{1 - 2 * (i % 2)} {1 + i % 7}:{i}.5\n" for i in range(50)).encode()
    X, y, _ = read_table(file("many.svm", rows))
    chunks = list(read("many.svm"))
    assert len(chunks) > 20
    assert y.tolist() == [label for chunk in chunks for label in chunk.y]
    assert X.data.tolist() == [value for chunk in chunks for value in chunk.X.data]
    assert X.shape == (50, 7)


def test_lines_may_end_with_a_carriage_return_alone(file):
    assert is_the_table(read_table(file("a.svm", SVM.replace(b"\n", b"\r"))))
    assert is_the_table(read_table(file("a.svm.gz", gzip.compress(SVM.replace(b"\n", b"\r")))))


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_reported(file):
    path = file("a.svm", SVM)
    os.chmod(path, 0)
    assert "cannot be read (Permission denied)" in refusal(path)


def test_importing_the_package_is_fast_and_never_imports_scikit_learn(file):
    path = file("a.csv", CSV)
    file("a.svm", SVM)
    heavy = ("numpy", "numba", "scipy", "pyarrow", "sklearn")
    program = f"""
import json, sys
def heavy(): return [name for name in {heavy!r} if name in sys.modules]
import rosenblatt.data.sources
entered = heavy()
rosenblatt.data.sources.read_table({path!r}); csv = heavy()
rosenblatt.data.sources.read_table("a.svm"); svm = heavy()
print(json.dumps([entered, csv, svm]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    entered, csv, svm = json.loads(done.stdout)
    assert entered == []
    assert "sklearn" not in [*csv, *svm]
