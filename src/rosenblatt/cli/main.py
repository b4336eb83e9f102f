"""`rosenblatt`, the command."""

from __future__ import annotations

import click

from rosenblatt import __version__
from rosenblatt.cli.demo import demo
from rosenblatt.cli.exits import Commands
from rosenblatt.cli.separate import separate, verify
from rosenblatt.cli.trace import trace


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="rosenblatt")
def main() -> None:
    """The perceptron family: fast, exact, proved and visible.

    \b
    Example:
      rosenblatt demo
    """


main.add_command(demo)
main.add_command(separate)
main.add_command(trace)
main.add_command(verify)
