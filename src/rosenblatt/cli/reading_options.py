"""What every command that reads rows asks about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from rosenblatt.cli.exits import file_must_exist
from rosenblatt.data.sources.files import FORMATS

_FEATURES = [
    click.option("--target", metavar="COLUMN", help="The label's column by name or number; else the last."),
    click.option("--weight", metavar="COLUMN", help="The column that says how much each row counts."),
    click.option("--text", metavar="COLUMNS", help="Columns to take as words, with commas between them."),
    click.option("--categories", metavar="COLUMNS", help="Columns to take as categories, numbers too."),
    click.option("--leave-out", metavar="COLUMNS", help="Columns to leave out."),
    click.option(
        "--missing", type=click.Choice(["error", "zero", "drop"]), default="error", show_default=True,
        help="What a missing value does: stop, count as 0, or drop its row.",
    ),
    click.option(
        "--bits", type=click.IntRange(1, 30), default=18, show_default=True,
        help="Names, words and categories are hashed into 2^BITS features.",
    ),
    click.option(
        "--header/--no-header", default=None, help="Whether csv text begins with names; else found out."
    ),
    click.option(
        "--first-index", type=click.IntRange(0, 1), help="Where svmlight indices begin; else found out."
    ),
]  # fmt: skip

_FILE = [
    click.option("--format", "file_format", type=click.Choice(FORMATS), help="Else it is found out."),
    click.option(
        "--skip-bad", type=click.IntRange(0), default=0, metavar="N", show_default=True,
        help="Pass over up to N bad lines, and count them.",
    ),
    click.option("--jobs", type=int, metavar="N", help="Threads that parse; else one for each core."),
]  # fmt: skip


def with_features(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a command that decides how rows become features."""
    for option in reversed([*_FEATURES, *_FILE]):
        command = option(command)
    return command


def with_rows(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a command whose model knows how rows become features."""
    for option in reversed(_FILE):
        command = option(command)
    return command


def open_rows(path: str | tuple[str, ...], options: dict[str, Any], **more: Any) -> Any:
    """The source that the options mean. "-" is standard input."""
    from rosenblatt.data.sources.reading import read

    listed: dict[str, Any] = {
        name: [part for part in (options.get(name) or "").split(",") if part]
        for name in ("text", "categories", "leave_out")
        if name in options
    }
    kept = {
        name: options[name]
        for name in ("target", "weight", "missing", "bits", "first_index", "skip_bad", "header")
        if name in options
    }
    if options.get("jobs") == 0:
        raise click.UsageError("--jobs: expected a number of threads, or -1 for one for each core")
    paths = [path] if isinstance(path, str) else list(path)
    for each in paths:
        if not any(letter in each for letter in "*?["):
            file_must_exist(each)
    return read(paths, options.get("file_format"), n_jobs=options.get("jobs"), **kept, **listed, **more)
