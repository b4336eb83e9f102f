"""`rosenblatt fit`: train a model on files of any size."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from rosenblatt.cli.exits import INTERRUPTED, NO_CLUSTER
from rosenblatt.cli.option_groups import Time, add_options, option, words_of
from rosenblatt.cli.reading_options import GOOD, PLAIN, with_features
from rosenblatt.cli.setting_options import CommandWithRules, with_settings
from rosenblatt.cli.settings_comparison import CLASS_WEIGHT, EFFORT, METRIC, explicit_options
from rosenblatt.errors import BadInput
from rosenblatt.training.settings import COMMAND, settings_of


def _check_names(context: click.Context, param: click.Parameter, value: str) -> str:
    from rosenblatt.data.sources.feature_names import check_names

    try:
        check_names(value)
    except BadInput as error:
        raise click.BadParameter(str(error).partition(": ")[2]) from error
    return value


LEFT_BEHIND = "rosenblatt.checkpoint"
TEXTBOOK = {"rule": "rosenblatt", "keep": "last", "order": "given", "numbers": "given", "effort": "none",
            "guesses_codes": False, "assigned": (), "class_weight": None, "how": "relay"}  # fmt: skip
"""The options that --textbook sets; another value of one of them is an error."""


@click.command(cls=CommandWithRules)
@click.argument("train", nargs=-1, required=True, metavar="TRAIN...")
@with_settings(COMMAND, set(settings_of(COMMAND)) - {"rule", "keep", "epochs", "seed"})
@add_options([
    option(
        "--textbook", group="Training", rare=True, is_flag=True,
        help="Train a textbook perceptron: the plain rule, rows in the given order, numbers unchanged, the "
        "last weights; print w and b.",
    ),
    EFFORT,
    METRIC,
    option("--test", group="Evaluation", metavar="FILE", help="File with labelled rows for evaluation."),
    CLASS_WEIGHT,
    option(
        "--hold-out", group="Evaluation", metavar="PART",
        type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
        help="Fraction of the rows of each class to hold out for evaluation.",
    ),
    option(
        "--folds", group="Evaluation", type=click.IntRange(2, 1000), metavar="N",
        help="Evaluate by N-fold cross-validation, then train on all rows.",
    ),
    option(
        "--probabilities", group="Evaluation", type=click.Choice(["platt", "isotonic"]), is_flag=False,
        flag_value="platt",
        help="Calibrate probabilities on the held-out rows or folds; if there are none, a tenth of the "
        "rows is held out [without a value: platt].",
    ),
    option(
        "--threshold", group="Evaluation", metavar="GOAL",
        help='Choose the decision threshold on held-out rows for this goal: "precision>=0.9", '
        '"recall>=0.8 of ham" or "cost 1:20" (false positive : false negative).',
    ),
    option("--out", group="Output", metavar="MODEL", help="Write the model to this file (.safetensors)."),
    option("--report", group="Output", metavar="HTML", help="Write an HTML report to this file."),
    option(
        "--names", group="Output", rare=True, metavar="all|none|N", default="all", show_default=True,
        callback=_check_names,
        help="Names of words and categories to store in the model: all (at most 1,048,576), none, or the N "
        "with the largest weights.",
    ),
    option(
        "--record", group="Output", rare=True, metavar="FILE",
        help="Write every update to this file, for rosenblatt explain --because.",
    ),
    option(
        "--proof-time", group="Output", rare=True, type=Time(), default="10s", show_default=True,
        help="Time limit for the separability proof in the report.",
    ),
    option(
        "--cache", group="Training", rare=True, metavar="FILE",
        help="Store the parsed rows in this file for later passes and runs.",
    ),
    option(
        "--checkpoint", group="Training", rare=True, metavar="FILE",
        help="Save the run to this file at regular intervals; resume from the file if it exists.",
    ),
    option(
        "--every", group="Training", rare=True, type=Time(), default="30s", show_default=True,
        help="Time between checkpoints, such as 10s, 5m or 1h.",
    ),
    option(
        "--cluster", group="Training", rare=True, metavar="ADDRESS|local",
        help="Train on the workers of the Dask scheduler at this address, or on local workers.",
    ),
    option(
        "--how", group="Training", rare=True, type=click.Choice(["relay", "mixing"]),
        default="relay", show_default=True,
        help="Training strategy on a cluster. relay: workers train in turn and pass on the weights; the "
        "result is the same as on one machine. mixing: all workers train simultaneously and average their "
        "weights.",
    ),
])  # fmt: skip
@with_features(GOOD)
@option("--json", "as_json", group="Output", is_flag=True, help="Print the result as JSON.")
@option("--quiet", group="Output", is_flag=True, help="Print only the result.")
@option(
    "--verbose", group="Output", is_flag=True,
    help="Also print the error and the mistakes of each pass.",
)  # fmt: skip
def fit(train: tuple[str, ...], **options: Any) -> int:
    """Train a linear classifier on files, file patterns, folders or "-" (stdin).

    Reads csv, tsv, JSON lines, Parquet, Arrow, svmlight, Vowpal Wabbit and NumPy files, compressed or not,
    including files larger than memory. Ctrl-C writes a checkpoint; run the command again to resume.

    \b
    Examples:
      rosenblatt fit flowers.csv --target species --hold-out 0.2 --probabilities --out flowers.safetensors
      rosenblatt fit train.svm --test test.svm --out model.safetensors
      rosenblatt fit days/*.csv.gz --target clicked --epochs 3 --cache days.arrow --out m.safetensors
      zcat log.vw.gz | rosenblatt fit - --format vw --out model.safetensors --checkpoint run.ckpt
      rosenblatt fit points.csv --textbook --no-offset --until-separated
    """
    if options["textbook"]:
        _choose_textbook(click.get_current_context(), options)
    from rosenblatt.cli.fit_run import FitRun
    from rosenblatt.training.compile_time import Stopwatch
    from rosenblatt.training.progress import Progress
    from rosenblatt.training.streams.stream_run import interruptible

    whole = Stopwatch()
    with (
        Progress(False if options["quiet"] or options["as_json"] else None, None),  # shows compilation
        cluster_of(options) as client,
    ):
        run = FitRun(train, options, client)
        watch = Stopwatch()
        try:
            with interruptible(run.run, signal.SIGINT, signal.SIGTERM):
                run.learn()
        except KeyboardInterrupt:
            _print_how_to_resume(run, options)
            return INTERRUPTED
        except RuntimeError as error:
            if type(error).__name__ != "ClusterLost":
                raise
            click.echo(f"Error: {error}", err=True)
            _print_how_to_resume(run, options)
            return NO_CLUSTER
        run.finish(watch.learning, whole.compiling)
    return 0


def _choose_textbook(context: click.Context, options: dict[str, Any]) -> None:
    """Set the options of --textbook; raise an error if the user gave another value of one of them."""
    given = explicit_options(context)
    for param in context.command.params:
        name = param.name or ""
        if name in TEXTBOOK and name in given and options[name] != TEXTBOOK[name]:
            typed, *_ = words_of(param, options[name])
            raise click.UsageError(
                f"{typed}: not with --textbook, which trains the plain rule on the numbers and the order "
                "of the file; leave one of them out"
            )
    options.update({name: value for name, value in PLAIN.items() if name not in given} | TEXTBOOK)


@contextmanager
def cluster_of(options: dict[str, Any]) -> Iterator[Any]:
    """Yield a client of the cluster, or None if --cluster is not given."""
    if options["cluster"] is None:
        yield None
        return
    if options["class_weight"] is not None:
        raise click.UsageError("--class-weight: not with --cluster; give a column of weights (--weight)")
    if options["cache"]:
        raise click.UsageError("--cache: workers keep parsed rows in memory; omit it with --cluster")
    from rosenblatt.cluster.dask_client import client_of

    with client_of(options["cluster"]) as client:
        yield client


def _print_how_to_resume(run: Any, options: dict[str, Any]) -> None:
    path = run.checkpoint_path or LEFT_BEHIND
    if not run.save_checkpoint(path):
        click.echo("Interrupted; there is nothing to save.", err=True)
        return
    words = ["rosenblatt", *sys.argv[1:]]
    if not options["checkpoint"] and path != f"{options['out']}.checkpoint":
        words += ["--checkpoint", path]
    click.echo(f"Interrupted. The run is saved in {path}; resume with:\n  {shlex.join(words)}", err=True)
