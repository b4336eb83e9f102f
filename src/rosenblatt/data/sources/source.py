"""The source of rows that all formats share: parts of files, which threads read ahead and convert."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from queue import Empty, Queue
from typing import Any, Protocol, TypeVar

from rosenblatt.data.sources.chunk import BadLine, Chunk
from rosenblatt.errors import BadInput, counted

HEAD = 1 << 20
"""Bytes of a file from which its format, columns and first index are detected."""

Item = TypeVar("Item")
Result = TypeVar("Result")


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

    @property
    def n_dropped(self) -> int:
        return getattr(self._source, "n_dropped", 0)

    @property
    def notes(self) -> list[str]:
        """Return facts about the files that the user should know."""
        return getattr(self._source, "notes", [])

    def __iter__(self) -> Iterator[Chunk]:
        return self.chunks()

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Return an iterator over the chunks in the given order, leaving out the first `skip`."""
        raise NotImplementedError

    def settings(self) -> dict[str, Any]:
        return self._source.settings()

    def fingerprint(self) -> list[Any]:
        return self._source.fingerprint()


def innermost(source: Any) -> Any:
    """Return the source inside all wrappers."""
    while isinstance(source, Wrapped):
        source = source._source
    return source


# ---------------------------------------------------------------- parts


@dataclass(frozen=True)
class TextRows:
    """Hold the rows of a block of text as a record batch, and the lines of its cells."""

    batch: Any
    place_of: Callable[[int, int], tuple[int, int]]
    """Return the line and column of a cell, given its row and its column, which counts from 1."""
    bad: Sequence[BadLine]  # lines without a row
    n_bytes: int
    n_lines: int

    def chunk(self, columns: Any, name: str = "table") -> Chunk:
        """Return the rows; malformed lines are located in the text."""
        chunk: Chunk = columns.chunk(self.batch, name)
        bad = sorted([*self.bad, *self._in_text(chunk.bad)], key=lambda fault: fault.line)
        infinite = tuple(self._in_text(chunk.infinite))
        return replace(chunk, n_bytes=self.n_bytes, n_lines=self.n_lines, bad=tuple(bad), infinite=infinite)

    def _in_text(self, faults: Sequence[BadLine]) -> list[BadLine]:
        return [BadLine(*self.place_of(fault.line, fault.column), fault.problem) for fault in faults]


@dataclass(frozen=True)
class Part:
    """Hold some rows of a source: a record batch, or a chunk if the rows have no columns."""

    rows: Any
    where: Callable[[BadLine], str]
    """Return the place of a malformed line, or of a cell of a record batch."""
    name: str = "table"
    release: Callable[[], None] = lambda: None

    @property
    def batch(self) -> Any:
        return self.rows.batch if isinstance(self.rows, TextRows) else self.rows

    def chunk(self, columns: Any) -> Chunk:
        if isinstance(self.rows, Chunk):
            return self.rows
        if isinstance(self.rows, TextRows):
            return self.rows.chunk(columns)
        return columns.chunk(self.rows, self.name)


class File(Protocol):
    """Define where rows are stored: a file, a table in memory, or a folder.

    `spool` is called only if the rows come once, and returns a file whose rows can be read again.
    """

    name: str
    n_bytes: int | None

    @property
    def n_parts(self) -> int | None:
        """Return the number of parts that can be read in any order, or None."""

    @property
    def comes_once(self) -> bool: ...

    def part(self, number: int, columns: Any) -> Part:
        """Return a part; any thread may call this."""

    def parts(self, columns: Any) -> Iterator[Callable[[], Part]]:
        """Yield, for each part in order, a function that returns it in any thread."""

    def settings(self) -> dict[str, Any]:
        """Return the settings needed to read another file in the same way."""

    def fingerprint(self) -> Any: ...

    def check_unchanged(self) -> None:
        """Raise an error if the file was modified while it was read."""


FEW_BAD = 10
"""The malformed lines of a block of a table that are skipped at most if one in twenty is malformed; more
are skipped if it is one in a hundred."""


