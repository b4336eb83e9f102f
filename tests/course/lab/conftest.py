"""The same in Python: what a chapter's text leaves behind, and whether it is what the page shows."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from rosenblatt.course.lab import proofs, uploaded_tables
from rosenblatt.course.lab.chapters import Answer, Chapter, data, multiclass, sure, training_steps, xor


@pytest.fixture(autouse=True)
def _proofs_may_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Extend the time limits of the proofs, because other programs may slow the tests down."""
    monkeypatch.setattr(proofs, "TIME_LIMIT", 60.0)
    for module in (uploaded_tables, data, xor, multiclass, training_steps, sure):
        monkeypatch.setattr(module, "PATIENCE", 60.0)


def _without_numpy(value: Any) -> Any:
    """The same value in lists and numbers: a text may keep arrays, the page cannot."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, dict):
        return {name: _without_numpy(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_without_numpy(part) for part in value)
    return value


@pytest.fixture(scope="session")
def ran() -> Callable[[str], dict[str, Any]]:
    """ran(text): the names that a text leaves behind, run as a reader would."""

    def names_left_by(text: str) -> dict[str, Any]:
        names: dict[str, Any] = {}
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(text, "the same in Python", "exec", dont_inherit=True), names)
        assert printed.getvalue().strip(), "a text ends with something to read"
        return names

    return names_left_by


@pytest.fixture(scope="session")
def same_in_python(ran: Callable[[str], dict[str, Any]]) -> Callable[..., Answer]:
    """same_in_python(chapter, changes): the answer, once its text has given each of its numbers."""

    def compare(chapter: Chapter, changes: Mapping[str, Any] | None = None) -> Answer:
        answer = chapter.answer(changes)
        names = ran(answer.python)
        for name, number in answer.numbers.items():
            assert _without_numpy(names[name]) == number, name
        return answer

    return compare
