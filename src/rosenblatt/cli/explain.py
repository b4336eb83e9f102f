"""`rosenblatt explain`: why a model predicts a class for a row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import click

from rosenblatt.cli.exits import file_must_exist
from rosenblatt.cli.option_groups import Command, option
from rosenblatt.cli.reading_options import open_rows, with_rows


@click.command(cls=Command)
@click.argument("model", metavar="MODEL")
@click.argument("file", nargs=-1, metavar="[FILE...|JSON]")
@option("--text", "given_text", group="Input", metavar="TEXT", help="Explain the prediction of this text.")
@option(
    "--rows", group="Output", type=click.IntRange(1), default=10, show_default=True,
    help="Number of rows to explain.",
)  # fmt: skip
@option(
    "--top", group="Output", type=click.IntRange(0), default=10, show_default=True,
    help="Number of features to list for each row.",
)  # fmt: skip
@option(
    "--because", group="Input", metavar="TRAIN",
    help="List the rows of this training file that contributed most to the prediction. Needs --record.",
)  # fmt: skip
@option(
    "--record",
    group="Input",
    metavar="FILE",
    help="File of updates, written by `fit --record`, for --because.",
)
@option("--html", "as_html", group="Output", is_flag=True, help="Print the explanations as an HTML page.")
@option("--json", "as_json", group="Output", is_flag=True, help="Print the explanations as JSON.")
@with_rows
def explain(
    model: str, file: tuple[str, ...], given_text: str | None, rows: int, top: int, because: str | None,
    record: str | None, as_html: bool, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Explain the predictions of MODEL for the rows of FILE, for one JSON object, or for a text.

    Prints the predicted class, its lead over the runner-up (the difference of their scores), the
    contribution of each feature and column to this lead, the text with coloured words, and the smallest
    set of features whose removal changes the prediction.

    \b
    Examples:
      rosenblatt explain mails.safetensors --text "free money"
      rosenblatt explain flowers.safetensors new.csv --rows 3
      rosenblatt explain flowers.safetensors '{"petal_length": 4.9, "petal_width": 1.7}' --json
    """
    file_must_exist(model)
    if (given_text is None) == (not file):
        raise click.UsageError("give rows to explain: FILE, a JSON object, or --text")
    if (because is None) != (record is None):
        raise click.UsageError(
            "--because TRAIN needs --record FILE, which fit --record writes, and vice versa"
        )
    found = list(islice(_explanations(model, file, given_text, options), rows))
    if because is not None and record is not None:
        _because(model, found, because, record, top, options, as_json)
        return
    if as_json:
        click.echo(json.dumps([each.as_dict() for each in found]))
        return
    if as_html:
        from rosenblatt.explanations.model_explanations import explanations_page

        click.echo(explanations_page(found))
        return
    for each in found:
        click.echo("\n".join(_lines(each, top)))
    if len(found) > 1:
        click.echo("Rows are counted from 1; a header is not counted.")


def _explanations(
    model: str, file: tuple[str, ...], text: str | None, options: dict[str, Any]
) -> Iterator[Any]:
    from rosenblatt.data.sources.reading import every_row
    from rosenblatt.errors import BadInput
    from rosenblatt.explanations.kernel_explanations import explain_kernel
    from rosenblatt.explanations.row_explanations import Explainer
    from rosenblatt.models.loaded import LoadedPerceptron, as_matrix, open_predictor

    known = open_predictor(model)
    given = {name: value for name, value in options.items() if value is not None}
    is_object = len(file) == 1 and file[0].lstrip()[:1] in ("{", "[")
    example = text if text is not None else _parse_json(file[0]) if is_object else None
    if example is not None:
        if not isinstance(known, LoadedPerceptron):
            rows = known.read([example], grows=False)
            yield from explain_kernel(known.model, as_matrix(rows, known.n_features))
            return
        try:
            yield from Explainer(known.record).examples([example])
        except BadInput as error:
            where = "--text" if text is not None else "JSON"
            raise BadInput(f"{where}: {str(error).removeprefix('x: ')}") from None
        return
    reading = known.reading and every_row(known.reading)
    source = open_rows(file, given, like=reading, labelled=False)
    if isinstance(known, LoadedPerceptron):
        yield from Explainer(known.record).source(source)
        return
    for chunk in source.chunks():
        yield from explain_kernel(known.model, as_matrix(chunk.rows, known.n_features))


