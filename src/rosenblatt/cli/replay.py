"""`rosenblatt replay`: rebuild the model as it was at any position of a log."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import click

from rosenblatt.cli.exits import file_must_exist, refuse_overwriting
from rosenblatt.errors import counted

NOUNS = {"position": "example", "mistakes": "mistake", "updates": "update"}


@click.command()
@click.argument("log", metavar="LOG")
@click.option("--out", metavar="MODEL", help="Write the model to this file (.safetensors).")
@click.option(
    "--upto",
    type=click.IntRange(0),
    metavar="N",
    help="Last log position to include [default: the end of the log].",
)
@click.option(
    "--from",
    "first",
    type=click.IntRange(1),
    metavar="N",
    help="Also print the numbers of examples, mistakes and updates, and the error, from this position on.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def replay(log: str, out: str | None, upto: int | None, first: int | None, as_json: bool) -> None:
    """Rebuild, bit for bit, the model that a service had at any position of its log LOG.

    Every log entry is checked against its digest. With --upto N, only the entries up to position N are read
    and checked, so the part before a damaged entry can be recovered. The service may keep running.

    \b
    Examples:
      rosenblatt replay spam.log --out model.safetensors
      rosenblatt replay spam.log --upto 12000 --from 11000
    """
    file_must_exist(log)
    refuse_overwriting("--out", out, [log])
    from rosenblatt.cli.quick_start import no_pandas

    with no_pandas():
        import_module("pyarrow")
        from rosenblatt.serve.log_replay import rebuild_model

    recovered, stretch = rebuild_model(log, upto, first)
    if out is not None:
        recovered.model.save(out)
    facts = {**recovered.facts(), "stretch": stretch}
    click.echo(json.dumps(facts) if as_json else _in_words(facts, out))


def _in_words(facts: dict[str, Any], out: str | None) -> str:
    counts = (counted(facts[name], noun) for name, noun in NOUNS.items())
    lines = [", ".join(counts)]
    for line in facts["stretch"]:
        lines.append(
            f"  {line['from']:>10,} … {line['upto']:<10,}  {line['mistakes']:>8,} mistakes "
            f"{line['updates']:>8,} updates   error {line['error']:.4f}"
        )
    if out is not None:
        lines.append(f"Model written to {out}.")
    return "\n".join(lines)
