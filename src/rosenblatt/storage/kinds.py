"""What kind of model a file holds, and how it gets there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rosenblatt.errors import BadInput
from rosenblatt.storage.container import Path, naming, read, write
from rosenblatt.storage.fields import Schema, encode
from rosenblatt.storage.sections import Draft, Section
from rosenblatt.version import __version__


def save_as(kind: str, schema: Schema, record: Any, path: Path) -> None:
    """Write a record to a file, or leave what was there as it was."""
    draft = Draft()
    draft["kind"], draft["written_by"] = kind, f"rosenblatt {__version__}"  # by whom, is for people
    encode(draft, schema, record)
    write(path, draft.arrays, draft.document)


def load_as(kinds: dict[str, Callable[[Section], Any]], path: Path) -> Any:
    """What a file holds. Nothing in it is run, and everything is checked."""
    arrays, document = read(path)
    with naming(path):
        section = Section(document, arrays)
        if len(kinds) == 1 and (found := section.text("kind")) not in kinds:
            (kind,) = kinds
            raise BadInput(f"holds a {found[:80]!r}, expected a {kind!r}; rosenblatt.load reads every kind")
        return kinds[section.text("kind", kinds)](section)
