"""The rows of a log and their digests.

Each entry has a SHA-256 digest of its content, its new names and labels, and the digest of the entry before
it. The `State` contains the digest of the last entry, and the sum of the digests of all rows of the other
tables.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

COLUMNS = {
    "names": ("number", "name"),
    "labels": ("number", "label"),
    "ids": ("id", "position", "label", "content"),
    "requests": ("id", "position", "n", "content"),
    "challenges": ("number", "id", "learned", "content"),
    "snapshots": ("position", "file", "at", "statistics"),
}
"""The columns of each table whose rows enter the digest sum; the first column is the key."""

MODULUS = 1 << 256

Row = Sequence[Any]


class Mark(NamedTuple):
    """A place between two entries; the next entry's digest depends on all of its fields."""

    position: int = 0  # of the last example before this place
    digest: str = ""
    n_names: int = 0
    n_labels: int = 0


class End(NamedTuple):
    """The last transaction: its number, the number of examples, and the digest of the state."""

    transactions: int
    position: int
    digest: str

    def as_bytes(self) -> bytes:
        """Return the content of the .end file, of constant length and with a checksum.

        >>> End.parse(End(3, 12, "0f").as_bytes()), End.parse(b"damaged")
        (End(transactions=3, position=12, digest='0f'), None)
        """
        text = f"{self.transactions:020d} {self.position:020d} {self.digest}"
        return f"{text} {sha256(text.encode()).hexdigest()[:16]}\n".encode()

    @staticmethod
    def parse(content: bytes) -> End | None:
        """Return the record in the content of an .end file, or None if it is invalid."""
        parts = content.split(b" ")
        if len(parts) != 4 or not (parts[0].isdigit() and parts[1].isdigit()):
            return None
        found = End(int(parts[0]), int(parts[1]), parts[2].decode("latin-1"))
        return found if found.as_bytes() == content else None


class State(NamedTuple):
    """The current state of a log, written in every transaction."""

    transactions: int = 0
    end: Mark = Mark()
    cut: Mark = Mark()  # entries before this mark were deleted
    at: float = 0.0  # the time of the last entry
    challenges: int = 0  # the highest challenge number
    began: float = 0.0
    model: str = ""  # fingerprint of the model with which the log begins
    rows: int = 0  # the sum of the digests of all rows except those of `entries`

    def as_text(self) -> str:
        """Return the state as JSON, preceded by its digest.

        >>> State.parse(State(7, model="m").as_text()) == State(7, model="m")
        True
        """
        text = json.dumps([*self[:-1], f"{self.rows:064x}"], separators=(",", ":"))
        return f"{sha256(text.encode()).hexdigest()} {text}"

    @property
    def recorded_end(self) -> End:
        """Content of the .end file."""
        return End(self.transactions, self.end.position, self.as_text()[:64])

    @staticmethod
    def parse(text: str) -> State:
        digest, _, content = text.partition(" ")
        if sha256(content.encode()).hexdigest() != digest:
            raise ValueError("the digest does not match the content")
        transactions, end, cut, at, challenges, began, model, rows = json.loads(content)
        return State(transactions, Mark(*end), Mark(*cut), at, challenges, began, model, int(rows, 16))


class Entry(NamedTuple):
    """The examples of one transaction: the first position, number of examples, time and bytes.

    n_names, n_labels: the number of features and labels known after the entry. notes: ids, and answers
    given before the labels were known, as JSON.
    """

    position: int
    n: int
    at: float
    n_names: int
    n_labels: int
    body: bytes
    notes: str | None
    digest: str

    @property
    def mark(self) -> Mark:
        """Mark after the entry."""
        return Mark(self.position + self.n - 1, self.digest, self.n_names, self.n_labels)

    def parse_notes(self) -> dict[str, Any]:
        return json.loads(self.notes) if self.notes else {}

    def compute_digest(self, before: Mark, names: Sequence[str], labels: Sequence[Any]) -> str:
        """Return the digest of the entry, given the mark before it and all names and labels of the log."""
        new = names[before.n_names : self.n_names], labels[before.n_labels : self.n_labels]
        head = json.dumps([before.digest, *self[:5], *new, self.notes])
        digest = sha256(head.encode())
        digest.update(self.body)
        return digest.hexdigest()


class Known(NamedTuple):
    """An example or a request in the log: its first position, a value, and a digest of its content.

    The value is the label of an example, or the number of examples of a request.
    """

    position: int
    value: Any
    content: str


class Challenge(NamedTuple):
    """An example that was answered and whose label is not known yet."""

    x: Any
    answer: Any
    score: Any
    row: tuple[Any, ...]


class Snapshot(NamedTuple):
    """A model file, and the number of examples that the model had learned."""

    position: int
    file: str
    at: float
    statistics: str


def row_sum(table: str, rows: Sequence[Row]) -> int:
    """Return the sum of the SHA-256 digests of rows, which does not depend on the order of the rows."""
    return sum(int.from_bytes(sha256(repr((table, *row)).encode()).digest(), "big") for row in rows)
