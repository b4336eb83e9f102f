"""`read`: rows and labels from any source, in chunks; `read_table`: all chunks of files, joined."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.data.labels import tidy_labels
from rosenblatt.data.sources.archives import on_disk
from rosenblatt.data.sources.cells import delimiter_of
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.data.sources.class_folders import texts_of
from rosenblatt.data.sources.encoding import Encoding, FieldOptions
from rosenblatt.data.sources.files import (
    DETECTED,
    JSON_ARRAY,
    as_text,
    charset_of,
    detected_charset,
    find_files,
    format_of,
    has_carriage_returns,
    is_packed,
    name_of,
)
from rosenblatt.data.sources.formats import FORMATS, import_function, is_text
from rosenblatt.data.sources.iterables import Iterables
from rosenblatt.data.sources.labelled_table import Table
from rosenblatt.data.sources.naming import field_names
from rosenblatt.data.sources.numbered_features import NUMBERS, NumberedFeatures
from rosenblatt.data.sources.options import check_options
from rosenblatt.data.sources.remote import is_remote
from rosenblatt.data.sources.source import HEAD, RowSource, Source
from rosenblatt.data.sources.text_blocks import LONGEST_LINE, TextStream, line_too_long, spread_lines
from rosenblatt.data.sources.text_files import open_texts
from rosenblatt.data.sources.text_formats import TextHead, open_text
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.loops.threads import n_threads
from rosenblatt.numeric.row_batches import Dense, Sparse, stack
from rosenblatt.numeric.row_batches import n_features as rows_width


@dataclass(frozen=True)
class Options(FieldOptions):
    """Hold all reading options; those that do not apply to a format keep their defaults."""

    format: str | None = None
    first_index: int | None = None
    header: bool | None = None
    delimiter: bytes | None = None
    charset: str | None = None


def read(
    source: Any,
    format: str | None = None,  # noqa: A002
    target: str | int | None = None,
    *,
    weight: str | None = None,
    text: Sequence[str] = (),
    categories: Sequence[str] = (),
    dates: Sequence[str] = (),
    leave_out: Sequence[str] = (),
    missing: str = "error",
    bits: int | None = 18,
    encoding: Encoding | None = None,
    guesses_codes: bool = False,
    first_index: int | None = None,
    labelled: bool = True,
    header: bool | None = None,
    delimiter: str | None = None,
    charset: str | None = None,
    like: Mapping[str, Any] | None = None,
    skip_bad: int | None = 0,
    n_jobs: int | None = -1,
    statistics: bool = True,
) -> Source:
    """Read rows from files of any size, tables, Arrow streams or iterables, in chunks.

    Parameters
    ----------
    source : source
        A path, a folder (of tables, or with a folder of texts for each class), a zip archive, a pattern
        such as "day*.svm.gz", "-" for standard input, an address of fsspec ("s3://…", "https://…"; the
        extra `cluster`), or a list of these; a pandas, polars or pyarrow table or anything with
        ``__arrow_c_stream__``; or an iterable of chunks (X, y) or (X, y, weight), or of single examples
        (x, y).
    format : str, default=None
        One of "svmlight", "vw", "csv", "tsv", "jsonl", "fasttext", "parquet", "arrow", "npy", "npz"; by
        default determined by the file's name or its first bytes. Each may be compressed with gzip, bzip2,
        xz or zstandard.
    target : str or int, default=None
        The label's column by name or number (tables and npy); by default the last.
    weight : str, default=None
        The column with the weights of the rows (tables).
    text, categories, dates, leave_out : sequence of str, default=()
        Columns to treat as text, as categories, as dates, or to drop (tables). By default numbers are
        numbers, and strings are categories unless they have three words or more on average.
    missing : {"error", "zero", "drop", "mark"}, default="error"
        The treatment of missing values in tables: an error; 0; dropping the row; or 0 and an indicator
        feature. A missing label is an error, except that "drop" and "mark" drop the row.
    bits : int or None, default=18
        Hash names, categories and words into 2**bits features; None uses as many as are needed.
    encoding : Encoding, default=None
        How cells become numbers; by default numbers are unchanged, and words are counted. An encoding
        that needs means or document frequencies adds a pass over all rows.
    guesses_codes : bool, default=False
        Whether to drop ID columns, and to split dates into parts.
    first_index : {0, 1}, default=None
        The first index of svmlight rows; by default 0 if the first megabyte has an index 0, otherwise 1.
    labelled : bool, default=True
        Whether the rows must have labels; False for rows to be predicted.
    header : bool, default=None
        Whether the first line of csv text contains the names of the columns; by default detected.
    delimiter : str, default=None
        The delimiter of csv text: one letter, "tab" or "blanks"; by default detected.
    charset : str, default=None
        The encoding of text, by Python's names: "utf-16", "latin-1", "cp1252", …; by default UTF-8.
    like : mapping, default=None
        The `settings()` of another source, or `reading_` of a model: read the same features from these
        rows.
    skip_bad : int or None, default=0
        The number of malformed lines to skip before raising an error. None skips one in a hundred lines
        of each block of a table, or up to ten if that is at most one in twenty.
    n_jobs : int or None, default=-1
        The number of threads that parse; −1 for one per core, None for a single thread.
    statistics : bool, default=True
        Whether to read all rows now if the encoding needs means or document frequencies. Otherwise call
        `learn_statistics` of the source before its chunks are read.

    Returns
    -------
    Source
        A source whose method `chunks` yields `Chunk` objects.

    Raises
    ------
    BadInput
        If the source or an option cannot be used; the message names the file and line.

    Examples
    --------
    >>> for chunk in read([([[1.0, 2.0], [3.0, 4.0]], ["ham", "spam"])]):
    ...     print(chunk.X, chunk.y)
    [[1. 2.]
     [3. 4.]] ['ham' 'spam']
    """
    if isinstance(encoding, str):
        raise BadInput(
            f"encoding: expected an Encoding of columns, got {encoding!r}; the character encoding of a "
            f"file is given by charset={encoding!r}"
        )
    check_options({"skip_bad": skip_bad})
    options = Options(
        target, weight, text, categories, dates, leave_out, missing, bits, labelled, encoding or Encoding(),
        guesses_codes, format, first_index, header, delimiter_of(delimiter), charset_of(charset),
    )  # fmt: skip
    if like is not None:
        options = _like(options, like)
    made = _source(source, options, like, skip_bad, n_threads(n_jobs))
    if statistics and hasattr(made, "learn_statistics"):
        made.learn_statistics()
    return NumberedFeatures(made, like) if like is not None and NUMBERS in like else made


def _source(
    source: Any, options: Options, like: Mapping[str, Any] | None, skip_bad: int | None, threads: int
) -> Source:
    if is_path(source):
        paths = [os.fspath(path) for path in (source if isinstance(source, list | tuple) else [source])]
        if options.format is None and all(isinstance(path, str) for path in paths):
            texts = texts_of(paths, options.labelled, like)
            if texts is not None:
                from rosenblatt.data.sources.text_folders import open_folder

                return open_folder(", ".join(paths[:3]), texts, options, like, threads, skip_bad)
        return _files(find_files(source), options, like, skip_bad, threads)
    is_table = is_arrow(source) and (
        hasattr(source, "__arrow_c_stream__") or not isinstance(source, Iterator)
    )
    tables = source if is_table else _tables_in(source)
    if tables is None:
        return Iterables(source)
    from rosenblatt.data.sources.arrow_source import hold_table, table_source

    return table_source(hold_table(tables), options, like, 0, skip_bad)


def read_table(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    target: str | int | None = None,
    n_features: int | None = None,
    **more: Any,
) -> Table:
    r"""Read the rows and labels of files into memory: the chunks of `read`, joined.

    `format`, `target` and `more` are as in `read`, which also hashes words and categories. "-" is standard
    input and needs a format. `n_features` is the number of features of X: svmlight text does not contain
    it, so state it if train and test files must agree; for other formats it is checked. Every error is a
    BadInput, including a missing file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = folder + "/train.svm"
    ...     with open(path, "w") as file:
    ...         _ = file.write("+1 1:0.5 3:2  # a comment\n-1 2:25e-2\n")
    ...     X, y, feature_names = read_table(path)
    >>> X.toarray()
    array([[0.5 , 0.  , 2.  ],
           [0.  , 0.25, 0.  ]])
    >>> y
    array([ 1, -1])
    """
    if n_features is not None and (not isinstance(n_features, int) or n_features < 1):
        raise bad_value("n_features", n_features, "a whole number of at least 1")
    return all_rows(read(os.fspath(path), format, target, **more), n_features)


def all_rows(source: Any, n_features: int | None = None) -> Table:
    """Return all rows and labels of a source; `n_features` is as in `read_table`."""
    chunks = [chunk for chunk in source.chunks() if len(chunk)]
    labels = [chunk.y for chunk in chunks if chunk.y is not None]
    if not labels:
        raise BadInput(f"{source.name}: there are no rows; give a file with rows")
    if any(chunk.importance.size for chunk in chunks):
        raise BadInput(
            f"{source.name}: has row weights, which are not returned here; remove them, or use read"
        )
    rows, settings = stack([chunk.rows for chunk in chunks]), source.settings()
    found = rows_width(rows)
    if isinstance(rows, Sparse) and settings["format"] == "svmlight":
        if not rows.values.size and n_features is None:
            raise BadInput(f"{source.name}: no row has a feature; give index:value pairs, or n_features")
        rows = rows._replace(n_features=max(found, n_features or 0))
    if n_features not in (None, rows_width(rows)):
        raise BadInput(
            f"{source.name}: has {found} features, expected {n_features}; "
            "give a matching file, or another n_features"
        )
    X, y = Chunk(rows, None).X, np.concatenate(labels)
    (X if isinstance(rows, Dense) else X.data).flags.writeable = True  # a new array, owned by the caller
    columns = [name for name, _ in settings.get("columns", ())]
    is_counted = columns == [str(place) for place in range(len(columns))]  # True if the file has no names
    return Table(X, tidy_labels(y), None if is_counted else field_names(settings))


def _tables_in(source: Any) -> Any:
    """Return an iterator over tables, such as ``pandas.read_csv(…, chunksize=…)``, or None."""
    if isinstance(source, (list, tuple)) and source and is_arrow(source[0]):
        return iter(source)
    is_of_pandas = type(source).__module__.startswith("pandas.") and isinstance(source, Iterator)
    return source if is_of_pandas else None


def every_row(reading: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the settings for reading rows for prediction.

    Training may drop rows with missing values, but prediction must not.
    """
    return {**reading, "missing": "error"} if reading.get("missing") == "drop" else reading


