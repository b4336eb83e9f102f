"""Exit codes of all commands.

0 and 1 stand for the answers yes and no, and 2 for undecided. From 64 on, the command has failed: 64 wrong
usage, 65 a file that cannot be used, 66 a missing file, 69 a lost cluster, 71 not enough memory, 73 a file
that cannot be written, 130 Ctrl-C, 141 a closed standard output.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import click

from rosenblatt.errors import BadInput

YES, NO, UNDECIDED = 0, 1, 2
BAD_USE, BAD_DATA, NO_FILE, NO_CLUSTER, NO_MEMORY, CANNOT_WRITE = 64, 65, 66, 69, 71, 73
INTERRUPTED, HAD_ENOUGH = 130, 141


class Commands(click.Group):
    """A group of commands that turns exceptions into one-line messages and exit codes."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List all commands, each with its complete first sentence."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(limit=200)) for name, each in found if each])

    # click declares overloads of `main` that no single signature matches
    def main(self, args: Any = None, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        if not standalone_mode:
            return super().main(args=args, standalone_mode=False, **extra)
        try:
            code = super().main(args=args, standalone_mode=False, **extra)
        except click.UsageError as error:
            error.show()
            code = BAD_USE
        except click.FileError as error:
            error.show()
            code = CANNOT_WRITE
        except OSError as error:
            click.echo(f"Error: {error.filename or 'standard output'}: {error.strerror or error}", err=True)
            code = CANNOT_WRITE
        except click.Abort:
            click.echo("Interrupted.", err=True)
            code = INTERRUPTED
        except BadInput as error:
            click.echo(f"Error: {in_options(str(error))}", err=True)
            code = BAD_DATA
        except MemoryError as error:
            reason = f" ({error})" if str(error) else ""
            click.echo(
                f"Error: not enough memory{reason}; use fewer rows or columns, or a larger machine",
                err=True,
            )
            code = NO_MEMORY
        sys.exit(code if isinstance(code, int) else 0)


OPTIONS = {
    name: f"--{name.replace('_', '-')}"
    for name in (
        "format", "target", "weight", "text", "categories", "dates", "leave_out", "missing", "bits",
        "header", "first_index", "delimiter", "skip_bad", "numbers", "words", "ngrams", "characters",
        "shortest", "pairs", "rule", "keep", "order", "tie", "epochs", "multiclass", "classes", "folds",
        "hold_out",
    )
} | {
    "charset": "--encoding", "guesses_codes": "--guess", "random_state": "--seed",
    "category": "--categories", "date": "--dates", "left out": "--leave-out", "y": "labels",
    "X": "features",
}  # fmt: skip
"""The names of the parameters of `read` and the estimators, and of column roles, on the command line."""

OTHERWISE = (
    (r"classes=\[…\], --classes", "--classes"),
    (r" \(partial_fit takes classes=[^)]*\)", ""),
    (r"separability_table\(X, y\), on the command line --table,", "--table"),
    (r"y == CLASS, on the command line --positive CLASS,", "--positive CLASS"),
    (r"give target \(--target\)", "give --target"),
    (r"name it among the categories", "name it in --categories"),
    (r"a file that rosenblatt\.save wrote", "a model that fit --out wrote"),
    (r"\(sklearn\.preprocessing\.MaxAbsScaler does\)", "(--numbers largest does)"),
    (r"^[A-Z]\w*\.(\w+)(?=: expected)", r"--set \1"),
)
"""Advice in terms of Python, and its equivalent on the command line."""

MOST_LETTERS = 600


def in_options(sentence: str) -> str:
    """Return a message with command-line options in place of Python parameters, shortened if it is long.

    >>> in_options("a.csv: target: leave it out (leave_out=['when']), or missing='zero'")
    'a.csv: --target: leave it out (--leave-out when), or --missing zero'
    >>> in_options("y: 3 classes; separability_table(X, y), on the command line --table, takes each pair")
    'labels: 3 classes; --table takes each pair'
    """
    import re

    text = sentence
    for python, typed in OTHERWISE:
        text = re.sub(python, typed, text)
    names = "|".join(OPTIONS)
    text = re.sub(rf"\b({names})=\[?'([^']*)'\]?", lambda found: f"{OPTIONS[found[1]]} {found[2]}", text)
    text = re.sub(rf"\b({names})=True", lambda found: OPTIONS[found[1]], text)
    text = re.sub(rf"(^|: |give )({names})(?=: |$|;)", lambda found: found[1] + OPTIONS[found[2]], text)
    if len(text) <= MOST_LETTERS:
        return text
    return f"{text[: MOST_LETTERS - 200]} […] {text[-190:]}"


def refuse_overwriting(option: str, path: str | None, inputs: Iterable[str]) -> None:
    """Raise an error if an output file is also an input file."""
    import os

    if path is not None and any(os.path.realpath(path) == os.path.realpath(each) for each in inputs):
        raise click.UsageError(f"{option}: {path} is an input file; give another name")


def file_must_exist(path: str) -> None:
    """Exit with the code for a missing file unless the file exists."""
    from pathlib import Path

    if path != "-" and not Path(path).exists():
        click.echo(f"Error: {path}: there is no such file", err=True)
        sys.exit(NO_FILE)
