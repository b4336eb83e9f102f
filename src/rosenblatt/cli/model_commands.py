"""Commands for model files: `rosenblatt predict`, `evaluate`, `inspect` and `export`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, TextIO

import click

from rosenblatt.cli.exits import HAD_ENOUGH, file_must_exist, in_options, refuse_overwriting
from rosenblatt.cli.option_groups import Command, add_options, option
from rosenblatt.cli.reading_options import open_rows, with_rows

_MISSING = option(
    "--missing", group="Features", type=click.Choice(["error", "zero", "drop"]),
    help="Missing values: error = stop; zero = use 0; drop = drop the row [default: as in training].",
)  # fmt: skip


@click.command(cls=Command)
@click.argument("model", metavar="MODEL")
@click.argument("file", nargs=-1, required=True, metavar="FILE...")
@add_options([
    option(
        "--out",
        group="Output",
        metavar="FILE",
        help="Write the predictions to this file [default: standard output].",
    ),
    option("--scores", group="Output", is_flag=True, help="Add the decision values, separated by tabs."),
    option(
        "--probabilities", group="Output", is_flag=True,
        help="Add the probability of each class, separated by tabs; the first line lists the classes.",
    ),
    option(
        "--target", group="Input", metavar="COLUMN",
        help="Label column, to be ignored [default: as in training].",
    ),
    _MISSING,
])  # fmt: skip
@with_rows
def predict(
    model: str, file: tuple[str, ...], out: str | None, scores: bool, probabilities: bool, **options: Any
) -> None:
    """Predict the class of each row of FILE; print one class per line, in the order of the rows.

    Columns are read as in training, with the same names, encodings and hashing. Labels are optional and
    ignored.

    \b
    Examples:
      rosenblatt predict flowers.safetensors new.csv
      rosenblatt predict flowers.safetensors new.csv --probabilities --out answers.tsv
    """
    file_must_exist(model)
    refuse_overwriting("--out", out, (model, *file))
    if scores and probabilities:
        raise click.UsageError("--scores and --probabilities: give one of them")
    from rosenblatt.data.sources.reading import every_row
    from rosenblatt.errors import counted
    from rosenblatt.models.loaded import open_predictor
    from rosenblatt.training.calibration import probabilities as in_parts

    known = open_predictor(model)
    source = open_rows(
        file, _given_options(options), like=known.reading and every_row(known.reading), labelled=False
    )
    curves: Any = known.calibration
    if probabilities and curves is None:
        raise click.UsageError(
            f"--probabilities: {model} has no probabilities; train it with fit --probabilities, or "
            "calibrate it in Python with model.calibrate(X, y) and save it again"
        )
    with _output_stream(out) as lines:
        if probabilities:
            lines.write("\t".join(["answer", *map(str, known.labels.tolist())]) + "\n")
        for chunk in source.chunks():
            if not len(chunk):
                continue
            names = known.labels[known.best(chunk.rows)].tolist()
            if scores or probabilities:
                table = known.values(chunk.rows) if scores else in_parts(curves, known.decision(chunk.rows))
                lines.writelines(
                    f"{name}\t" + "\t".join(map(repr, row)) + "\n"
                    for name, row in zip(names, table.reshape(len(names), -1).tolist(), strict=True)
                )
            else:
                lines.writelines(f"{name}\n" for name in names)
            chunk.release()
    if source.n_bad:
        click.echo(f"{counted(source.n_bad, 'malformed line')} skipped: no predictions for them.", err=True)
    for note in getattr(source, "notes", ()):
        click.echo(f"Note: {in_options(note)}.", err=True)
    if n_dropped := getattr(source, "n_dropped", 0):
        rows = counted(n_dropped, "row")
        click.echo(
            f"{rows} with missing values dropped: no predictions for them (--missing drop).", err=True
        )


@click.command(cls=Command)
@click.argument("model", metavar="MODEL")
@click.argument("file", nargs=-1, required=True, metavar="FILE...")
@option("--target", group="Input", metavar="COLUMN", help="Label column [default: as in training].")
@_MISSING
@with_rows
@option("--json", "as_json", group="Output", is_flag=True, help="Print the result as JSON.")
def evaluate(model: str, file: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Evaluate MODEL on the labelled rows of FILE.

    Prints the error next to the majority-class baseline; the precision, recall and F1 of each class; the
    confusion matrix; for two classes, the AUC and average precision; and, if the model has probabilities,
    their Brier score.

    \b
    Example:
      rosenblatt evaluate flowers.safetensors new.csv
    """
    from rosenblatt.cli.source_messages import KnownLabels
    from rosenblatt.models.loaded import open_predictor
    from rosenblatt.reports.evaluation import evaluation_text
    from rosenblatt.reports.measures import as_measures
    from rosenblatt.training.streams.evaluations import Evaluation

    file_must_exist(model)
    known = open_predictor(model)
    source = KnownLabels(
        open_rows(file, _given_options(options), skips_few=True, like=known.reading), known.labels.tolist()
    )
    found = Evaluation(known.labels, None, known.calibration, known.threshold)
    found.count_source(source, known.n_features, known.best, known.decision)
    source.warn()
    if as_json:
        click.echo(json.dumps({**as_measures(found), "bad_lines": source.n_bad}))
    else:
        click.echo(evaluation_text(found, f"rows of {source.name}", source.n_bad))