def is_path(source: Any) -> bool:
    """Return whether the source is a path, or a list of paths."""
    if isinstance(source, (list, tuple)):
        return bool(source) and all(is_path(each) for each in source)
    return isinstance(source, (str, os.PathLike))


def is_arrow(source: Any) -> bool:
    """Return whether the source is a table, or an Arrow stream of parts of a table."""
    return hasattr(source, "__arrow_c_stream__") or type(source).__module__.startswith(
        ("pandas", "polars", "pyarrow")
    )


def _like(options: Options, like: Mapping[str, Any]) -> Options:
    """Return the options, combined with the reading settings of a model."""
    return replace(
        options,
        first_index=like.get("first_index", options.first_index),
        bits=like.get("bits", options.bits),
    )


def _files(
    paths: list[str], options: Options, like: Mapping[str, Any] | None, skip_bad: int | None, threads: int
) -> Source:
    first, name = paths[0], name_of(paths[0])
    likely = None if like is None else like.get("format")
    if first == "-" and options.format is None and not is_text(likely):
        raise BadInput(
            f"format: standard input has no file name to detect it from; give one of {', '.join(FORMATS)}"
        )
    is_pipe = first == "-" or not (is_remote(first) or os.path.isfile(on_disk(first)))
    stream = TextStream(first, charset=options.charset or (DETECTED if is_pipe else None))
    binary = options.format in FORMATS and not is_text(options.format)
    if binary and stream.comes_once and first != "-":
        raise BadInput(f"{name}: is a pipe; give - and send it to standard input")
    head, size = b"" if first == "-" and binary else stream.head(HEAD), HEAD
    while head.count(b"\n") < 2 and len(head) == size < LONGEST_LINE:  # the first rows are longer
        size *= 2
        head = stream.head(size)
    if not binary and len(head) >= LONGEST_LINE and b"\n" not in head and b"\r" not in head:
        raise line_too_long(first, 1)
    if not head and not binary:
        raise BadInput(f"{name}: the file is empty; give one with at least one row")
    form = format_of(first, head, options.format, likely)
    if is_text(form):
        charset = detected_charset(head) if stream.charset is None else None
        if form not in ("csv", "tsv") and charset != "utf-16":
            charset = None  # JSON is UTF-8, and the others are read as bytes
        is_converted = has_carriage_returns(head)
        is_converted |= form == "jsonl" and JSON_ARRAY.match(head) is not None
        if stream.charset is None and (charset or is_converted):
            as_text(head if charset != "utf-16" else b"", name)  # raises an error for pictures and others
            text = _files(paths, replace(options, charset=DETECTED), like, skip_bad, threads)
            assert isinstance(text, RowSource)
            if charset not in (None, "utf-16"):
                text.add_note(f"{name} is not UTF-8 text and was read as {charset} (charset='{charset}')")
            return text
        sample = b"" if stream.charset or is_packed(first) else spread_lines(first, len(head))
        settled = open_text(TextHead(form, as_text(head, name), name, options, like, sample))
        begun = stream if stream.charset or is_packed(first) else None  # avoid decompressing twice
        files = open_texts(paths, settled, begun, stream.charset)
        return RowSource(files, getattr(settled, "columns", None), threads, skip_bad)
    if options.charset or options.delimiter:
        raise BadInput(f"{name}: is not text, so it has no charset and no delimiter; leave them out")
    made: Source = import_function(FORMATS[form].read)(paths, form, options, like, threads, skip_bad)
    return made
