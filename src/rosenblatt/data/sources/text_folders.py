"""Text files in folders named after their classes: mails/ham/1.txt, mails/spam/2.txt.

Each file is one row: the column "text" holds its text, the column "label" the name of its folder. Files
that are not UTF-8 are read as Latin-1 and counted.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from rosenblatt.data.sources.archives import on_disk
from rosenblatt.data.sources.arrow_source import fields_of
from rosenblatt.data.sources.class_folders import FORMAT, ListedText
from rosenblatt.data.sources.field_roles import BY_FORMAT, FEATURES, LABEL, TEXT
from rosenblatt.data.sources.files import OF_OTHERS, open_file, reading_errors
from rosenblatt.data.sources.source import Part, RowSource
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.data.sources.unchanged import change_error
from rosenblatt.errors import BadInput, counted

if TYPE_CHECKING:
    from rosenblatt.data.sources.reading import Options

TEXT_COLUMN, LABEL_COLUMN = "text", "label"
PART_FILES, PART_BYTES = 256, 1 << 21
"""Largest number of files that are read together, and approximately their largest number of bytes."""


def open_folder(
    name: str,
    files: Sequence[ListedText],
    options: Options,
    like: Mapping[str, Any] | None,
    n_threads: int,
    skip_bad: int | None,
) -> RowSource:
    """Return the rows of the files."""
    if like is not None and "columns" in like:
        known = fields_of(None, options, like, name)
        assert isinstance(known, FieldFeatures)
        needed = [column for column, role in known.columns if role in FEATURES]
        if len(needed) != 1 or not known.names(TEXT):
            raise BadInput(
                f"{name}: is a folder of texts, but the model was trained on the columns "
                f"{', '.join(needed)[:80]}; give a table"
            )
        label = next(iter(known.names(LABEL)), LABEL_COLUMN)
        folder = Folder(name, files, options.charset, needed[0], label)
        return RowSource([folder], known, n_threads, skip_bad)
    if options.target is not None and like is None:
        raise BadInput(f"{name}: target: the folders name the classes; leave it out")
    folder = Folder(name, files, options.charset, TEXT_COLUMN, LABEL_COLUMN)
    options = replace(options, target=LABEL_COLUMN, text=[TEXT_COLUMN], weight=None)
    columns = fields_of(folder.batch(0), options, None, name)
    assert isinstance(columns, FieldFeatures)
    columns = replace(columns, reasons=dict.fromkeys(columns.reasons, BY_FORMAT))
    return RowSource([folder], columns, n_threads, skip_bad)


class Folder:
    """Hold text files; each part has some of them."""

    comes_once = False

    def __init__(
        self, name: str, files: Sequence[ListedText], charset: str | None, text: str, label: str
    ) -> None:
        self.name, self._files, self._charset = name, list(files), charset
        self._parts = list(_parts_of(self._files))
        self._as_latin: set[str] = set()
        self._text, self._label = text, label

    @property
    def n_bytes(self) -> int:
        return sum(file.size for file in self._files)

    @property
    def n_parts(self) -> int:
        return len(self._parts)

    @property
    def notes(self) -> list[str]:
        """Return notes about files that were read as Latin-1."""
        if not self._as_latin:
            return []
        n, first = len(self._as_latin), min(self._as_latin)
        which = counted(n, "file")
        return [f"{which} of {len(self._files):,} not in UTF-8 and read as Latin-1, such as {first}"]

    def settings(self) -> dict[str, Any]:
        return {"format": FORMAT}

    def fingerprint(self) -> str:
        """Return a value that changes when a file changes."""
        digest = hashlib.sha256()
        for path in dict.fromkeys(on_disk(file.path) for file in self._files):
            stat = os.stat(path)
            digest.update(f"{os.path.abspath(path)}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
        return f"{self.name} {digest.hexdigest()}"

    def check_unchanged(self) -> None:
        """Do nothing: `_read` checks each file."""

    def part(self, number: int, columns: Any) -> Part:
        """Return the texts of a part; the place of a row is its file."""
        return Part(self.batch(number), lambda bad: self._parts[number][bad.line].path, self.name)

    def batch(self, number: int) -> Any:
        """Return the texts of a part and their labels."""
        part = self._parts[number]
        texts = pa.array([self._read(file) for file in part], pa.large_string())
        batch = {self._text: texts}
        if any(file.label is not None for file in part):
            batch[self._label] = pa.array([file.label for file in part], pa.string()).dictionary_encode()
        return pa.record_batch(batch)

    def _read(self, file: ListedText) -> str:
        with open_file(file.path, self._charset) as opened_file, reading_errors(file.path):
            content = opened_file.read()
        if not self._charset and on_disk(file.path) == file.path and file.size > len(content):
            raise change_error(file.path)
        if b"\0" in content[:1024] or (kind := _not_text(content)):
            kind = "no text" if b"\0" in content[:1024] else kind
            raise BadInput(
                f"{file.path}: is {kind}; remove it from the folder, whose files are read as texts"
            )
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError:
            self._as_latin.add(file.path)
            return content.decode("latin-1")


def _not_text(content: bytes) -> str | None:
    return next((kind for magic, kind in OF_OTHERS.items() if content.startswith(magic)), None)


def _parts_of(files: Sequence[ListedText]) -> Iterator[list[ListedText]]:
    part: list[ListedText] = []
    size = 0
    for file in files:
        part.append(file)
        size += file.size
        if len(part) == PART_FILES or size >= PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part
