"""`rosenblatt inspect`: describe a model file."""

from __future__ import annotations

import json
from typing import Any

import click

from rosenblatt.cli.exits import file_must_exist


@click.command()
@click.argument("model", metavar="MODEL")
@click.option(
    "--top",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Number of weights to show, largest first.",
)
@click.option(
    "--of",
    "label",
    metavar="CLASS",
    help="Class whose weights are shown [default: the first; with two classes, the second].",
)
@click.option(
    "--names-from",
    metavar="FILE",
    help="File that contains the names of hashed features, such as the training file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def inspect(model: str, top: int, label: str | None, names_from: str | None, as_json: bool) -> None:
    """Describe MODEL: its update rule, training counts, input format and largest weights.

    \b
    Examples:
      rosenblatt inspect flowers.safetensors --of virginica
      rosenblatt inspect mails.safetensors --names-from mails.csv
    """
    from rosenblatt.reports.model_facts import facts_of_file, facts_text

    file_must_exist(model)
    facts: dict[str, Any] = facts_of_file(model, top, label, names_from)
    click.echo(json.dumps(facts) if as_json else facts_text(facts))
