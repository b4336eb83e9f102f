"""The log: a durable record of all learned examples in order. One SQLite file in WAL mode.

Examples are on disk before they are acknowledged. An entry contains the examples of one transaction, and
its position is the number of its first example, counted from 1. Feature names and labels have tables of
their own and are numbered in order of first appearance, so an entry consists of a few arrays. Other tables
contain the ids and keys that clients sent, the challenges (answered examples without a label), and the
snapshots.

Three mechanisms detect damage. Each entry has a SHA-256 digest of its content, its new names and labels,
and the digest of the entry before it. The `State`, written in every transaction, contains the digest of the
last entry, and the sum of the digests of all rows of the other tables. The .end file contains the number of
the last transaction and the digest of its state. Everything is checked whenever a log is opened. One
process writes; other processes may read.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain
from typing import Any
from urllib.parse import quote

from rosenblatt.errors import BadInput
from rosenblatt.serve.log_files import (
    DamagedLog,
    EndFile,
    Lock,
    LogFailed,
    advice_after_loss,
    check_log_path,
    read_end,
    set_aside,
    snapshot_files,
    translate_errors,
)
from rosenblatt.serve.log_records import (
    COLUMNS,
    MODULUS,
    Challenge,
    End,
    Entry,
    Known,
    Mark,
    Row,
    Snapshot,
    State,
    row_sum,
)

FORMAT = 2
DURABILITIES = {"full": "FULL", "normal": "NORMAL"}
MOST_CHALLENGES = 1_000_000
REMEMBERED_IDS = 1_000_000  # ids kept for examples that were cut off
ROWS_AT_ONCE = 10_000
MOST_INSERTED = 64  # rows per SQL statement

TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE entries (
    position INTEGER PRIMARY KEY, n INTEGER NOT NULL, at REAL NOT NULL, n_names INTEGER NOT NULL,
    n_labels INTEGER NOT NULL, body BLOB NOT NULL, notes TEXT, digest TEXT NOT NULL);
CREATE TABLE names (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE labels (number INTEGER PRIMARY KEY, label TEXT NOT NULL);
CREATE TABLE ids (
    id TEXT PRIMARY KEY, position INTEGER NOT NULL, label INTEGER NOT NULL, content TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE requests (
    id TEXT PRIMARY KEY, position INTEGER NOT NULL, n INTEGER NOT NULL, content TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE challenges (
    number INTEGER PRIMARY KEY, id TEXT, learned INTEGER NOT NULL, content TEXT NOT NULL);
CREATE UNIQUE INDEX challenge_ids ON challenges (id) WHERE id IS NOT NULL;
CREATE TABLE snapshots (
    position INTEGER PRIMARY KEY, file TEXT NOT NULL, at REAL NOT NULL, statistics TEXT NOT NULL);
"""