def _because(
    model: str, found: list[Any], train: str, record: str, top: int, options: dict[str, Any], as_json: bool
) -> None:
    """Print the training rows with the largest shares in each lead."""
    from rosenblatt.explanations.row_explanations import Explainer
    from rosenblatt.explanations.training_shares import because_of
    from rosenblatt.models.loaded import LoadedPerceptron, open_predictor
    from rosenblatt.storage.update_records import load_update_record

    file_must_exist(record)
    known = open_predictor(model)
    if not isinstance(known, LoadedPerceptron):
        raise click.UsageError("--because: a kernel model lists its training rows without it")
    given = {name: value for name, value in options.items() if value is not None}
    source = open_rows(train, given, like=known.reading)
    shares = because_of(Explainer(known.record), found, load_update_record(record), source, top)
    if as_json:
        click.echo(json.dumps([each.as_dict() for each in shares]))
        return
    for each in shares:
        row = each.explanation
        click.echo(f"Row {row.row + 1:,}: {row.predicted}, ahead of {row.runner_up} by {row.margin:.4g}")
        for side, listed in (("for", each.positive), ("against", each.negative)):
            click.echo(f"  Training rows {side} this answer:")
            for one in listed:
                click.echo(f"  {one.row:8,} {one.share:+10.4g}  {one.label!s:12} {one.text}")
        click.echo(
            f"  {each.n_rows:,} rows caused updates; their shares sum to {each.total:.6g}, by the stored "
            f"weights {each.stored:.6g} (difference {each.total - each.stored:.1g})."
        )
    click.echo("Rows are counted from 1; training rows of a file with a row per line are numbered by line.")


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"{text[:60]!r} is not JSON: {error}", param_hint="JSON") from error


def _lines(found: Any, top: int) -> list[str]:
    """Return an explanation as lines of text."""
    from rosenblatt.errors import counted
    from rosenblatt.explanations.coloured_texts import excerpt, for_terminal
    from rosenblatt.explanations.row_explanations import MOST_LETTERS, change_text

    lines = [f"Row {found.row + 1:,}: {found.predicted}, ahead of {found.runner_up} by {found.margin:.4g}"]
    if hasattr(found, "support"):
        listed = [f"  training row {row + 1:<8} {value:+10.4g}" for row, value in found.support[:top]]
        return [*lines, "What the support vectors add to this lead:", *listed]
    lines += [
        f"  {column}: {for_terminal(excerpt(parts, MOST_LETTERS))}" for column, parts in found.texts.items()
    ]
    some = found.contributions[:top]
    rest = sum(each.amount for each in found.contributions[top:])
    labels = [
        *(each.label for each in some),
        counted(len(found.contributions) - len(some), "other feature"),
    ]
    amounts = [*(each.amount for each in some), rest]
    if len(found.contributions) == len(some):
        labels, amounts = labels[:-1], amounts[:-1]
    labels, amounts = [*labels, "offset"], [*amounts, found.offset]
    width = min(50, max(map(len, labels)))
    longest = max((abs(value) for value in amounts), default=0.0) or 1.0
    lines += [
        f"  {label[:width]:{width}} {value:+10.4g} {'█' * round(20 * abs(value) / longest)}".rstrip()
        for label, value in zip(labels, amounts, strict=True)
    ]
    columns = {name: value for name, value in found.by_column.items() if name}
    if len(columns) > 1:
        listed = [f"{name} {value:+.4g}" for name, value in list(columns.items())[:top]]
        lines.append(f"  By column: {', '.join(listed)}")
    return [*lines, f"  {change_text(found.smallest)}"]