def _given_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that the user gave; the model stores values for all other options."""
    return {name: value for name, value in options.items() if value is not None}


@contextmanager
def _output_stream(path: str | None) -> Iterator[TextIO]:
    """Yield the stream to which predictions are written: standard output or a new file."""
    if path is None:
        try:
            yield sys.stdout
            sys.stdout.flush()
        except BrokenPipeError:  # the reader closed the pipe, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes again at exit
            raise click.exceptions.Exit(HAD_ENOUGH) from None
        return
    from rosenblatt.data.whole_files import whole_or_nothing

    try:
        with whole_or_nothing(path) as beside, open(beside, "w", encoding="utf-8") as file:
            yield file
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), path) from error


@click.command()
@click.argument("model", metavar="MODEL")
@click.option(
    "--top", type=click.IntRange(0), default=10, show_default=True,
    help="Show this many features with positive weights, and as many with negative weights.",
)  # fmt: skip
@click.option(
    "--class", "--of", "label", metavar="NAME",
    help="Class whose features are shown [default: the second of two classes, otherwise all].",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def inspect(model: str, top: int, label: str | None, as_json: bool) -> None:
    """Describe MODEL: its update rule, its mistakes in training, its input format, and what it has learned.

    Lists the features with the largest positive and negative weights. For words and categories, it
    also prints the number of training rows that contain them. The weight of a numeric column is given per
    unit of that column.

    \b
    Examples:
      rosenblatt inspect flowers.safetensors --class virginica
      rosenblatt inspect mails.safetensors --top 20 --json
    """
    from rosenblatt.reports.model_facts import facts_of_file, facts_text

    file_must_exist(model)
    facts: dict[str, Any] = facts_of_file(model, top, label)
    click.echo(json.dumps(facts) if as_json else facts_text(facts))


@click.command()
@click.argument("model", metavar="MODEL")
@click.option("--onnx", metavar="FILE", required=True, help="Write the ONNX model to this file.")
@click.option(
    "--input-type",
    type=click.Choice(["float64", "float32"]),
    default="float64",
    show_default=True,
    help="Input type of the exported model.",
)
def export(model: str, onnx: str, input_type: Literal["float64", "float32"]) -> None:
    """Convert MODEL to ONNX, for onnxruntime and other runtimes.

    Requires the extra `onnx`: pip install 'rosenblatt[onnx]'.

    \b
    Example:
      rosenblatt export flowers.safetensors --onnx flowers.onnx
    """
    from rosenblatt.errors import counted
    from rosenblatt.models.onnx import to_onnx
    from rosenblatt.models.saving import load

    file_must_exist(model)
    refuse_overwriting("--onnx", onnx, [model])
    try:
        proto = to_onnx(load(model), onnx, input_type=input_type)
    except OSError as error:
        raise click.FileError(onnx, error.strerror or str(error)) from error
    names = [output.name for output in proto.graph.output]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    columns = [given.name for given in proto.graph.input]
    inputs = "input X" if columns == ["X"] else f"an input for each of {counted(len(columns), 'column')}"
    click.echo(f"Model written to {onnx}: {inputs} ({input_type}), outputs {listed}.")
