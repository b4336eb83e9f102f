"""The log: what was learned, in order, on the disk before anybody is told so. SQLite in WAL mode.

An entry holds the examples of one commit; its position is the number of its first example, counted from 1.
Feature names and labels stand in tables of their own and have numbers in the order in which they came, so
an entry is a few arrays. Each entry has a digest of itself and the digest before it: what was changed or
lost is found when it is read. Beside the entries there are the ids that clients gave, the challenges that
wait for their labels, and which snapshots there are. One process writes; others may read.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any, NamedTuple
from urllib.parse import quote

from rosenblatt.errors import BadInput
from rosenblatt.serve.lock import Lock
from rosenblatt.serve.statements import Statements, in_sentences

FORMAT = 1
DURABILITIES = {"full": "FULL", "normal": "NORMAL"}
MOST_CHALLENGES = 1_000_000
FORGOTTEN_AT_ONCE = 1_000
REMEMBERED_IDS = 1_000_000  # of examples that were cut off

TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE entries (
    position INTEGER PRIMARY KEY, n INTEGER NOT NULL, at REAL NOT NULL, n_names INTEGER NOT NULL,
    body BLOB NOT NULL, notes TEXT, digest BLOB NOT NULL);
CREATE TABLE names (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE labels (number INTEGER PRIMARY KEY, label TEXT NOT NULL);
CREATE TABLE ids (id TEXT PRIMARY KEY, position INTEGER NOT NULL, label INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE requests (id TEXT PRIMARY KEY, position INTEGER NOT NULL, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE challenges (
    number INTEGER PRIMARY KEY, id TEXT, at REAL NOT NULL, learned INTEGER NOT NULL, told TEXT NOT NULL);
CREATE UNIQUE INDEX challenge_ids ON challenges (id) WHERE id IS NOT NULL;
CREATE TABLE snapshots (
    position INTEGER PRIMARY KEY, file TEXT NOT NULL, at REAL NOT NULL, statistics TEXT NOT NULL);
"""


class Entry(NamedTuple):
    """Some examples: where the first of them stands, how many, when, their bytes. notes: ids, and answers
    that were given. n_names: how many features had names after it."""

    position: int
    n: int
    at: float
    n_names: int
    body: bytes
    notes: str | None
    digest: bytes

    def told(self) -> dict[str, Any]:
        return json.loads(self.notes) if self.notes else {}


class Challenge(NamedTuple):
    """What was asked and answered, and waits for its label."""

    id: str
    learned: int
    x: Any
    answer: Any
    score: Any


class Snapshot(NamedTuple):
    """A model file, and how many examples it has learned."""

    position: int
    file: str
    at: float
    statistics: str


