"""What kind of model a file holds."""

from __future__ import annotations

from rosenblatt.errors import BadInput
from rosenblatt.storage.sections import Draft, Section
from rosenblatt.version import __version__


def new_draft(kind: str) -> Draft:
    """The beginning of every document. By whom it was written is for people: no reader asks."""
    draft = Draft()
    draft["kind"], draft["written_by"] = kind, f"rosenblatt {__version__}"
    return draft


def expect_kind(section: Section, kind: str) -> None:
    found = section.text("kind")
    if found != kind:
        raise BadInput(f"holds a {found[:80]!r}, expected a {kind!r}; rosenblatt.load reads every kind")
