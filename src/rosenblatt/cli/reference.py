"""The page docs/cli.md, made from what `--help` says (``make cli-reference``)."""

from __future__ import annotations

import click

from rosenblatt.cli import exits
from rosenblatt.cli.main import main

WIDTH = 96

EXITS = {
    exits.YES: "done; or yes, the answer to the question asked",
    exits.NO: "no: `separate` proved that nothing separates the classes, `verify` that a proof is wrong",
    exits.UNDECIDED: "not decided: `separate` ran out of time, or the proof decides nothing (`verify`)",
    exits.BAD_USE: "a command typed wrongly",
    exits.BAD_DATA: "a file that cannot be used: the sentence names the line, the trouble and the remedy",
    exits.NO_FILE: "a file that is not there",
    exits.NO_MEMORY: "not enough memory",
    exits.CANNOT_WRITE: "a file that cannot be written; what was there before is still there",
    exits.INTERRUPTED: "Ctrl-C, or a request to end: `fit` has written a checkpoint and said how to go on",
    exits.HAD_ENOUGH: "whoever reads the answers has had enough, as `head` does",
}

PREFACE = """# The command line

This page is made from `--help` by `make cli-reference`; a test compares them.

Every command explains itself: `rosenblatt COMMAND --help`. Files may be packed (.gz, .bz2, .xz, .zst); `-`
is standard input. Results go to standard output, progress and complaints to standard error.

## Completion

The shell completes commands, options and file names once it is told to:

    eval "$(_ROSENBLATT_COMPLETE=bash_source rosenblatt)"    # in ~/.bashrc
    eval "$(_ROSENBLATT_COMPLETE=zsh_source rosenblatt)"     # in ~/.zshrc
    _ROSENBLATT_COMPLETE=fish_source rosenblatt | source     # in ~/.config/fish/completions/rosenblatt.fish

## Exit codes

| code | meaning |
|---|---|
"""


def reference() -> str:
    """The whole page."""
    codes = "\n".join(f"| {code} | {meaning} |" for code, meaning in EXITS.items())
    pages = [f"## rosenblatt\n\n{_help(main, 'rosenblatt')}"]
    for name in sorted(main.commands):
        pages.append(f"## rosenblatt {name}\n\n{_help(main.commands[name], f'rosenblatt {name}')}")
    return PREFACE + codes + "\n\n" + "\n\n".join(pages) + "\n"


def _help(command: click.Command, name: str) -> str:
    context = click.Context(
        command, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH,
        help_option_names=["-h", "--help"],
    )  # fmt: skip
    text = command.get_help(context)
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


if __name__ == "__main__":
    click.echo(reference(), nl=False)
