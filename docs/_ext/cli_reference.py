"""Generate docs/cli.md from the help of all commands (``make cli-reference``)."""

from __future__ import annotations

import click

from rosenblatt.cli import exits
from rosenblatt.cli.main import main
from rosenblatt.cli.option_groups import show_all

WIDTH = 96

EXITS = {
    exits.YES: "success; for `separate`: separable; for `verify`: the proof is valid",
    exits.NO: "`separate`: not separable; `verify`: the proof is not valid",
    exits.UNDECIDED: "`separate`: not decided within the time limit; `verify`: the proof is valid but "
    "does not decide separability",
    exits.BAD_USE: "incorrect usage of a command",
    exits.BAD_DATA: "a file that cannot be used; the message names the line, the problem and the remedy",
    exits.NO_FILE: "a file that does not exist",
    exits.NO_CLUSTER: "the connection to the Dask cluster was lost; `fit` has written a checkpoint",
    exits.NO_MEMORY: "not enough memory",
    exits.CANNOT_WRITE: "a file that cannot be written; an existing file is unchanged",
    exits.INTERRUPTED: "Ctrl-C or SIGTERM; `fit` has written a checkpoint and printed how to resume",
    exits.HAD_ENOUGH: "the program that reads standard output, such as `head`, has closed it",
}

PREFACE = """# The command line

This page is generated from `--help-all` by `make cli-reference`; a test compares them.

`rosenblatt COMMAND --help` shows the common options of a command, `--help-all` shows all options. Input
files may be compressed (.gz, .bz2, .xz, .zst); `-` is standard input. Results go to standard output;
progress and warnings go to standard error.

## Completion

To enable completion of commands, options and file names, add the line for your shell to its start-up file:

    eval "$(_ROSENBLATT_COMPLETE=bash_source rosenblatt)"    # in ~/.bashrc
    eval "$(_ROSENBLATT_COMPLETE=zsh_source rosenblatt)"     # in ~/.zshrc
    _ROSENBLATT_COMPLETE=fish_source rosenblatt | source     # in ~/.config/fish/completions/rosenblatt.fish

## Exit codes

| code | meaning |
|---|---|
"""


def reference() -> str:
    """Return the complete page as Markdown."""
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
    show_all(context)
    text = command.get_help(context)
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


if __name__ == "__main__":
    click.echo(reference(), nl=False)
