"""What a transaction writes: gathered first, then done in as few statements as may be.

SQLite lets other threads go on during each statement, and they take their time. So many rows are one
statement, and what is one statement is a transaction by itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

from rosenblatt.errors import BadInput

MOST_ROWS = 64  # of one statement


class LogFailed(OSError):
    """The log could not be written: what the disk said. Nothing of the transaction is there."""


class Statements:
    """Statements with their values; nothing is done before `run`."""

    def __init__(self) -> None:
        self._listed: list[tuple[str, Sequence[Any]]] = []

    def add(self, statement: str, *values: Any) -> None:
        self._listed.append((statement, values))

    def add_rows(self, statement: str, row: str, rows: Sequence[Sequence[Any]]) -> None:
        """The same for many rows. row: the question marks of one. Their numbers are powers of two, so that
        there are few texts, each of which SQLite reads once."""
        first, size = 0, MOST_ROWS
        while first < len(rows):
            if first + size > len(rows):
                size //= 2
                continue
            some = rows[first : first + size]
            self._listed.append((f"{statement} {', '.join([row] * size)}", list(chain.from_iterable(some))))
            first += size

    def run(self, db: sqlite3.Connection) -> None:
        if len(self._listed) > 1:
            db.execute("BEGIN IMMEDIATE")
        for statement, values in self._listed:
            db.execute(statement, values)
        if len(self._listed) > 1:
            db.execute("COMMIT")


@contextmanager
def in_sentences(path: str) -> Iterator[None]:
    """What SQLite says, as a sentence about this log."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise LogFailed(None, _in_words(str(error)), path) from error
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.IntegrityError):
            raise
        raise BadInput(
            f"{path}: is damaged, or no log at all ({error}); restore it from a backup"
        ) from error


def _in_words(said: str) -> str:
    if "full" in said:
        return "there is no room for the log on its disk; make some. What was learned before is kept"
    if "readonly" in said or "read-only" in said or "unable to open" in said:
        return "the log cannot be written here; give a folder that may be written to"
    if "locked" in said:
        return "the log is in use by another program; close it there"
    return f"the log cannot be used ({said}); look at its disk"
