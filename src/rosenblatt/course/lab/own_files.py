"""The user's own files: kept in memory while the lab runs, written to disk only while they are read."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from rosenblatt.course.lab.latest import Latest
from rosenblatt.data.sources.files import is_packed
from rosenblatt.errors import BadInput

KEPT_FILES = 3
LONGEST_NAME = 80
EXAMPLE = "flowers.csv"
TEXTS = (".csv", ".tsv", ".txt", ".data")
ZIP = b"PK\x03\x04"


class OwnFile(NamedTuple):
    """Hold a file that was dropped on the page; states refer to it by `token` (empty for the example)."""

    name: str
    content: bytes
    token: str = ""


_kept: Latest[OwnFile] = Latest(KEPT_FILES)


def keep(name: str, content: bytes) -> OwnFile:
    """Store a file and return it with its token.

    The token is a digest of name and content, so links work again after the same file has been dropped
    again.
    """
    tidy = re.sub(r"[^\w. -]", "_", name)[-LONGEST_NAME:].strip(" .") or "data.csv"
    if not content:
        raise BadInput(f"{tidy}: the file is empty; give one with at least one row")
    token = hashlib.sha256(tidy.encode() + b"\0" + content).hexdigest()[:16]
    file = OwnFile(tidy, content, token)
    _kept.put(token, file)
    return file


def stored_file(token: str) -> OwnFile:
    """Return the file with this token; an empty token means the example file."""
    if not token:
        example = resources.files("rosenblatt.course.lab").joinpath("examples", EXAMPLE)
        return OwnFile(EXAMPLE, example.read_bytes())
    file = _kept.get(token)
    if file is None:
        raise BadInput(
            "file: the lab no longer has this file: it stores the last few files, and only while it runs; "
            "load the file again"
        )
    return file


@contextmanager
def on_disk(file: OwnFile) -> Iterator[str]:
    """Write the file to a private folder, yield its path, and delete the folder afterwards.

    Error messages contain the original name of the file instead of this path.
    """
    with tempfile.TemporaryDirectory(prefix="rosenblatt-lab-") as folder:
        path = Path(folder, file.name if file.name.lower().endswith(TEXTS) else f"{file.name}.csv")
        path.write_bytes(file.content)
        try:
            if is_packed(str(path)) or file.content.startswith(ZIP):
                raise BadInput(f"{file.name}: is compressed, and this page takes plain text; decompress it")
            yield str(path)
        except BadInput as error:
            raise BadInput(str(error).replace(f"{folder}{os.sep}", "")) from error
