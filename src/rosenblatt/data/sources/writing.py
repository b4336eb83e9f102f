"""Write chunks to files: svmlight, VW text, csv, tsv, Parquet, Arrow IPC, npy and npz."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.data.sources.formats import FORMATS, format_with, import_function, is_text, writable_formats
from rosenblatt.data.whole_files import whole_or_nothing
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Dense, Sparse

PACKERS: dict[str, Callable[[Any], Any]] = {
    ".gz": lambda file: gzip.GzipFile(fileobj=file, mode="wb", mtime=0),
    ".bz2": lambda file: bz2.BZ2File(file, "wb"),
    ".xz": lambda file: lzma.LZMAFile(file, "wb"),  # noqa: SIM115
    ".zst": lambda file: _zstandard(file),
}
"""Compressing writers by file name extension."""


def _zstandard(file: Any) -> Any:
    import pyarrow as pa

    return pa.CompressedOutputStream(pa.PythonFile(file), "zstd")


class Target(NamedTuple):
    """State what is written where: the unfinished file, its final path, the format and the features."""

    beside: str
    path: str
    form: str
    first_index: int = 1
    names: list[str] | None = None

    @contextmanager
    def text(self) -> Iterator[Any]:
        """Open the file for encoded text, which is compressed as the final path states."""
        pack = PACKERS.get(os.path.splitext(self.path.lower())[1])
        with open(self.beside, "wb") as file:
            if pack is None:
                yield file
            else:
                with pack(file) as packed:
                    yield packed


def write(
    chunks: Iterable[Chunk],
    path: str,
    form: str | None = None,
    first_index: int = 1,
    feature_names: list[str] | None = None,
) -> int:
    """Write all chunks to a file atomically, and return the number of rows.

    The format is determined by the extension of the path, as stated in `FORMATS`; text may be compressed
    (.gz, .bz2, .xz, .zst). Numbers are written such that reading them gives the same doubles.
    """
    form = form or format_to_write(path)
    writer = FORMATS[form].write
    assert writer is not None
    with whole_or_nothing(path) as beside:
        n_rows: int = import_function(writer)(
            chunks, Target(beside, path, form, first_index, feature_names)
        )
    return n_rows


def format_to_write(path: str) -> str:
    """Return the format determined by the name of a file.

    >>> format_to_write("days.csv.gz")
    'csv'
    """
    stem, extension = os.path.splitext(path.lower())
    packed = extension in PACKERS
    if packed:
        extension = os.path.splitext(stem)[1]
    form = format_with(extension)
    if form is None or form not in writable_formats():
        endings = [FORMATS[name].extensions[0] for name in writable_formats() if FORMATS[name].extensions]
        raise BadInput(
            f"{path}: the file name shows no format; use the ending {', '.join(endings[:-1])} or "
            f"{endings[-1]}, or give one of {', '.join(writable_formats())}"
        )
    if packed and not is_text(form):
        raise BadInput(f"{path}: only text is compressed; leave {os.path.splitext(path)[1]} out")
    return form


def _labels(chunk: Chunk) -> list[str]:
    """Return the label of each row as text; 0 for rows without labels."""
    if chunk.y is None:
        return ["0"] * len(chunk)
    if chunk.y.dtype.kind in "fiub":
        return [str(int(label)) if float(label).is_integer() else repr(float(label)) for label in chunk.y]
    raise BadInput(
        f"label {str(chunk.y[0])!r}: this format has only numbers as labels; convert to Parquet or Arrow "
        "instead"
    )


def _pairs(chunk: Chunk, first_index: int) -> Iterator[str]:
    """Yield each row as text: its entries, written as index:value."""
    rows = chunk.rows
    if isinstance(rows, Dense):
        for values in rows.values.tolist():
            yield " ".join(f"{j}:{v!r}" for j, v in enumerate(values, first_index) if v != 0.0)
        return
    starts = rows.starts.tolist()
    entries = [
        f"{j}:{v!r}"
        for j, v in zip(
            (rows.indices.astype(np.int64) + first_index).tolist(), rows.values.tolist(), strict=False
        )
    ]
    for begin, end in pairwise(starts):
        yield " ".join(entries[begin:end])


def write_lines(chunks: Iterable[Chunk], to: Target) -> int:
    """Write svmlight or Vowpal Wabbit text."""
    n, is_vw = 0, to.form == "vw"
    with to.text() as file:
        for chunk in chunks:
            labels = _labels(chunk)
            if chunk.importance.size:
                if not is_vw:
                    raise BadInput(
                        "svmlight text cannot store weights; convert to Parquet or Arrow instead"
                    )
                weights = chunk.importance.tolist()
                labels = [f"{label} {weight!r}" for label, weight in zip(labels, weights, strict=True)]
            lines = zip(labels, _pairs(chunk, 0 if is_vw else to.first_index), strict=True)
            mark = " | " if is_vw else " "
            texts = (f"{label}{mark}{pairs}" for label, pairs in lines)
            file.write("".join((text if is_vw else text.rstrip()) + "\n" for text in texts).encode())
            n += len(chunk)
            chunk.release()
    return n


def write_csv(chunks: Iterable[Chunk], to: Target) -> int:
    from pyarrow import csv

    writer, n = None, 0
    with to.text() as file:
        for chunk in chunks:
            table = _dense_table(chunk, to.path, to.names)
            if writer is None:
                options = csv.WriteOptions(
                    delimiter="\t" if to.form == "tsv" else ",", quoting_style="needed"
                )
                writer = csv.CSVWriter(file, table.schema, write_options=options)
            writer.write_table(table)
            n += len(chunk)
            chunk.release()
        if writer is not None:
            writer.close()
    return n


def _dense_table(chunk: Chunk, path: str, names: list[str] | None) -> Any:
    """Return the columns of dense rows, with the label last."""
    import pyarrow as pa

    if isinstance(chunk.rows, Sparse):
        raise BadInput(
            f"{path}: sparse rows ({chunk.rows.n_features:,} features) would become a table of zeros; "
            "convert to Parquet or Arrow instead"
        )
    values = chunk.rows.values
    names = names or [f"x{j}" for j in range(values.shape[1])]
    columns = {name: pa.array(values[:, j]) for j, name in enumerate(names)}
    if chunk.importance.size:
        columns["weight"] = pa.array(chunk.importance)
    if chunk.y is not None:
        columns["y" if "y" not in columns else "label"] = pa.array(chunk.y)
    return pa.table(columns)


def write_arrow(chunks: Iterable[Chunk], to: Target) -> int:
    from rosenblatt.data.sources.arrow_writing import write_ipc, write_parquet

    return (write_parquet if to.form == "parquet" else write_ipc)(chunks, to.beside, to.names)


def _collect(chunks: Iterable[Chunk], path: str) -> tuple[Any, Any]:
    """Return all rows and labels together, for formats that cannot be written in parts."""
    from scipy import sparse

    kept = [(chunk.X.copy(), chunk.y, chunk.importance.size) for chunk in chunks if len(chunk)]
    if any(weighted for _, _, weighted in kept):
        raise BadInput(f"{path}: numpy files cannot store weights; convert to Parquet or Arrow instead")
    if not kept or any(y is None for _, y, _ in kept):
        raise BadInput(f"{path}: there are no rows with labels to write")
    parts = [X for X, _, _ in kept]
    if sparse.issparse(parts[0]):
        width = max(X.shape[1] for X in parts)
        for X in parts:
            X.resize((X.shape[0], width))
        X = sparse.vstack(parts, format="csr")
    else:
        X = np.concatenate(parts)
    return X, np.concatenate([y for _, y, _ in kept])


def write_npz(chunks: Iterable[Chunk], to: Target) -> int:
    X, y = _collect(chunks, to.path)
    with open(to.beside, "wb") as file:
        if hasattr(X, "indptr"):
            fields = {"indices": X.indices, "indptr": X.indptr, "data": X.data}
            np.savez(file, format=b"csr", shape=np.array(X.shape), y=y, **fields)
        else:
            np.savez(file, X=X, y=y)
    return len(y)


def write_npy(chunks: Iterable[Chunk], to: Target) -> int:
    X, y = _collect(chunks, to.path)
    if hasattr(X, "indptr") or y.dtype.kind not in "fiub":
        raise BadInput(f"{to.path}: npy holds one table of numbers; convert to npz instead")
    with open(to.beside, "wb") as file:
        np.save(file, np.column_stack([X, y]))
    return len(y)
