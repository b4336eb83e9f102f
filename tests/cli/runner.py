"""Run commands of rosenblatt in this process."""

from __future__ import annotations

from typing import Any

from click.testing import CliRunner, Result

from rosenblatt.cli.main import main


def run_command(*words: Any, **options: Any) -> Result:
    """Return what a command printed and its exit code; a traceback fails the test."""
    result = CliRunner().invoke(main, [str(word) for word in words], **options)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(f"a traceback: {result.exception!r}") from result.exception
    return result


def succeed(*words: Any, **options: Any) -> Result:
    """Return what a command printed that must succeed."""
    result = run_command(*words, **options)
    assert result.exit_code == 0, result.output
    return result
