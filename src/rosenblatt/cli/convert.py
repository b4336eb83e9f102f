"""`rosenblatt convert`: convert rows from one format to another."""

from __future__ import annotations

import time
from typing import Any

import click

from rosenblatt.cli.exits import refuse_overwriting
from rosenblatt.cli.option_groups import Command, option
from rosenblatt.cli.reading_options import PLAIN, open_rows, with_features
from rosenblatt.data.sources.formats import writable_formats
from rosenblatt.errors import counted


@click.command(cls=Command)
@click.argument("source", nargs=-1, required=True, metavar="IN...")
@click.argument("out", metavar="OUT")
@option(
    "--to", "out_format", group="Output", type=click.Choice(writable_formats()),
    help="Format of OUT [default: determined by its file extension].",
)  # fmt: skip
@with_features(PLAIN)
def convert(source: tuple[str, ...], out: str, out_format: str | None, **options: Any) -> None:
    """Convert the rows of IN to another format and write them to OUT.

    Numbers are preserved exactly. Words and categories are written as hashed features.

    \b
    Examples:
      rosenblatt convert train.svm.gz train.parquet
      rosenblatt convert days/*.csv days.arrow --target clicked
    """
    from rosenblatt.data.sources.naming import field_names
    from rosenblatt.data.sources.writing import format_to_write, write

    form = out_format or format_to_write(out)
    if out == "-":
        raise click.UsageError("OUT: give a file; rows cannot be written to standard output")
    refuse_overwriting("OUT", out, source)
    rows = open_rows(source, options)
    settings = rows.settings()
    began = time.perf_counter()
    try:
        n = write(rows.chunks(), out, form, settings.get("first_index", 1), field_names(settings))
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), out) from error
    skipped = f", {counted(rows.n_bad, 'malformed line')} skipped" if rows.n_bad else ""
    click.echo(f"{out}: {counted(n, 'row')} in {time.perf_counter() - began:.1f} s{skipped}.")