class Log:
    """A log, opened to write (by one process) or to read."""

    def __init__(self, path: str, durability: str = "full", writes: bool = True) -> None:
        self.path, self.writes = os.path.realpath(path), writes
        self.name = os.path.basename(path)
        self.names: list[str] = []
        self.labels: list[Any] = []
        self.position, self.last_at, self.digest, self._n_names, self.cut_at = 0, 0.0, b"", 0, 0
        self._numbers: dict[tuple[type, Any], int] = {}
        self._challenges = 0  # numbers that were given to challenges
        self._writes = Statements()  # of the transaction
        self._entry: tuple[Any, list[str]] | None = None  # that it adds, and the names that are new in it
        is_new = not os.path.exists(self.path) or not os.path.getsize(self.path)
        if is_new and not writes:
            raise BadInput(f"{path}: there is no such log; check its name")
        self._lock = Lock(self.path + ".lock", self.path) if writes else None
        try:
            self._open(durability, is_new)
        except BaseException:
            self.close()
            raise

    def _open(self, durability: str, is_new: bool) -> None:
        with in_sentences(self.path):
            target = self.path if self.writes else f"file:{quote(self.path)}?mode=ro"
            self._db = sqlite3.connect(
                target, isolation_level=None, check_same_thread=False, uri=not self.writes
            )
            self._db.execute("PRAGMA trusted_schema = OFF")
            if self.writes:
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute(f"PRAGMA synchronous = {DURABILITIES[durability]}")
                self._db.execute("PRAGMA wal_autocheckpoint = 8000")  # 32 MB
            if is_new:
                with self.transaction():
                    for statement in filter(None, TABLES.split(";\n")):
                        self._writes.add(statement)
                    self.set_fact("format", FORMAT)
                    self.set_fact("began", time.time())
            if self.fact("format") != FORMAT:
                raise BadInput(
                    f"{self.path}: is no log of this version (format {self.fact('format')!r}, expected "
                    f"{FORMAT}); use the version of rosenblatt that wrote it"
                )
            self.names = [name for (name,) in self._db.execute("SELECT name FROM names ORDER BY number")]
            told = self._db.execute("SELECT label FROM labels ORDER BY number")
            self.labels = [json.loads(label) for (label,) in told]
            self._numbers = {(type(label), label): k for k, label in enumerate(self.labels)}
            self.cut_at = int(self.fact("cut_at") or 0)  # examples before are in snapshots only
            self._find_end(is_new)

    def _find_end(self, is_new: bool) -> None:
        last = self._db.execute(
            "SELECT position + n - 1, at, digest, n_names FROM entries ORDER BY position DESC LIMIT 1"
        ).fetchone()
        if last is None:
            began = self.fact("cut_digest")
            last = self.cut_at, 0.0, began or b"", self.fact("cut_names") or 0
        self.position, self.last_at, self.digest, self._n_names = last
        (waiting,) = self._db.execute("SELECT max(number) FROM challenges").fetchone()
        # those that were revealed are gone: begin behind the last thousand that was begun
        begun = (int(self.fact("challenges") or 0) // FORGOTTEN_AT_ONCE + 1) * FORGOTTEN_AT_ONCE
        self._challenges = 0 if is_new else max(waiting or 0, begun)

    # ------------------------------------------------------------ facts

    def fact(self, name: str) -> Any:
        found = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if found is None else found[0]

    def set_fact(self, name: str, value: Any) -> None:
        self._writes.add("INSERT OR REPLACE INTO facts VALUES (?, ?)", name, value)

    # ------------------------------------------------------------ writing

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of what is written in it is on the disk at its end, or nothing of it: then `LogFailed`."""
        with self.gathering():
            yield
        self.commit()

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """What is written in it is gathered; `commit` writes it, in whichever thread."""
        self._writes, self._entry = Statements(), None
        end = self.position, self.last_at, self.digest, self._n_names, self._challenges, self.cut_at
        self._before = len(self.names), len(self.labels), end
        try:
            with in_sentences(self.path):
                yield
        except BaseException:
            self._roll_back()
            raise

    def commit(self) -> None:
        try:
            with in_sentences(self.path):
                self._write_entry()
                self._writes.run(self._db)
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")
        names, labels, end = self._before
        del self.names[names:]
        for label in self.labels[labels:]:
            del self._numbers[type(label), label]
        del self.labels[labels:]
        self.position, self.last_at, self.digest, self._n_names, self._challenges, self.cut_at = end

    def now(self) -> float:
        """The time, which does not go back here if a clock does."""
        return max(self.last_at, time.time())

    def number_of(self, label: Any) -> int:
        """The number of a label, in a transaction: a new one gets the next."""
        number = self._numbers.get((type(label), label))
        if number is None:
            number = self._numbers[type(label), label] = len(self.labels)
            self.labels.append(label)
            self._writes.add("INSERT INTO labels VALUES (?, ?)", number, json.dumps(label))
        return number

    def add_names(self, names: Sequence[str]) -> None:
        first = len(self.names)
        self._writes.add_rows("INSERT INTO names VALUES", "(?, ?)", list(enumerate(names, first)))
        self.names.extend(names)

    def add_entry(self, n: int, body: bytes, notes: dict[str, Any] | None = None) -> int:
        """The position of its first example."""
        position, at, n_names = self.position + 1, self.now(), len(self.names)
        text = json.dumps(notes, separators=(",", ":")) if notes else None
        self._entry = (position, n, at, n_names, body, text), self.names[self._n_names :]
        self.position, self.last_at, self._n_names = position + n - 1, at, n_names
        return position

    def _write_entry(self) -> None:
        """With its digest, which is made beside the loop, as the commit is."""
        if self._entry is None:
            return
        (position, n, at, n_names, body, text), names = self._entry
        self.digest = digest = _digest(self.digest, position, n, at, names, body, text)
        self._writes.add(
            "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", position, n, at, n_names, body, text, digest
        )
        self._entry = None

    def add_ids(self, rows: Sequence[tuple[str, int, int]]) -> None:
        self._writes.add_rows("INSERT INTO ids VALUES", "(?, ?, ?)", rows)

    def add_request(self, name: str, position: int, n: int) -> None:
        self._writes.add("INSERT INTO requests VALUES (?, ?, ?)", name, position, n)

    def add_challenges(self, rows: Sequence[tuple[str | None, int, str]]) -> list[str]:
        """Their ids: given, or made here. rows: id or None, examples learned; x, answer, score as JSON."""
        at, first = self.now(), self._challenges + 1
        numbered = [(number, own, at, *rest) for number, (own, *rest) in enumerate(rows, first)]
        self._writes.add_rows("INSERT INTO challenges VALUES", "(?, ?, ?, ?, ?)", numbered)
        self._challenges += len(rows)
        if first % FORGOTTEN_AT_ONCE + len(rows) > FORGOTTEN_AT_ONCE:
            self._writes.add("DELETE FROM challenges WHERE number <= ?", first - MOST_CHALLENGES)
            self.set_fact("challenges", self._challenges)  # should all of them be revealed
        return [f"a{number}" if own is None else own for number, (own, *_) in enumerate(rows, first)]

    def drop_challenges(self, ids: Iterable[str]) -> None:
        for name in ids:
            which, key = _named(name)
            self._writes.add(f"DELETE FROM challenges WHERE {which}", key)

    # ------------------------------------------------------------ looking up

    def position_of(self, name: str) -> tuple[int, Any] | None:
        """Where the example with this id stands, and its label."""
        found = self._db.execute("SELECT position, label FROM ids WHERE id = ?", (name,)).fetchone()
        return None if found is None else (found[0], self.labels[found[1]])

    def request(self, name: str) -> tuple[int, int] | None:
        """Where the examples of a request with this id begin, and how many they are."""
        found = self._db.execute("SELECT position, n FROM requests WHERE id = ?", (name,)).fetchone()
        return None if found is None else (found[0], found[1])

    def challenge(self, name: str) -> Challenge | None:
        which, key = _named(name)
        found = self._db.execute(f"SELECT learned, told FROM challenges WHERE {which}", (key,)).fetchone()
        return None if found is None else Challenge(name, found[0], *json.loads(found[1]))

    @property
    def waiting(self) -> int:
        """How many challenges wait for their labels."""
        return int(self._db.execute("SELECT count(*) FROM challenges").fetchone()[0])

    def entries(self, first: int, last: int | None = None, checked: bool = True) -> Iterator[Entry]:
        """The entries that have examples from `first` on, each held against its digest."""
        if first <= self.cut_at:
            raise BadInput(
                f"{self.name}: the log was cut, and begins at position {self.cut_at + 1}; ask from there"
            )
        with in_sentences(self.path):
            begin = self._db.execute(
                "SELECT position, digest, n_names FROM entries WHERE position < ? "
                "ORDER BY position DESC LIMIT 1", (first,),
            ).fetchone()  # fmt: skip
            behind = self.cut_at, self.fact("cut_digest") or b"", self.fact("cut_names") or 0
            found = self._db.execute(
                "SELECT * FROM entries WHERE position >= ? AND position <= ? ORDER BY position",
                (first if begin is None else begin[0], self.position if last is None else last),
            )  # fmt: skip
            before = None if begin is not None else behind[1:]
            expected = behind[0] + 1 if begin is None else begin[0]
            for row in found:
                entry = Entry(*row)
                if entry.position != expected:
                    raise self._damaged(expected, "it is not there")
                expected += entry.n
                if before is not None and checked:
                    digest, n_names = before
                    made = _digest(digest, *entry[:3], self.names[n_names : entry.n_names], *entry[4:6])
                    if made != entry.digest:
                        raise self._damaged(entry.position, "its digest is not that of its bytes")
                before = entry.digest, entry.n_names
                if expected > first:
                    yield entry

    def entry_before(self, position: int) -> Entry | None:
        found = self._db.execute(
            "SELECT * FROM entries WHERE position < ? ORDER BY position DESC LIMIT 1", (position,)
        ).fetchone()
        return None if found is None else Entry(*found)

    def _damaged(self, position: int, why: str) -> BadInput:
        return BadInput(
            f"{self.name}: the entry at position {position} is damaged ({why}); restore the log from a "
            f"backup, or keep what is before it: rosenblatt replay {self.name} --upto {position - 1} --out "
            "MODEL, and begin another log with that model"
        )

    def reader(self) -> Log:
        """The same log for another thread, which may only read."""
        twin = Log.__new__(Log)
        vars(twin).update(vars(self), writes=False, _lock=None)
        twin._db = sqlite3.connect(
            f"file:{quote(self.path)}?mode=ro", isolation_level=None, check_same_thread=False, uri=True
        )
        return twin

    # ------------------------------------------------------------ snapshots

    def snapshots(self) -> list[Snapshot]:
        """Those there are, the newest first."""
        return [
            Snapshot(*row) for row in self._db.execute("SELECT * FROM snapshots ORDER BY position DESC")
        ]

    def add_snapshot(self, snapshot: Snapshot) -> None:
        self._writes.add("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)", *snapshot)

    def drop_snapshot(self, position: int) -> None:
        self._writes.add("DELETE FROM snapshots WHERE position = ?", position)

    def cut(self, position: int) -> int:
        """Remove the entries whose examples all stand at `position` or before; returns where it begins."""
        last = self._db.execute(
            "SELECT position + n - 1, digest, n_names FROM entries WHERE position + n - 1 <= ? "
            "ORDER BY position DESC LIMIT 1", (position,),
        ).fetchone()  # fmt: skip
        if last is not None:
            self._writes.add("DELETE FROM entries WHERE position <= ?", last[0])
            for name, value in zip(("cut_at", "cut_digest", "cut_names"), last, strict=True):
                self.set_fact(name, value)
            for table in ("ids", "requests"):
                self._writes.add(f"DELETE FROM {table} WHERE position < ?", last[0] - REMEMBERED_IDS)
            self.cut_at = last[0]
        return self.cut_at + 1

    def checkpoint(self) -> None:
        """Bring what stands in the write-ahead file into the log itself."""
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        if hasattr(self, "_db"):
            self._db.close()
        if self._lock is not None:
            self._lock.release()


def _digest(
    before: bytes, position: int, n: int, at: float, names: Sequence[str], body: bytes, notes: str | None
) -> bytes:
    digest = blake2b(before, digest_size=16)
    digest.update(json.dumps([position, n, at, names, notes]).encode())
    digest.update(body)
    return digest.digest()


def _named(name: str) -> tuple[str, int | str]:
    """Which challenge: ids that were made here are numbers with an a before them; those of clients have
    numbers too, but are not called by them."""
    return ("number = ? AND id IS NULL", int(name[1:])) if is_own(name) else ("id = ?", name)


def is_own(name: str) -> bool:
    """Whether an id is of the form that the service gives.

    >>> is_own("a17"), is_own("a017"), is_own("mail-17")
    (True, False, False)
    """
    digits = name[1:]
    return name[:1] == "a" and digits.isascii() and digits.isdigit() and digits[0] != "0" and len(name) < 20
