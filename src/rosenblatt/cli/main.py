"""The command `rosenblatt`, which contains all other commands."""

from __future__ import annotations

import click

from rosenblatt.cli.convert import convert
from rosenblatt.cli.exits import Commands
from rosenblatt.cli.explain import explain
from rosenblatt.cli.fit import fit
from rosenblatt.cli.lab import demo, lab
from rosenblatt.cli.model_commands import evaluate, export, inspect, predict
from rosenblatt.cli.quick_start import few_collections
from rosenblatt.cli.separate import separate, verify
from rosenblatt.cli.serve import backup, replay, serve
from rosenblatt.cli.suspects import suspects
from rosenblatt.cli.trace import trace
from rosenblatt.cli.tune import tune
from rosenblatt.cli.warm_up import warm_up
from rosenblatt.version import __version__


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="rosenblatt")
def main() -> None:
    """Train and inspect linear classifiers of the perceptron family, and prove separability.

    \b
    Examples:
      rosenblatt demo
      rosenblatt fit flowers.csv --target species --hold-out 0.2 --out flowers.safetensors
      rosenblatt predict flowers.safetensors new.csv
      rosenblatt separate flowers.csv --target species --positive setosa
    """


for command in (
    backup, convert, demo, evaluate, explain, export, fit, inspect, lab, predict, replay, separate, serve,
    suspects, trace, tune, verify, warm_up,
):  # fmt: skip
    main.add_command(command)


def run() -> None:
    """Run the command line as the main program of this process."""
    with few_collections():
        main()


if __name__ == "__main__":
    run()
