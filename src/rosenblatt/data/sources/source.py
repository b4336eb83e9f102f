"""Sources of rows, which are read in chunks, and `TextFiles`, which parses text ahead of the reader."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from queue import Empty, Queue
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import BadLine, Chunk
from rosenblatt.data.sources.files import as_text, is_packed, name_of
from rosenblatt.data.sources.text_blocks import Block, PlainText, Spooled, TextStream, lines_in
from rosenblatt.errors import BadInput, counted

HEAD = 1 << 20
"""Bytes of a file from which its format, columns and first index are detected."""

Item = TypeVar("Item")
Result = TypeVar("Result")


class TextFormat(Protocol):
    """Define a parser for blocks of whole lines.

    A parser may have `row_delimiters`, the delimiter of quoted cells that may contain line ends.
    """

    def parse(self, text: NDArray[np.uint8], begins_file: bool) -> Chunk: ...

    def settings(self) -> dict[str, Any]:
        """Return the settings with which another file is read into the same features."""


class Source(Protocol):
    """Define a source of chunks; `n_parts` is None unless parts can be read at any time, in any order."""

    name: str
    n_bad: int  # lines skipped in the last pass

    @property
    def n_bytes(self) -> int | None:
        """Return the size of all parts in bytes, or None if it is unknown."""

    @property
    def n_parts(self) -> int | None: ...

    @property
    def comes_once(self) -> bool:
        """Return whether the rows can be read only once, as from a pipe."""

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the chunks in the given order (only if n_parts is known), leaving out the first `skip`."""

    def settings(self) -> dict[str, Any]: ...

    def fingerprint(self) -> list[Any]:
        """Return a value that changes with the rows; a run can be resumed only with the same value."""


class Wrapped:
    """Wrap another source, and forward everything that is not defined here."""

    def __init__(self, source: Source) -> None:
        self._source, self.name = source, source.name

    @property
    def n_bytes(self) -> int | None:
        return self._source.n_bytes

    @property
    def comes_once(self) -> bool:
        return self._source.comes_once

    @property
    def n_parts(self) -> int | None:
        """Return the number of parts of the wrapped source, so that wrapping does not change shuffles."""
        return self._source.n_parts

    @property
    def n_bad(self) -> int:
        return self._source.n_bad

    @n_bad.setter
    def n_bad(self, known: int) -> None:
        self._source.n_bad = known

    @property
    def first_bad(self) -> str:
        """Return the place and the fault of the first line that was skipped."""
        return getattr(self._source, "first_bad", "")

    def settings(self) -> dict[str, Any]:
        return self._source.settings()

    def fingerprint(self) -> list[Any]:
        return self._source.fingerprint()


FEW_BAD = 10
"""The malformed lines of a block of a table that are skipped at most if one in twenty is malformed; more
are skipped if it is one in a hundred."""


