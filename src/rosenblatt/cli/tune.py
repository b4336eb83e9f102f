"""`rosenblatt tune`: choose encoding, rule and parameters by cross-validation."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import Any

import click

from rosenblatt.cli.option_groups import Command, add_options, option, words_of
from rosenblatt.cli.reading_options import GOOD, open_rows, with_features
from rosenblatt.cli.settings_comparison import METRIC, explicit_options, fixed_settings

MOST_TO_TRY = 1 << 31  # bytes of rows that are held in memory


@click.command(cls=Command)
@click.argument("train", nargs=-1, required=True, metavar="TRAIN...")
@add_options([
    option(
        "--test", group="Evaluation", metavar="FILE",
        help="File with labelled rows to evaluate the chosen model on.",
    ),
    option(
        "--hold-out", group="Evaluation", type=click.FloatRange(0.0, 1.0, True, True), metavar="PART",
        help="Compare on this held-out fraction of the rows [default: 5-fold cross-validation; for large "
        "data, 0.2].",
    ),
    option(
        "--folds", group="Evaluation", type=click.IntRange(2),
        help="Compare by cross-validation with this many folds.",
    ),
    option(
        "--epochs", group="Training", type=click.IntRange(1), default=20,
        help="Maximum number of passes; for tables, the exact number [default: 20; tables: 10].",
    ),
    METRIC,
    option(
        "--seed", group="Training", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True,
        help="Random seed.",
    ),
    option(
        "--out", group="Output", metavar="MODEL",
        help="Train on all rows with the chosen settings, and write the model to this file.",
    ),
    option("--report", group="Output", metavar="HTML", help="Write an HTML report to this file."),
])  # fmt: skip
@with_features(GOOD)
@option("--json", "as_json", group="Output", is_flag=True, help="Print the result as JSON.")
@option("--quiet", group="Output", is_flag=True, help="Print only the result.")
@click.pass_context
def tune(context: click.Context, /, train: tuple[str, ...], **options: Any) -> int:
    """Use held-out rows to compare settings, and print the `rosenblatt fit` command for the best of them.

    For tables, it compares the same encodings, rules and parameters as `fit --effort thorough`, and
    chooses in the same way. For other files, it compares update rules, parameters, averaging strategies
    and numbers of passes. It prints the error of each combination on held-out rows of TRAIN. With --out,
    --test or --report, it then runs the printed command.

    The default settings of `fit` are one of the combinations. With folds, another combination is chosen
    only if its error is lower by more than the standard error of the difference.

    \b
    Example:
      rosenblatt tune mails.csv --target kind --out mails.safetensors
    """
    source = open_rows(train, options, skips_few=True, statistics=False)
    selection = _select(source, context, options)
    if selection is not None:
        command = _command(context, train, [*selection.best.options, "--effort", "none"])
        tried, table, best = selection.as_dict()["compared"], selection.table(), str(selection.best)
        tried.sort(key=lambda one: one["value"])
        reason = selection.reason
    else:
        from rosenblatt.cli.held_out_rows import refuse_label_features
        from rosenblatt.models.tuning import table_of

        refuse_label_features(getattr(source, "columns", None))
        if hasattr(source, "learn_statistics"):
            source.learn_statistics()
        results = _compare_settings(source, options)
        command = _command(context, train, _words_of(results[0]))
        tried, table, best = [*map(_as_dict, results)], table_of(results), str(results[0])
        reason = ""
    if options["as_json"]:
        click.echo(json.dumps({"tried": tried, "command": shlex.join(command)}))
    else:
        click.echo(table)
        click.echo(f"Chosen: {best}{reason}. Train with these settings:\n  {shlex.join(command)}")
    if options["out"] or options["test"] or options["report"]:
        shown = ["--json"] * options["as_json"] + ["--quiet"] * options["quiet"]
        whole = context.find_root().command
        return whole.main([*command[1:], *shown], standalone_mode=False) or 0
    return 0


def _select(source: Any, context: click.Context, options: dict[str, Any]) -> Any:
    """Return the selection among settings of a table, or None for other files."""
    from rosenblatt.data.sources.row_samples import EFFORTS
    from rosenblatt.models.default_settings import default_rule, has_text, select_for
    from rosenblatt.training.settings import StreamSettings
    from rosenblatt.training.streams.stream_run import shuffle_seed

    if options["hold_out"] is not None:
        return None
    amount = EFFORTS["thorough"]
    if "epochs" in explicit_options(context):
        amount = replace(amount, epochs=options["epochs"])
    if options["folds"] is not None:
        amount = replace(amount, folds=options["folds"])
    settings = StreamSettings(
        rule=default_rule(has_text(source)), keep="averaged", order="shuffled",
        seed=shuffle_seed(options["seed"]),
    )  # fmt: skip
    return select_for(
        source, settings, "thorough", options["metric"], options["seed"], fixed_settings(context),
        amount=amount,
    )  # fmt: skip


def _compare_settings(source: Any, options: dict[str, Any]) -> list[Any]:
    """Return the results of all settings for encoded rows, best first."""
    import numpy as np

    from rosenblatt.data.sources.numbered_features import number_features
    from rosenblatt.errors import BadInput
    from rosenblatt.models.default_settings import has_text
    from rosenblatt.models.tuning import compare_settings, rank_results, settings_to_try, suits
    from rosenblatt.training.streams.rows_in_memory import load_rows

    rows = load_rows(number_features(source), MOST_TO_TRY)
    if rows is None:
        raise BadInput(f"{source.name}: too many rows to tune on; give a sample of the rows")
    X, y = rows
    settings = [each for each in settings_to_try(len(np.unique(y)), has_text(source)) if suits(each)]
    return rank_results(
        compare_settings(
            X, y, settings, options["epochs"], options["hold_out"], options["folds"], options["seed"],
            options["n_jobs"] or -1,
        )
    )  # fmt: skip


def _command(context: click.Context, train: tuple[str, ...], words: list[str]) -> list[str]:
    """Return the `rosenblatt fit` command line with these options and those of the user."""
    command = ["rosenblatt", "fit", *train, *words]
    own = {"train", "hold_out", "folds", "epochs", "as_json", "quiet", "metric"}
    given = explicit_options(context)
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in given - own:
            command += words_of(parameter, context.params[name])
    return command


def _words_of(best: Any) -> list[str]:
    """Return the options of `rosenblatt fit` that request the settings of a result."""
    from rosenblatt import rules

    settings = best.settings
    words = ["--rule", rules.name_of(settings["rule"])]
    for name, value in settings["rule"]._asdict().items():
        words += ["--set", f"{name}={value}"]
    words += ["--keep", settings["keep"], "--epochs", str(best.epochs), "--effort", "none"]
    return words + (["--multiclass", settings["multiclass"]] if "multiclass" in settings else [])


def _as_dict(one: Any) -> dict[str, Any]:
    from rosenblatt import rules

    settings = {**one.settings, "rule": rules.name_of(one.settings["rule"])}
    parameters = one.settings["rule"]._asdict()
    return {
        **settings, "parameters": parameters, "epochs": one.epochs,
        "error": one.error, "standard_error": one.deviation, "seconds": one.seconds,
    }  # fmt: skip
