"""`rosenblatt suspects`: training rows whose label is probably wrong."""

from __future__ import annotations

import csv
import json
from typing import Any

import click

from rosenblatt.cli.exits import refuse_overwriting
from rosenblatt.cli.option_groups import Command, option
from rosenblatt.cli.reading_options import GOOD, open_rows, warn_of_columns, with_features

SHOWN = 10


@click.command(cls=Command)
@click.argument("file", nargs=-1, required=True, metavar="FILE...")
@option("--out", group="Output", metavar="CSV", help="Write all suspects to this csv file.")
@option(
    "--folds", group="Training", type=click.IntRange(2, 100), default=5, show_default=True,
    help="Number of folds.",
)  # fmt: skip
@option("--seed", group="Training", rare=True, type=click.IntRange(0), default=0, show_default=True,
        help="Seed of the folds.")  # fmt: skip
@with_features(GOOD)
@option("--json", "as_json", group="Output", is_flag=True, help="Print all suspects as JSON.")
def suspects(
    file: tuple[str, ...], out: str | None, folds: int, seed: int, as_json: bool, **options: Any
) -> None:
    """List the rows of FILE whose label is probably wrong, the most doubtful first.

    The rows are divided into folds, and one model is trained for each fold, on the rows of the other folds.
    A model's margin for a row is the decision value of the row's label minus that of the best other class.
    The score of the row is the mean of two numbers: the margin of the model that was not trained on it, and
    the average margin of the other models. Rows with a negative score are listed. The proposed label is the
    best other class of the row in the model that was not trained on it.

    \b
    Example:
      rosenblatt suspects flowers.csv --target species --out suspects.csv
    """
    refuse_overwriting("--out", out, file)
    from rosenblatt.errors import counted
    from rosenblatt.explanations.label_suspects import find_suspects
    from rosenblatt.explanations.row_cells import first_line_of

    source = open_rows(file, options)
    warn_of_columns(source)
    found, n_rows = find_suspects(source, folds, seed)
    first = first_line_of(source, n_rows)
    where, first = ("row", 1) if first is None else ("line", first)
    rows = [{where: each.row + first, **facts_of(each)} for each in found]
    if out is not None:
        _write(out, rows, where)
    if as_json:
        click.echo(json.dumps(rows))
        return
    click.echo(f"{counted(len(rows), 'suspect')} among {counted(n_rows, 'row')} of {source.name}.")
    if rows:
        click.echo(f"{where:>8}  {'score':>7}  {'given':20} proposed")
    for row in rows[:SHOWN]:
        given, proposed = str(row["given"])[:20], str(row["proposed"])[:20]
        click.echo(f"{row[where]:8,}  {row['score']:7.2f}  {given:20} {proposed}")
    if len(rows) > SHOWN:
        click.echo(f"{len(rows) - SHOWN:,} more" + ("" if out else "; --out FILE writes all of them"))
    if out is not None:
        click.echo(f"Suspects written to {out}.")


def facts_of(suspect: Any) -> dict[str, Any]:
    """Return a suspect without the number of its row."""
    return {name: value for name, value in suspect.as_dict().items() if name != "row"}


def _write(path: str, rows: list[dict[str, Any]], where: str) -> None:
    from rosenblatt.data.whole_files import whole_or_nothing

    try:
        with whole_or_nothing(path) as beside, open(beside, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [where, "given", "proposed", "score", "late_mistakes"])
            writer.writeheader()
            writer.writerows(rows)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), path) from error
