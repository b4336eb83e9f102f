"""`rosenblatt inspect`: what a model file holds."""

from __future__ import annotations

import json
from typing import Any

import click

from rosenblatt.cli.exits import file_must_exist


@click.command()
@click.argument("model", metavar="MODEL")
@click.option(
    "--top", type=click.IntRange(0), default=10, show_default=True, help="So many largest weights."
)
@click.option("--of", "label", metavar="CLASS", help="The class whose weights are shown, of more than two.")
@click.option(
    "--names-from", metavar="FILE", help="Hashed features get the names that this file has for them."
)
@click.option("--json", "as_json", is_flag=True, help="The same as JSON, for machines.")
def inspect(model: str, top: int, label: str | None, names_from: str | None, as_json: bool) -> None:
    """Show what MODEL is: its rule, its counters, how it reads rows, and its largest weights by name.

    \b
    Examples:
      rosenblatt inspect model.safetensors --top 20
      rosenblatt inspect mail.safetensors --names-from mail.vw
    """
    from rosenblatt.sight.reports.model_facts import facts_of_file, facts_text

    file_must_exist(model)
    facts: dict[str, Any] = facts_of_file(model, top, label, names_from)
    click.echo(json.dumps(facts) if as_json else facts_text(facts))