class SkipsBad:
    """Count malformed lines, and raise an error if there are too many of them.

    Up to `skip_bad` lines are skipped; None stands for a few lines of each block, if the rows have columns.
    """

    skip_bad: int | None = 0
    n_bad = 0  # lines skipped in the last pass
    first_bad = ""  # where the first of them is, and what is wrong with it

    @property
    def columns(self) -> Any:
        """Return the treatment of each column of a table, or None if the rows have no columns."""

    def count_bad(self, chunk: Chunk, where: Callable[[BadLine], str]) -> None:
        """Count the malformed lines of a chunk; `where` returns the place of a line."""
        if not chunk.bad:
            return
        before = self.n_bad
        left = 0 if self.skip_bad is None else self.skip_bad - before
        if self.skip_bad is None and self.columns is not None:
            left = max(min(FEW_BAD, chunk.n_lines // 20), chunk.n_lines // 100)
        if len(chunk.bad) > left:
            bad = chunk.bad[left]
            skipped = before + left
            more = f" ({counted(skipped, 'malformed line')} skipped before it)" if skipped else ""
            raise BadInput(f"{where(bad)}: {bad.problem}{more}")
        if not before:
            self.first_bad = f"{where(chunk.bad[0])}: {chunk.bad[0].problem}"
        self.n_bad += len(chunk.bad)


class TextFiles(SkipsBad):
    """Read text from one or more files, one after another."""

    def __init__(
        self, paths: Sequence[str], form: TextFormat, n_threads: int, skip_bad: int | None = 0,
        begun: TextStream | None = None, charset: str | None = None,
    ) -> None:  # fmt: skip
        self._charset = charset
        self._files: list[PlainText | TextStream] = [
            begun
            if begun is not None and path == begun.path
            else TextStream(path, self._delimiters_of(path), charset)
            if charset or is_packed(path)
            else PlainText(path, self._delimiters_of(path))
            for path in paths
        ]
        if begun is not None:  # the first file, whose first bytes have been read already
            begun.delimiters = self._delimiters_of(begun.path)
        self.name = name_of(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        plain = [file.n_bytes for file in self._files if isinstance(file, PlainText)]
        self.n_bytes = sum(plain) if len(plain) == len(paths) else None  # decompressed size of all files
        self._paths, self._form = list(paths), form
        self._forms: dict[str, TextFormat] = {}
        self._n_threads = n_threads
        self.skip_bad = skip_bad
        self.notes: list[str] = []  # facts about the files that the user should know
        self.n_dropped = 0  # rows dropped in the last pass for a missing value

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only the names and settings of the files; another process opens them again."""
        return TextFiles, (self._paths, self._form, self._n_threads, self.skip_bad, None, self._charset)

    @property
    def n_files(self) -> int:
        return len(self._paths)

    def of_file(self, number: int) -> TextFiles:
        """Return a source for only one of the files, with the same settings."""
        path = self._paths[number]
        return TextFiles([path], self._form_of(path), self._n_threads, self.skip_bad, None, self._charset)

    @property
    def comes_once(self) -> bool:
        return any(isinstance(file, TextStream) and file.comes_once for file in self._files)

    @property
    def n_parts(self) -> int | None:
        counts = [file.n_blocks for file in self._files if isinstance(file, PlainText)]
        return sum(counts) if len(counts) == len(self._files) else None

    def settings(self) -> dict[str, Any]:
        return self._form.settings()

    @property
    def columns(self) -> Any:
        """Return the treatment of each column of a table, or None if the rows have no columns."""
        return getattr(self._form, "columns", None)

    def first_line(self, n_rows: int) -> int | None:
        """Return the line number of the first row if each later line is exactly one row, otherwise None."""
        if len(self._paths) > 1 or self.comes_once:
            return None
        header = getattr(self._form, "lines_before", 0)
        return (
            header + 1
            if header < 2 and lines_in(self._paths[0], self._charset) == header + n_rows
            else None
        )

    def fingerprint(self) -> list[Any]:
        return [file.fingerprint() for file in self._files]

    def __iter__(self) -> Iterator[Chunk]:
        return self.chunks()

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the rows of each block in the given order, leaving out the first `skip`."""
        self.n_bad = self.n_bad if skip else 0
        self.n_dropped = self.n_dropped if skip else 0
        read = self._blocks(order, skip)

        def parse(make: Callable[[], tuple[str, Block]]) -> tuple[str, Block, Chunk]:
            path, block = make()
            chunk = self._form_of(path).parse(block.text, block.begins_file)
            block.release()
            return path, block, chunk

        for path, block, chunk in ahead(read, parse, self._n_threads, 2 * self._n_threads):
            if chunk.bad:
                self._count_bad(path, block, chunk)
            self.n_dropped += chunk.n_dropped
            yield chunk
        for file in self._files:
            file.check_unchanged()

    def use_columns(self, columns: Any) -> None:
        """Set the property `columns`, the treatment of each column."""
        self._form = replace(self._form, columns=columns)  # type: ignore[type-var]
        self._forms.clear()

    def record_names(self, recorder: Any) -> None:
        """Let the parser of rows without columns record the names that it hashes."""
        self._form = replace(self._form, recorder=recorder)  # type: ignore[type-var]

    def tables(self, order: Sequence[int] | None = None) -> Iterator[Any]:
        """Yield the cells of each block of a table, without malformed lines, in the given order."""

        def table(make: Callable[[], tuple[str, Block]]) -> Any:
            path, block = make()
            cells = self._form_of(path).table(block.text, block.begins_file)  # type: ignore[attr-defined]
            block.release()
            return cells

        return ahead(self._blocks(order, 0), table, self._n_threads, 2 * self._n_threads)

    def learn_statistics(self) -> None:
        """Read all rows once if their features need statistics."""
        columns = getattr(self._form, "columns", None)
        if columns is None or not columns.needs_statistics:
            return
        self._files = [
            Spooled(file) if isinstance(file, TextStream) and file.comes_once else file
            for file in self._files
        ]
        sizes = [file.n_bytes for file in self._files if isinstance(file, PlainText)]
        self.n_bytes = sum(sizes) if len(sizes) == len(self._files) else None
        self._form = replace(self._form, columns=columns.with_statistics(self.tables(), self.name))  # type: ignore[type-var]
        self._forms.clear()

    def _blocks(self, order: Sequence[int] | None, skip: int) -> Iterator[Callable[[], tuple[str, Block]]]:
        """Yield, for each block, a function that reads it.

        A plain file is read when the parsing thread calls the function; other files are read by this
        generator.
        """
        if self.n_parts is not None:
            plain = [file for file in self._files if isinstance(file, PlainText)]
            places = [(file, k) for file in plain for k in range(file.n_blocks)]
            for part in (range(len(places)) if order is None else order)[skip:]:
                file, k = places[part]
                yield lambda file=file, k=k: (file.path, file.block(k))  # type: ignore[misc]
            return
        assert order is None
        for each in self._files:
            for block in each.blocks():
                if skip:
                    skip -= 1
                    block.release()
                else:
                    yield lambda path=each.path, block=block: (path, block)  # type: ignore[misc]

    def _count_bad(self, path: str, block: Block, chunk: Chunk) -> None:
        def where(bad: BadLine) -> str:
            above = block.lines_before
            if above < 0:
                file = next(file for file in self._files if file.path == path)
                above = file.lines_before(block.before)
            return f"{name_of(path)} line {above + bad.line + 1}, column {bad.column}"

        self.count_bad(chunk, where)

    def _delimiters_of(self, path: str) -> Callable[[], bytes]:
        """Return a function that detects, when called, the delimiter of a file with quoted cells."""
        these = weakref.proxy(self)  # a strong reference from a file would keep this object alive
        return lambda: getattr(these._form_of(path), "row_delimiters", b"")

    def _form_of(self, path: str) -> TextFormat:
        """Return the parser for a file, since each file may have its columns in another order."""
        if path == self._paths[0] or not hasattr(self._form, "for_file"):
            return self._form
        if path not in self._forms:
            head = as_text(TextStream(path, charset=self._charset).head(HEAD), path)
            self._forms[path] = self._form.for_file(head, path)
        return self._forms[path]


# ---------------------------------------------------------------- reading ahead in threads


AHEAD = "rosenblatt-ahead"  # prefix of the names of threads that read ahead


def ahead(
    items: Iterable[Item], job: Callable[[Item], Result], n_threads: int, most: int
) -> Iterator[Result]:
    """Yield job(item) for each item, in order, computed ahead in other threads.

    One thread fetches the items, and other threads run at most `most` jobs ahead. An error in a job is
    raised where its result would be yielded.

    >>> list(ahead(range(5), lambda number: number**2, n_threads=2, most=3))
    [0, 1, 4, 9, 16]
    """
    line: Queue[Future[Result] | None] = Queue(most)
    stopped = threading.Event()

    def fill_queue() -> None:
        last: Future[Result] | None = None
        try:
            for item in items:
                line.put(pool.submit(job, item))
                if stopped.is_set():
                    return
        except BaseException as error:  # any error must be raised in the waiting thread
            last = Future()
            last.set_exception(error)
        line.put(last)

    pool = ThreadPoolExecutor(n_threads, AHEAD)
    feeder = threading.Thread(target=fill_queue, name=AHEAD, daemon=True)
    feeder.start()
    try:
        while (future := line.get()) is not None:
            result = future.result()
            yield result
    finally:
        stopped.set()
        # the garbage collector may run this in a thread of the pool, which cannot wait for itself
        if threading.current_thread().name.startswith(AHEAD):
            pool.shutdown(wait=False, cancel_futures=True)
        else:
            _empty(line, feeder)
            pool.shutdown()


def _empty(line: Queue[Any], feeder: threading.Thread) -> None:
    """Empty the queue, so that the thread that fills it can end."""
    for _ in range(200):  # give up on a feeder that waits for standard input
        while True:
            try:
                future = line.get_nowait()
            except Empty:
                break
            if future is not None:
                future.cancel()
        feeder.join(0.005)
        if not feeder.is_alive():
            return
