"""`rosenblatt tune`: choose rule, parameters and number of passes by cross-validation."""

from __future__ import annotations

import json
import shlex
from typing import Any

import click

from rosenblatt.cli.option_groups import Command, option, words_of
from rosenblatt.cli.reading_options import GOOD, open_rows, with_features

MOST_TO_TRY = 1 << 31  # bytes of rows that are held in memory


@click.command(cls=Command)
@click.argument("train", nargs=-1, required=True, metavar="TRAIN...")
@option(
    "--test",
    group="Evaluation",
    metavar="FILE",
    help="File with labelled rows to evaluate the chosen model on.",
)
@option(
    "--hold-out", group="Evaluation", type=click.FloatRange(0.0, 1.0, True, True), metavar="PART",
    help="Compare on this held-out fraction of the rows [default: 5-fold cross-validation; for large "
    "data, 0.2].",
)  # fmt: skip
@option(
    "--folds",
    group="Evaluation",
    type=click.IntRange(2),
    help="Compare by cross-validation with this many folds.",
)
@option(
    "--epochs", group="Training", type=click.IntRange(1), default=20, show_default=True,
    help="Maximum number of passes.",
)  # fmt: skip
@option(
    "--seed", group="Training", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True,
    help="Random seed.",
)  # fmt: skip
@option(
    "--out",
    group="Output",
    metavar="MODEL",
    help="Train on all rows with the chosen settings and write the model to this file.",
)
@option("--report", group="Output", metavar="HTML", help="Write an HTML report to this file.")
@with_features(GOOD)
@option("--json", "as_json", group="Output", is_flag=True, help="Print the result as JSON.")
@option("--quiet", group="Output", is_flag=True, help="Print only the result.")
@click.pass_context
def tune(context: click.Context, /, train: tuple[str, ...], **options: Any) -> int:
    """Use held-out rows to compare update rules, parameters, averaging strategies and numbers of passes.

    Prints the error of each combination of settings on held-out rows of TRAIN, the chosen combination
    first and the others by their error, and the `rosenblatt fit` command for the chosen combination. With
    --out, --test or --report, that command is then run.

    The default settings of `fit` are one of the combinations. With folds, they are chosen unless the error
    of another combination is lower by more than the standard error of the difference. For text columns,
    tf-idf and word presence are compared; for numeric columns, standardised values and ranks.

    \b
    Example:
      rosenblatt tune mails.csv --target kind --out mails.safetensors
    """
    from rosenblatt.models.tuning import table_of

    tried = _compare_encodings(train, options, _explicit_options(context))
    (encoding, best), *_ = tried
    command = _command(context, train, encoding, best)
    if options["as_json"]:
        click.echo(
            json.dumps({"tried": [_as_dict(*each) for each in tried], "command": shlex.join(command)})
        )
    else:
        for kind in dict.fromkeys(_describe_encoding(encoding) for encoding, _ in tried):
            click.echo(f"{kind}:" if kind else "", nl=bool(kind))
            click.echo(table_of(one for encoding, one in tried if _describe_encoding(encoding) == kind))
        with_what = f"{best}, {_describe_encoding(encoding)}" if encoding else f"{best}"
        click.echo(f"Chosen: {with_what}. Train with these settings:\n  {shlex.join(command)}")
    if options["out"] or options["test"] or options["report"]:
        shown = ["--json"] * options["as_json"] + ["--quiet"] * options["quiet"]
        whole = context.find_root().command
        return whole.main([*command[1:], *shown], standalone_mode=False) or 0
    return 0


def _explicit_options(context: click.Context) -> set[str]:
    """Return the names of the options that the user gave."""
    source = click.core.ParameterSource.DEFAULT
    return {name for name in context.params if context.get_parameter_source(name) != source}


def _describe_encoding(encoding: dict[str, str]) -> str:
    """Describe how cells become numbers.

    >>> _describe_encoding({"numbers": "rank", "words": "tfidf"})
    'numbers=rank, words=tfidf'
    """
    return ", ".join(f"{option}={value}" for option, value in encoding.items())


def _encodings(source: Any, given: set[str]) -> list[dict[str, str]]:
    """Return the encodings to compare, the default first, for the columns of a source."""
    roles = {role for _, role in source.settings().get("columns", ())}
    ways: list[dict[str, str]] = [{}]
    for role, name, values in (
        ("number", "numbers", ("standard", "rank")),
        ("text", "words", ("tfidf", "presence")),
    ):
        if role in roles and name not in given:
            ways = [{**way, name: value} for way in ways for value in values]
    return ways


def _compare_encodings(
    train: tuple[str, ...], options: dict[str, Any], given: set[str]
) -> list[tuple[dict[str, str], Any]]:
    """Return pairs of an encoding and a tuning result, the chosen one first and the others by error."""
    import numpy as np

    from rosenblatt.data.sources.numbered_features import number_features
    from rosenblatt.errors import BadInput
    from rosenblatt.models.default_settings import has_text
    from rosenblatt.models.tuning import compare_settings, rank_results, settings_to_try, suits
    from rosenblatt.training.progress import Progress
    from rosenblatt.training.streams.rows_in_memory import load_rows

    source = open_rows(train, options)
    encodings = _encodings(source, given)
    found: list[tuple[dict[str, str], Any]] = []
    with Progress(
        False if options["quiet"] or options["as_json"] else None, len(encodings), "encodings"
    ) as progress:
        for number, encoding in enumerate(encodings):
            progress.at(number, _describe_encoding(encoding) or "settings")
            opened = open_rows(train, options | encoding) if encoding else source
            rows = load_rows(number_features(opened), MOST_TO_TRY)
            if rows is None:
                raise BadInput(f"{source.name}: too many rows to tune on; give a sample of the rows")
            X, y = rows
            every = settings_to_try(len(np.unique(y)), has_text(source))
            settings = [each for each in every if suits(each)]
            results = compare_settings(
                X, y, settings, options["epochs"], options["hold_out"], options["folds"], options["seed"],
                options["jobs"] or -1,
            )  # fmt: skip
            found += [(encoding, one) for one in results]
    of = {id(one): encoding for encoding, one in found}
    return [(of[id(one)], one) for one in rank_results([one for _, one in found])]


def _command(
    context: click.Context, train: tuple[str, ...], encoding: dict[str, str], best: Any
) -> list[str]:
    """Return the `rosenblatt fit` command line for these settings."""
    from rosenblatt import rules

    settings = best.settings
    command = ["rosenblatt", "fit", *train, "--rule", rules.name_of(settings["rule"])]
    for name, value in settings["rule"]._asdict().items():
        command += ["--set", f"{name}={value}"]
    command += ["--keep", settings["keep"], "--epochs", str(best.epochs)]
    if "multiclass" in settings:
        command += ["--multiclass", settings["multiclass"]]
    for name, value in encoding.items():
        command += [f"--{name}", value]
    given = _explicit_options(context)
    own = {"train", "hold_out", "folds", "epochs", "as_json", "quiet"}
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in given - own:
            command += words_of(parameter, context.params[name])
    return command


def _as_dict(encoding: dict[str, str], one: Any) -> dict[str, Any]:
    from rosenblatt import rules

    settings = {**one.settings, "rule": rules.name_of(one.settings["rule"])}
    parameters = one.settings["rule"]._asdict()
    return {
        **settings, "parameters": parameters, **encoding, "epochs": one.epochs,
        "error": one.error, "standard_error": one.deviation, "seconds": one.seconds,
    }  # fmt: skip
