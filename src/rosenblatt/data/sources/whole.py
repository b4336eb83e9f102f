"""read_table: all rows of a labelled file at once, in memory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rosenblatt.data.sources.finding import FORMATS, format_of
from rosenblatt.data.sources.opening import STANDARD_INPUT, as_text, contents
from rosenblatt.errors import BadInput, bad_choice, bad_value

if TYPE_CHECKING:
    from rosenblatt.data.sources.labelled_table import Table

FIRST_BYTES = 1 << 16

IN_CHUNKS = ("vw", "parquet", "arrow")
"""Formats that only the reader of chunks knows; their chunks are put together."""


def read_table(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    target: str | int | None = None,
    n_features: int | None = None,
) -> Table:
    """Rows and labels of a file, in memory.

    `format` is one of FORMATS; by default the file's extension decides, and where it says nothing the
    first line does. Files may be packed (.gz, .bz2, .xz, .zst). "-" is standard input and needs a format.
    `target` is the label's column, by name or number (csv, tsv, npy; by default the last one).
    `n_features` is how many features X has: svmlight text does not say, so give it where train and test
    files must agree; from other formats it is checked. Every error, a missing file too, is a BadInput.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = folder + "/train.svm"
    ...     with open(path, "w") as file:
    ...         _ = file.write("+1 1:0.5 3:2  # a comment\\n-1 2:25e-2\\n")
    ...     X, y, feature_names = read_table(path)
    >>> X.toarray()
    array([[0.5 , 0.  , 2.  ],
           [0.  , 0.25, 0.  ]])
    >>> y
    array([ 1, -1])
    """
    name = os.fspath(path)
    if format is not None and format not in FORMATS:
        raise bad_choice("format", format, FORMATS)
    if n_features is not None and (not isinstance(n_features, int) or n_features < 1):
        raise bad_value("n_features", n_features, "a whole number of at least 1")
    if format in IN_CHUNKS and name in STANDARD_INPUT:
        return _together("-", format, target)
    if name in STANDARD_INPUT:
        if format is None:
            raise BadInput(f"format: standard input has no name to tell it by; give one of {FORMATS}")
        content, name = contents(name), "standard input"
    else:
        content = contents(name)
        format = format_of(name, content[:FIRST_BYTES], format)  # noqa: A001
    table = _parsed(content, name, format, target, n_features)
    if n_features is not None and table.X.shape[1] != n_features:
        raise BadInput(
            f"{name}: has {table.X.shape[1]} features, expected {n_features}; "
            "give the file that fits, or another n_features"
        )
    return table


def _parsed(
    content: bytes, name: str, format_: str, target: str | int | None, n_features: int | None
) -> Table:
    # each reader is imported when its format comes: numba, scipy and pyarrow take their time
    if format_ in IN_CHUNKS:
        return _together(name, format_, target)
    if format_ in ("svmlight", "npz") and target is not None:
        where = "starts each line" if format_ == "svmlight" else "is the array y"
        raise BadInput(f"{name}: target: got {target!r}, but the label {where} in {format_}; leave it out")
    if format_ == "svmlight":
        from rosenblatt.data.sources.svmlight import read_svmlight

        return read_svmlight(as_text(content, name), name, n_features)
    if format_ in ("csv", "tsv"):
        from rosenblatt.data.sources.delimited import read_delimited

        return read_delimited(as_text(content, name), name, target, b"\t" if format_ == "tsv" else None)
    from rosenblatt.data.sources.numpy_files import read_npy, read_npz

    return read_npy(content, name, target) if format_ == "npy" else read_npz(content, name)


def _together(path: str, format_: str, target: str | int | None) -> Table:
    """The chunks of a file in one table. Words and categories are hashed, as in a stream."""
    import numpy as np

    from rosenblatt.arithmetic.examples import stack
    from rosenblatt.data.sources.chunk import Chunk
    from rosenblatt.data.sources.labelled_table import Table, tidy_labels
    from rosenblatt.data.sources.naming import column_names
    from rosenblatt.data.sources.reading import read

    source = read(path, format_, target)
    chunks = [chunk for chunk in source.chunks() if len(chunk)]
    if any(chunk.importance.size for chunk in chunks):
        raise BadInput(f"{path}: has weights of rows, and a table has none; leave them out")
    labels = [chunk.y for chunk in chunks if chunk.y is not None]
    if not labels:
        raise BadInput(f"{path}: there are no rows; give a file with rows")
    y = np.concatenate(labels)
    X = Chunk(stack([chunk.rows for chunk in chunks]), y).X
    return Table(X, tidy_labels(y), column_names(source.settings()))