class Log:
    """A log, open for writing (by one process) or for reading.

    durability: "full" or "normal", the mode of SQLite's `synchronous` setting. checks: whether to check the
    whole log first; without it, some damage goes unnoticed, though `entries` still checks each entry.
    accept_loss: continue a log although its end is lost or unknown.
    """

    def __init__(
        self,
        path: str,
        durability: str = "full",
        writes: bool = True,
        checks: bool = True,
        accept_loss: bool = False,
    ) -> None:
        self.path, self.writes = os.path.realpath(path), writes
        check_log_path(self.path)
        self.name = os.path.basename(path)
        self.state = State()
        self.names: list[str] = []
        self.labels: list[Any] = []
        self._numbers: dict[tuple[type, Any], int] = {}
        self._lock = Lock(self.path + ".lock", self.path) if writes else None
        self._db: sqlite3.Connection | None = None
        self._end_file: EndFile | None = None
        try:
            self._open(durability, checks, accept_loss)
        except BaseException:
            self.close()
            raise

    # ------------------------------------------------------------ opening

    def _open(self, durability: str, checks: bool, accept_loss: bool) -> None:
        is_new = self._is_missing()
        if is_new and not self.writes:
            raise BadInput(f"{self.path}: there is no such log; check its name")
        if is_new:
            self._create()
        with translate_errors(self.path):
            # a read-only connection leaves a damaged write-ahead log unchanged
            self._db = self._connect(may_write=False)
            self._read(checks, accept_loss)
            if not self.writes:
                return
            self._db.close()
        with translate_errors(self.path, writes=True):
            self._db = self._connect(may_write=True)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute(f"PRAGMA synchronous = {DURABILITIES[durability]}")
            self._db.execute("PRAGMA wal_autocheckpoint = 8000")  # pages: 32 MB
        if accept_loss:
            set_aside(self.path, self.position)
        self._end_file = EndFile(self.path)
        self._end_file.write(self.state.recorded_end)

    def _create(self) -> None:
        """Create an empty log; the file gets its final name once it is complete and its end is recorded."""
        fresh, state = self.path + ".new", State(transactions=1, began=time.time())
        try:
            with suppress(FileNotFoundError):
                os.unlink(fresh)
            with translate_errors(self.path, writes=True), closing(sqlite3.connect(fresh)) as db:
                db.executescript(TABLES)
                db.execute("INSERT INTO facts VALUES ('format', ?)", (FORMAT,))
                db.execute("INSERT INTO facts VALUES ('state', ?)", (state.as_text(),))
                db.commit()
            with closing(EndFile(self.path)) as end:
                end.write(state.recorded_end)
            os.replace(fresh, self.path)
        except OSError as error:
            if isinstance(error, LogFailed):
                raise
            raise LogFailed(
                error.errno, f"the log cannot be written here ({error.strerror})", self.path
            ) from error

    def _connect(self, may_write: bool) -> sqlite3.Connection:
        mode = "rwc" if may_write else "ro"
        db = sqlite3.connect(
            f"file:{quote(self.path)}?mode={mode}", isolation_level=None, check_same_thread=False, uri=True
        )
        db.execute("PRAGMA trusted_schema = OFF")
        return db

    @property
    def db(self) -> sqlite3.Connection:
        assert self._db is not None
        return self._db

    def _is_missing(self) -> bool:
        """Return whether there is no log; raise `DamagedLog` if other files show that there was one."""
        if os.path.exists(self.path) and os.path.getsize(self.path):
            return False
        remains = [name for position, name in snapshot_files(self.path).items() if position]
        if os.path.exists(self.path + "-wal") and os.path.getsize(self.path + "-wal"):
            remains.append(self.name + "-wal")
        if (end := read_end(self.path)) is not None and end.transactions > 1:
            remains.append(self.name + ".end")
        if remains:
            raise DamagedLog(
                f"{self.path}: is missing or empty, though {remains[0]} is there; restore the log from a "
                "backup, or move the files of the lost one away to begin another"
            )
        return True

    def _read(self, checks: bool, accept_loss: bool) -> None:
        # read these before the state: another process may write, and they must not be ahead of the state
        newest = max(snapshot_files(self.path), default=0)
        end = read_end(self.path) if checks and not accept_loss else None
        self.db.execute("BEGIN")  # all reads see the same moment
        self._read_state()
        if checks:
            if not accept_loss:
                self._check_end(end, newest)
            self.check_rows()
        self.names = [name for (name,) in self.db.execute("SELECT name FROM names ORDER BY number")]
        found = self.db.execute("SELECT label FROM labels ORDER BY number")
        try:
            self.labels = [json.loads(label) for (label,) in found]
        except (TypeError, ValueError) as error:
            raise DamagedLog(f"{self.path}: its labels are damaged; restore it from a backup") from error
        self._numbers = {(type(label), label): k for k, label in enumerate(self.labels)}
        if checks:
            for _ in self.entries(self.state.cut.position + 1):
                pass

    def _read_state(self) -> None:
        others = "SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'index') LIMIT 1"
        if (found := self.db.execute(others).fetchone()) is not None:  # its SQL could run for ever
            raise DamagedLog(
                f"{self.path}: contains {found[0]!r}, which no log contains; restore it from a backup"
            )
        facts = dict(self.db.execute("SELECT name, value FROM facts").fetchall())
        if (found := facts.get("format")) != FORMAT:
            raise BadInput(
                f"{self.path}: is a log of another version (format {found!r}, expected {FORMAT}), or "
                "damaged; to convert it, write its model with the version of rosenblatt that wrote the log "
                "(rosenblatt replay LOG --out MODEL), and begin a new log with that model"
            )
        try:
            self.state = State.parse(facts["state"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DamagedLog(
                f"{self.path}: the record of its state is damaged ({error}); restore it from a backup, or "
                "begin another log with its newest snapshot"
            ) from error

    def _check_end(self, end: End | None, newest: int) -> None:
        """Raise `DamagedLog` if the end of the log is missing."""
        state, position = self.state, self.position
        if end is None:
            raise DamagedLog(
                f"{self.path}.end: is missing; it records where the log ends, so that a loss is noticed. "
                f"{advice_after_loss(self.path)}"
            )
        if state.transactions < end.transactions:
            raise DamagedLog(
                f"{self.path}: has lost its end: it has {position:,} examples and had {end.position:,} "
                f"(transactions: {state.transactions:,} and {end.transactions:,}). "
                f"{advice_after_loss(self.path)}"
            )
        if state.transactions == end.transactions and state.recorded_end != end:
            raise DamagedLog(
                f"{self.path}: its .end file is of another log. {advice_after_loss(self.path)}"
            )
        if newest > position:
            raise DamagedLog(
                f"{self.path}: has lost its end: it has {position:,} examples, and the snapshot "
                f"{snapshot_files(self.path).get(newest)} has {newest:,}. "
                f"{advice_after_loss(self.path)}; or begin another log with that snapshot as its model"
            )

    def check_rows(self) -> None:
        """Check the structure of the SQLite file, and the digest sum of all tables other than `entries`."""
        (found,) = self.db.execute("PRAGMA integrity_check(1)").fetchone()
        total = 0
        for table, columns in COLUMNS.items():
            rows = self.db.execute(f"SELECT {', '.join(columns)} FROM {table}")
            while some := rows.fetchmany(ROWS_AT_ONCE):
                total += row_sum(table, some)
        if found != "ok" or total % MODULUS != self.state.rows:
            what = (
                found.splitlines()[-1]
                if found != "ok"
                else "its tables have changed since they were written"
            )
            rest = (
                "begin another log with its newest snapshot"
                if self.state.cut.position
                else f"keep the examples that can be read: rosenblatt replay {self.name} "
                f"--upto {self.position} --out MODEL"
            )
            raise DamagedLog(f"{self.path}: is damaged ({what}); restore it from a backup, or {rest}")

    # ------------------------------------------------------------ writing

    @property
    def position(self) -> int:
        """Number of examples in the log, including examples that were cut off."""
        return self.state.end.position

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all changes made in the `with` block, or none of them.

        Raise `LogFailed` if the changes cannot be written.
        """
        self._before = len(self.names), len(self.labels), self.state
        try:
            with translate_errors(self.path, writes=True):
                self.db.execute("BEGIN IMMEDIATE")
                yield
                self.state = self.state._replace(transactions=self.state.transactions + 1)
                text = self.state.as_text()
                self.db.execute("INSERT OR REPLACE INTO facts VALUES ('state', ?)", (text,))
                self.db.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise
        if self._end_file is not None:
            self._end_file.write(End(self.state.transactions, self.position, text[:64]))

    def insert(self, table: str, rows: Sequence[Row]) -> None:
        """Insert rows, many per statement, since every statement releases the interpreter lock."""
        marks = f"({', '.join('?' * len(COLUMNS[table]))})"
        for first in range(0, len(rows), MOST_INSERTED):
            some = rows[first : first + MOST_INSERTED]
            statement = f"INSERT INTO {table} VALUES {', '.join([marks] * len(some))}"
            self.db.execute(statement, list(chain.from_iterable(some)))
        self._add_to_sum(row_sum(table, rows))

    def delete(self, table: str, rows: Sequence[Row]) -> None:
        """Delete these rows, which must all exist."""
        statement = f"DELETE FROM {table} WHERE {COLUMNS[table][0]} = ?"
        self.db.executemany(statement, [row[:1] for row in rows])
        self._add_to_sum(-row_sum(table, rows))

    def _add_to_sum(self, change: int) -> None:
        self.state = self.state._replace(rows=(self.state.rows + change) % MODULUS)

    def _roll_back(self) -> None:
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")
        names, labels, self.state = self._before
        del self.names[names:]
        for label in self.labels[labels:]:
            del self._numbers[type(label), label]
        del self.labels[labels:]

    def number_of(self, label: Any) -> int:
        """Return the number of a label; a new label gets the next number. Call it within a transaction."""
        number = self._numbers.get((type(label), label))
        if number is None:
            number = self._numbers[type(label), label] = len(self.labels)
            self.labels.append(label)
            self.insert("labels", [(number, json.dumps(label))])
        return number

    def add_names(self, names: Sequence[str]) -> None:
        self.insert("names", list(enumerate(names, len(self.names))))
        self.names.extend(names)

    def add_entry(self, n: int, body: bytes, notes: dict[str, Any] | None = None) -> None:
        """Append an entry of n examples; its time is never before the time of the last entry."""
        text = json.dumps(notes, separators=(",", ":")) if notes else None
        at = max(self.state.at, time.time())
        entry = Entry(self.position + 1, n, at, len(self.names), len(self.labels), body, text, "")
        digest = entry.compute_digest(self.state.end, self.names, self.labels)
        entry = entry._replace(digest=digest)
        self.db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entry)
        self.state = self.state._replace(end=entry.mark, at=at)

    def add_challenges(self, rows: Sequence[tuple[str | None, int, str]]) -> list[str]:
        """Store challenges and return their ids; a challenge without an id gets a new one.

        Each row contains the id or None, the number of examples learned before the challenge, and x, answer
        and score as JSON. The oldest challenges beyond the limit are deleted.
        """
        if not rows:
            return []
        first = self.state.challenges + 1
        self.insert("challenges", [(number, *row) for number, row in enumerate(rows, first)])
        self.state = self.state._replace(challenges=self.state.challenges + len(rows))
        oldest = self._rows("challenges", "number <= ?", self.state.challenges - MOST_CHALLENGES)
        self.delete("challenges", oldest)
        return [f"a{number}" if own is None else own for number, (own, *_) in enumerate(rows, first)]

    # ------------------------------------------------------------ reading

    def _rows(self, table: str, condition: str, value: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a table for which an SQL condition with one parameter holds."""
        columns = ", ".join(COLUMNS[table])
        return self.db.execute(f"SELECT {columns} FROM {table} WHERE {condition}", (value,)).fetchall()

    def position_of(self, name: str) -> Known | None:
        """Return the position, label and content digest of the example with this id, or None."""
        for _, position, label, content in self._rows("ids", "id = ?", name):
            return Known(position, self.labels[label], content)
        return None

    def request(self, name: str) -> Known | None:
        """Return the position, size and content digest of the request with this key, or None."""
        for _, *known in self._rows("requests", "id = ?", name):
            return Known(*known)
        return None

    def challenge(self, name: str) -> Challenge | None:
        which, key = ("number = ? AND id IS NULL", int(name[1:])) if is_own(name) else ("id = ?", name)
        for row in self._rows("challenges", which, key):
            x, answer, score = json.loads(row[3])
            return Challenge(x, answer, score, row)
        return None

    def entries(self, first: int, last: int | None = None) -> Iterator[Entry]:
        """Yield the entries with examples from position `first` to `last`, after checking their digests."""
        cut, last = self.state.cut, self.position if last is None else last
        if first <= cut.position:
            raise BadInput(
                f"{self.name}: the log was cut, and begins at position {cut.position + 1}; read from there"
            )
        with translate_errors(self.path):
            before = self.mark_before(first)
            found = self.db.execute(
                "SELECT * FROM entries WHERE position > ? AND position <= ? ORDER BY position",
                (before.position, last),
            )
            for row in found:
                entry = Entry(*row)
                if entry.position != before.position + 1:
                    raise self._damage_at(before.position + 1, "it is missing")
                try:
                    made = entry.compute_digest(before, self.names, self.labels)
                except TypeError:
                    made = ""
                if made != entry.digest:
                    raise self._damage_at(before.position + 1, "its digest does not match its content")
                before = entry.mark
                if before.position >= first:
                    yield entry
        if before.position < last or (
            before.position == self.position and before.digest != self.state.end.digest
        ):
            raise self._damage_at(before.position + 1, "it is missing")

    def mark_before(self, position: int) -> Mark:
        """Return the `Mark` that precedes the entry with the example at this position."""
        found = self.db.execute(
            "SELECT * FROM entries WHERE position < (SELECT max(position) FROM entries "
            "WHERE position <= ?) ORDER BY position DESC LIMIT 1",
            (position,),
        ).fetchone()
        try:
            return self.state.cut if found is None else Entry(*found).mark
        except TypeError:
            raise self._damage_at(position, "the one before it cannot be read") from None

    def _damage_at(self, position: int, why: str) -> DamagedLog:
        return DamagedLog(
            f"{self.name}: the entry at position {position} is damaged ({why}); restore the log from a "
            f"backup, or keep the examples before it: rosenblatt replay {self.name} --upto {position - 1} "
            "--out MODEL, and begin another log with that model"
        )

    def reader(self) -> Log:
        """Return a read-only log on the same file for use in other threads."""
        twin = Log.__new__(Log)
        vars(twin).update(vars(self), writes=False, _lock=None, _end_file=None)
        twin._db = self._connect(may_write=False)
        return twin

    # ------------------------------------------------------------ snapshots

    def snapshots(self) -> list[Snapshot]:
        """Return the snapshots listed in the log, newest first."""
        with translate_errors(self.path):
            found = self.db.execute("SELECT * FROM snapshots ORDER BY position DESC").fetchall()
        return [Snapshot(*row) for row in found]

    def cut_before(self, position: int) -> None:
        """Delete all entries that end at or before `position`."""
        found = self.db.execute(
            "SELECT * FROM entries WHERE position + n - 1 <= ? ORDER BY position DESC LIMIT 1", (position,)
        ).fetchone()
        if found is None:
            return
        cut = Entry(*found).mark
        self.db.execute("DELETE FROM entries WHERE position <= ?", (cut.position,))
        for table in ("ids", "requests"):
            self.delete(table, self._rows(table, "position < ?", cut.position - REMEMBERED_IDS))
        self.state = self.state._replace(cut=cut)

    def copy_to(self, path: str) -> None:
        """Write a copy of the log and its .end file, as of the moment when this log was opened."""
        with translate_errors(path, writes=True), closing(sqlite3.connect(path)) as target:
            self.db.backup(target)
            # otherwise checking the copy would leave empty -wal and -shm files beside it
            target.execute("PRAGMA journal_mode = DELETE")
        with closing(EndFile(path)) as end:
            end.write(self.state.recorded_end)

    def checkpoint(self) -> None:
        """Move the content of SQLite's write-ahead log into the main file."""
        with translate_errors(self.path, writes=True):
            self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
        if self._end_file is not None:
            self._end_file.close()
        if self._lock is not None:
            self._lock.release()


def is_own(name: str) -> bool:
    """Return whether an id has the form that the service assigns.

    >>> is_own("a17"), is_own("a017"), is_own("mail-17")
    (True, False, False)
    """
    digits = name[1:]
    return name[:1] == "a" and digits.isascii() and digits.isdigit() and digits[0] != "0" and len(name) < 20