class RowSource:
    """Read the rows of files, one after another, in `n_threads` threads; 0 uses none.

    Up to `skip_bad` malformed lines are skipped; None stands for a few lines of each part of a table.
    """

    def __init__(
        self, files: Sequence[Any], columns: Any = None, n_threads: int = 0, skip_bad: int | None = 0
    ) -> None:
        self._files, self._columns = list(files), columns
        names = [file.name for file in files]
        self.name: str = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
        self._n_threads, self.skip_bad = n_threads, skip_bad
        self._notes: list[str] = []
        self.n_bad = 0  # lines skipped in the last pass
        self.first_bad = ""  # where the first of them is, and what is wrong with it
        self.n_dropped = 0  # rows dropped in the last pass for a missing value
        self._n_infinite = 0  # infinite cells in the last pass
        self._first_infinite = ""

    @property
    def n_bytes(self) -> int | None:
        return _total([file.n_bytes for file in self._files])

    @property
    def n_parts(self) -> int | None:
        return _total([file.n_parts for file in self._files])

    @property
    def comes_once(self) -> bool:
        return any(file.comes_once for file in self._files)

    @property
    def notes(self) -> list[str]:
        """Return facts about the files that the user should know."""
        notes = [*self._notes, *(note for file in self._files for note in getattr(file, "notes", ()))]
        if self._n_infinite:
            cells = counted(self._n_infinite, "infinite cell")
            notes.append(f"{cells} treated as missing, the first in {self._first_infinite}")
        return notes

    def add_note(self, note: str) -> None:
        self._notes.append(note)

    @property
    def columns(self) -> Any:
        """Return the treatment of each column of a table, or None if the rows have no columns."""
        return self._columns if hasattr(self._columns, "columns") else None

    def use_columns(self, columns: Any) -> None:
        """Set the property `columns`, the treatment of each column."""
        self._columns = columns

    def settings(self) -> dict[str, Any]:
        of_columns = {} if self._columns is None else self._columns.settings()
        return {**self._files[0].settings(), **of_columns}

    def fingerprint(self) -> list[Any]:
        return [file.fingerprint() for file in self._files]

    @property
    def n_files(self) -> int:
        return len(self._files)

    def of_file(self, number: int) -> RowSource:
        """Return a source for only one of the files, with the same settings."""
        return RowSource([self._files[number]], self._columns, self._n_threads, self.skip_bad)

    def first_line(self, n_rows: int) -> int | None:
        """Return the line number of the first row if each later line is exactly one row, otherwise None."""
        file = self._files[0]
        return file.first_line(n_rows) if len(self._files) == 1 and hasattr(file, "first_line") else None

    def record_names(self, recorder: Any) -> None:
        """Let the parser of rows without columns record the names that it hashes."""
        for file in self._files:
            file.record_names(recorder)

    def learn_statistics(self) -> None:
        """Read all rows once if their features need statistics."""
        columns = self.columns
        if columns is None or not columns.needs_statistics:
            return
        self._files = [file.spool() if file.comes_once else file for file in self._files]
        self._columns = columns.with_statistics(self.tables(), self.name)

    def __iter__(self) -> Iterator[Chunk]:
        return self.chunks()

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the chunks in the given order, leaving out the first `skip`."""
        self.n_bad = self.n_bad if skip else 0
        self.n_dropped = self.n_dropped if skip else 0
        self._n_infinite = self._n_infinite if skip else 0
        columns = self._columns

        def read(job: Callable[[], Part]) -> tuple[Part, Chunk]:
            part = job()
            chunk = part.chunk(columns)
            part.release()
            return part, chunk

        for part, chunk in self._ahead(self._jobs(order, skip), read):
            self._count_bad(chunk, part.where)
            self.n_dropped += chunk.n_dropped
            if chunk.infinite and not self._n_infinite:
                self._first_infinite = f"{part.where(chunk.infinite[0])}: {chunk.infinite[0].problem}"
            self._n_infinite += len(chunk.infinite)
            yield chunk
        for file in self._files:
            file.check_unchanged()

    def tables(self, order: Sequence[int] | None = None) -> Iterator[Any]:
        """Yield the record batch of each part of a table, without malformed lines, in the given order."""

        def read(job: Callable[[], Part]) -> Any:
            part = job()
            batch = part.batch
            part.release()
            return batch

        return self._ahead(self._jobs(order, 0), read)

    def _jobs(self, order: Sequence[int] | None, skip: int) -> Iterator[Callable[[], Part]]:
        """Return, for each part, a function that reads it; this iterator reads files without parts."""
        if self.n_parts is not None:
            places = [(file, k) for file in self._files for k in range(file.n_parts)]
            chosen = (places if order is None else [places[part] for part in order])[skip:]
            return (partial(file.part, k, self._columns) for file, k in chosen)
        assert order is None
        return islice(chain.from_iterable(file.parts(self._columns) for file in self._files), skip, None)

    def _ahead(self, items: Iterable[Item], job: Callable[[Item], Result]) -> Iterator[Result]:
        n = self._n_threads
        return ahead(items, job, n, 2 * n) if n else map(job, items)

    def _count_bad(self, chunk: Chunk, where: Callable[[BadLine], str]) -> None:
        """Count the malformed lines of a chunk, and raise an error if there are too many of them."""
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


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


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
