"""`rosenblatt trace`: a worked example of the lecture notes, step by step."""

from __future__ import annotations

import click


@click.command()
@click.option("--example", "key", metavar="KEY", help="Which example; without it, they are listed.")
def trace(key: str | None) -> None:
    """Replay a worked example of the lecture notes, step by step.

    \b
    Example:
      rosenblatt trace --example 003-cycle
    """
    from rosenblatt.lectures import EXAMPLES

    if key is None:
        for example in EXAMPLES.values():
            click.echo(f"{example.key:16} {example.title}")
    elif key in EXAMPLES:
        click.echo(str(EXAMPLES[key]))
    else:
        raise click.BadParameter(f"{key!r}; the examples are {', '.join(EXAMPLES)}", param_hint="--example")
