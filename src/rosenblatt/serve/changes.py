"""The rows that one transaction inserts and deletes, and the SQLite errors it may raise."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import chain
from typing import Any

from rosenblatt.errors import BadInput

COLUMNS = {
    "names": ("number", "name"),
    "labels": ("number", "label"),
    "ids": ("id", "position", "label", "content"),
    "requests": ("id", "position", "n", "content"),
    "challenges": ("number", "id", "learned", "content"),
    "snapshots": ("position", "file", "at", "statistics"),
}
"""The columns of each table that is checked by the sum of its rows; the first is its key."""

MODULUS = 1 << 256
MOST_ROWS = 64  # of one statement

Row = Sequence[Any]


class LogFailed(OSError):
    """The log could not be written: the disk's reason. Nothing of the transaction is in it."""


class DamagedLog(BadInput):
    """The log is damaged or incomplete."""


def row_sum(table: str, rows: Sequence[Row]) -> int:
    """Return the sum of the SHA-256 digests of rows, which does not depend on their order."""
    return sum(int.from_bytes(sha256(repr((table, *row)).encode()).digest(), "big") for row in rows)


class Changes:
    """Gathered inserts and deletes; `run` executes them, `total` is the change in the sum of all rows."""

    def __init__(self) -> None:
        self._statements: list[tuple[str, Row]] = []
        self._inserted: list[tuple[str, Sequence[Row]]] = []
        self._deleted: list[tuple[str, Sequence[Row]]] = []

    def insert(self, table: str, rows: Sequence[Row]) -> None:
        """Insert rows, many by one statement.

        SQLite releases the interpreter's lock in each statement, and getting it back takes its time. The
        numbers of rows are powers of two, so that few different statements have to be parsed.
        """
        marks = f"({', '.join('?' * len(COLUMNS[table]))})"
        first, size = 0, MOST_ROWS
        while first < len(rows):
            if first + size > len(rows):
                size //= 2
                continue
            values = list(chain.from_iterable(rows[first : first + size]))
            self._statements.append((f"INSERT INTO {table} VALUES {', '.join([marks] * size)}", values))
            first += size
        self._inserted.append((table, rows))

    def delete(self, table: str, rows: Sequence[Row]) -> None:
        """Delete these rows, which must be in the table."""
        statement = f"DELETE FROM {table} WHERE {COLUMNS[table][0]} = ?"
        self._statements += [(statement, row[:1]) for row in rows]
        self._deleted.append((table, rows))

    def execute(self, statement: str, *values: Any) -> None:
        """Change the table of entries, whose rows are not part of the sum."""
        self._statements.append((statement, values))

    def run(self, db: sqlite3.Connection) -> None:
        for statement, values in self._statements:
            db.execute(statement, values)

    @property
    def total(self) -> int:
        added = sum(row_sum(table, rows) for table, rows in self._inserted)
        return added - sum(row_sum(table, rows) for table, rows in self._deleted)


ENVIRONMENT = {
    sqlite3.SQLITE_FULL: "there is no room for the log on its disk; make some. What was learned before "
    "is kept",
    sqlite3.SQLITE_READONLY: "the log cannot be written here; give a folder that may be written to",
    sqlite3.SQLITE_CANTOPEN: "the log cannot be written here; give a folder that may be written to",
    sqlite3.SQLITE_PERM: "the log cannot be written here; give a folder that may be written to",
    sqlite3.SQLITE_BUSY: "the log is in use by another program; close it there",
    sqlite3.SQLITE_LOCKED: "the log is in use by another program; close it there",
}
"""SQLite's errors that say nothing about the content of the file."""


@contextmanager
def translated_errors(path: str, writes: bool = False) -> Iterator[None]:
    """Raise SQLite's errors as `LogFailed` (of the disk) or `DamagedLog` (of the content)."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in ENVIRONMENT:
            raise LogFailed(None, ENVIRONMENT[code], path) from error
        if writes and isinstance(error, sqlite3.OperationalError):
            raise LogFailed(None, f"the log cannot be written ({error}); check its disk", path) from error
        raise DamagedLog(
            f"{path}: is damaged, or is not a log ({error}); restore it from a backup"
        ) from error
    except UnicodeDecodeError as error:  # a damaged text, or the name of one in SQLite's message
        raise DamagedLog(f"{path}: is damaged ({error}); restore it from a backup") from error
    except MemoryError as error:  # a damaged length
        raise DamagedLog(
            f"{path}: is damaged, or does not fit into memory; restore it from a backup"
        ) from error
