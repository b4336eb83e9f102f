"""Every option of the command line is explained on a page that a person wrote."""

from __future__ import annotations

import re
from pathlib import Path

import click

from rosenblatt.cli.main import main

DOCS = Path(__file__).parents[2] / "docs"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")


def options() -> set[frozenset[str]]:
    """Return the spellings of each option, such as {--offset, --no-offset}."""
    context = click.Context(main)
    commands = [main.get_command(context, name) for name in main.list_commands(context)]
    found = [
        frozenset(name for name in (*option.opts, *option.secondary_opts) if name.startswith("--"))
        for command in commands
        for option in command.params
        if isinstance(option, click.Option)
    ]
    return {spellings for spellings in found if "--help-all" not in spellings}


def missing_options(text: str) -> list[list[str]]:
    mentioned = set(OPTION.findall(text))
    return sorted(sorted(spellings) for spellings in options() if not spellings & mentioned)


def test_every_option_is_on_a_hand_written_page():
    pages = [page for page in DOCS.rglob("*.md") if page != DOCS / "cli.md"]
    assert len(options()) > 70
    assert missing_options("\n".join(page.read_text(encoding="utf-8") for page in pages)) == []


def test_an_option_without_a_word_is_found():
    text = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert missing_options(text) == []
    assert missing_options(text.replace("--no-offset", "").replace("--offset", "")) == [
        ["--no-offset", "--offset"]
    ]
