"""Texts in files of their own, in folders named after their classes: mails/ham/1.txt, mails/spam/2.txt.

A text is one row: the column "text" has the file, the column "label" the name of its folder. Files are
UTF-8; one that is not is taken for Latin-1, and counted.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from rosenblatt.data.sources.archives import is_archive, members, on_disk
from rosenblatt.data.sources.arrow_source import fields_of, with_statistics
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.data.sources.field_roles import FEATURES, LABEL, TEXT
from rosenblatt.data.sources.files import EXTENSIONS, OF_OTHERS, extension_of, opened, reading_errors
from rosenblatt.data.sources.source import ahead
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.data.sources.unchanged import changed
from rosenblatt.errors import BadInput, counted

if TYPE_CHECKING:
    from rosenblatt.data.sources.reading import Options

FORMAT = "texts"
TEXT_COLUMN, LABEL_COLUMN = "text", "label"
PART_FILES, PART_BYTES = 256, 1 << 21
"""Files that are read together, at most, and about how many bytes they have."""


class TextFile(NamedTuple):
    """A text, the folder it is in (None: it has no class), and its bytes."""

    path: str
    label: str | None
    size: int


def texts_of(paths: Sequence[str], labelled: bool, like: Mapping[str, Any] | None) -> list[TextFile] | None:
    """The texts that paths mean; None where they mean something else."""
    likely = like is not None and like.get("format") == FORMAT
    if len(paths) == 1 and (os.path.isdir(paths[0]) or is_archive(paths[0])):
        return _in_folder(paths[0], labelled, likely)
    if len(paths) > 1 and all(os.path.isdir(path) for path in paths):  # mails/* is mails/ham mails/spam
        classes = {os.path.basename(os.path.normpath(path)): list(_files_below(path)) for path in paths}
        are_named = len(classes) == len(paths) and all(classes.values())
        return _by_class(classes, labelled) if are_named and _are_texts(classes) else None
    if likely and paths and all(extension_of(path) not in EXTENSIONS for path in paths):
        from rosenblatt.data.sources.files import found

        files = [file for path in paths for file in found(path)]
        return [TextFile(file, None, _size(file)) for file in files]
    return None


def _in_folder(folder: str, labelled: bool, likely: bool) -> list[TextFile] | None:
    files = members(folder) if is_archive(folder) else list(_files_below(folder))
    depth = _common_depth(files, folder)
    classes: dict[str | None, list[str]] = {}
    for file in files:
        inner = os.path.relpath(file, folder).split(os.sep)[depth:]
        classes.setdefault(inner[0] if len(inner) > 1 else None, []).append(file)
    own = classes.pop(None, [])
    if likely and not classes and not labelled:
        return [TextFile(file, None, _size(file)) for file in own]
    if len(classes) < (1 if likely else 2) or not _are_texts(classes):
        return None
    if not likely and any(extension_of(file) in EXTENSIONS for file in own):
        return None
    return _by_class({str(label): some for label, some in classes.items()}, labelled)


def _are_texts(classes: Mapping[Any, list[str]]) -> bool:
    return all(extension_of(file) not in EXTENSIONS for some in classes.values() for file in some)


def _by_class(classes: Mapping[str, list[str]], labelled: bool) -> list[TextFile]:
    found = [
        # rows of all classes side by side, as they would come in life; in order where nobody learns
        (((place + 0.5) / len(some)) if labelled else 0.0, TextFile(file, label, _size(file)))
        for label, some in sorted(classes.items())
        for place, file in enumerate(some)
    ]
    return [file for _, file in sorted(found, key=lambda each: each[0])]


def _files_below(folder: str) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        yield from (os.path.join(place, name) for name in sorted(files) if not name.startswith((".", "_")))


def _common_depth(files: Sequence[str], folder: str) -> int:
    """How many folders within this one all files are in: an archive often has one folder for all."""
    if not is_archive(folder):
        return 0
    inner = [os.path.relpath(os.path.dirname(file), folder).split(os.sep) for file in files]
    depth = 0
    while all(len(each) > depth + 1 for each in inner) and len({each[depth] for each in inner}) == 1:
        depth += 1
    return depth


def _size(path: str) -> int:
    return os.path.getsize(path) if on_disk(path) == path else 0


class TextFolder:
    """Texts as a source: chunks of some files, read and parsed by threads."""

    n_bad = n_dropped = 0
    comes_once = False

    def __init__(
        self, name: str, files: Sequence[TextFile], options: Options, like: Mapping[str, Any] | None,
        n_threads: int, charset: str | None,
    ) -> None:  # fmt: skip
        if options.target is not None and like is None:
            raise BadInput(f"{name}: target: the folders name the classes; leave it out")
        self.name, self._files, self._charset, self._n_threads = name, list(files), charset, n_threads
        self._parts = list(_parts_of(self._files))
        self._as_latin: set[str] = set()
        self._text, self._label = TEXT_COLUMN, LABEL_COLUMN
        if like is not None and "columns" in like:
            known = fields_of(None, options, like, name)
            assert isinstance(known, FieldFeatures)
            needed = [column for column, role in known.columns if role in FEATURES]
            if len(needed) != 1 or not known.names(TEXT):
                raise BadInput(
                    f"{name}: is a folder of texts, but the model was learned from the columns "
                    f"{', '.join(needed)[:80]}; give a table"
                )
            (self._text,) = needed
            self._label = next(iter(known.names(LABEL)), LABEL_COLUMN)
            self._columns = known
        else:
            asked = {**options.asked, "target": LABEL_COLUMN, "text": [TEXT_COLUMN], "weight": None}
            settled = fields_of(self._batch(self._parts[0]), replace(options, asked=asked), None, name)
            assert isinstance(settled, FieldFeatures)
            self._columns = settled

    @property
    def n_bytes(self) -> int:
        return sum(file.size for file in self._files)

    @property
    def n_parts(self) -> int:
        return len(self._parts)

    @property
    def columns(self) -> FieldFeatures:
        """What each column is."""
        return self._columns

    @property
    def notes(self) -> list[str]:
        """What was taken for something that it does not say itself."""
        if not self._as_latin:
            return []
        n, first = len(self._as_latin), min(self._as_latin)
        which = counted(n, "file")
        return [f"{which} of {len(self._files):,} not in UTF-8, read as Latin-1, such as {first}"]

    def settings(self) -> dict[str, Any]:
        return {"format": FORMAT, **self._columns.settings()}

    def fingerprint(self) -> list[Any]:
        """What changes when a file does."""
        digest = hashlib.sha256()
        for path in dict.fromkeys(on_disk(file.path) for file in self._files):
            stat = os.stat(path)
            digest.update(f"{os.path.abspath(path)}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
        return [self.name, digest.hexdigest()]

    def learn_statistics(self) -> None:
        """One reading of all texts, where their features need it."""
        columns = with_statistics(self._columns, self.tables, self.name)
        assert isinstance(columns, FieldFeatures)
        self._columns = columns

    def __iter__(self) -> Iterator[Chunk]:
        return self.chunks()

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """The chunks in the order given, without the first `skip` of them."""
        return self._done(
            lambda part: self._columns.chunk(self._batch(part), self.name),
            [self._parts[k] for k in (range(self.n_parts) if order is None else order)[skip:]],
        )

    def tables(self) -> Iterator[Any]:
        """The texts and their labels, part after part."""
        return self._done(self._batch, self._parts)

    def _done(self, job: Callable[[list[TextFile]], Any], parts: Sequence[list[TextFile]]) -> Iterator[Any]:
        return ahead(parts, job, self._n_threads, 2 * self._n_threads)

    def _batch(self, part: Sequence[TextFile]) -> Any:
        texts = pa.array([self._read(file) for file in part], pa.large_string())
        batch = {self._text: texts}
        if any(file.label is not None for file in part):
            batch[self._label] = pa.array([file.label for file in part], pa.string()).dictionary_encode()
        return pa.record_batch(batch)

    def _read(self, file: TextFile) -> str:
        with opened(file.path, self._charset) as opened_file, reading_errors(file.path):
            content = opened_file.read()
        if not self._charset and on_disk(file.path) == file.path and file.size > len(content):
            raise changed(file.path)
        if b"\0" in content[:1024] or (kind := _not_text(content)):
            kind = "no text" if b"\0" in content[:1024] else kind
            raise BadInput(f"{file.path}: is {kind}; take it out of the folder, which is read as texts")
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError:
            self._as_latin.add(file.path)
            return content.decode("latin-1")


def _not_text(content: bytes) -> str | None:
    return next((kind for magic, kind in OF_OTHERS.items() if content.startswith(magic)), None)


def _parts_of(files: Sequence[TextFile]) -> Iterator[list[TextFile]]:
    part: list[TextFile] = []
    size = 0
    for file in files:
        part.append(file)
        size += file.size
        if len(part) == PART_FILES or size >= PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part
