"""`rosenblatt fit`: from a file of any size to a model."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from rosenblatt.cli.exits import INTERRUPTED, NO_CLUSTER
from rosenblatt.cli.measuring import with_measuring
from rosenblatt.cli.reading_options import GOOD, with_features
from rosenblatt.cli.setting_options import WithRules, with_settings

LEFT_BEHIND = "rosenblatt.checkpoint"


@click.command(cls=WithRules)
@click.argument("train", nargs=-1, required=True, metavar="TRAIN...")
@click.option("--test", metavar="FILE", help="Rows to measure the error on, after learning.")
@with_measuring
@with_settings
@click.option("--set", "assigned", multiple=True, metavar="NAME=VALUE", help="A parameter of the rule.")
@click.option("--out", metavar="MODEL", help="Write the model here (.safetensors).")
@click.option("--report", metavar="HTML", help="Write a page that shows what was learned.")
@click.option(
    "--proof-time",
    default="10s",
    show_default=True,
    metavar="TIME",
    help="For the report: so long to prove whether two classes can be separated.",
)
@click.option("--cache", metavar="FILE", help="Keep the parsed rows here for later passes and runs.")
@click.option(
    "--checkpoint", metavar="FILE", help="Save the run here now and then; go on from it if it is there."
)
@click.option(
    "--every",
    default="30s",
    show_default=True,
    metavar="TIME",
    help="Time between checkpoints: 10s, 5m, 1h.",
)
@click.option(
    "--cluster",
    metavar="ADDRESS|local",
    help="Learn on the workers of this Dask scheduler, or on local ones.",
)
@click.option(
    "--how",
    type=click.Choice(["relay", "mixing", "columns"]),
    default="relay",
    show_default=True,
    help="With --cluster: weights travel; all learn at once; or a share of the classes for each.",
)
@with_features(GOOD)
@click.option("--json", "as_json", is_flag=True, help="The result as JSON, for machines.")
@click.option("--quiet", is_flag=True, help="No progress.")
def fit(train: tuple[str, ...], **options: Any) -> int:
    """Learn from TRAIN: files, folders, patterns, or - for standard input.

    svmlight, VW text, csv, tsv, Parquet, Arrow and NumPy files are read, packed or not, a piece at a time, so
    they may be larger than memory. While learning, each row is first answered and then learned from; the error
    of these answers is shown at 1, 2, 4, 8, … rows. Ctrl-C writes a checkpoint, and the same command goes on.

    \b
    Examples:
      rosenblatt fit train.svm --test test.svm --keep averaged --out model.safetensors
      rosenblatt fit days/*.csv.gz --target clicked --epochs 3 --order shuffled --cache days.arrow --out m.safetensors
      zcat log.vw.gz | rosenblatt fit - --format vw --out model.safetensors --checkpoint run.ckpt
    """  # noqa: E501
    from rosenblatt.cli.fitting import Job
    from rosenblatt.learning.compile_time import Stopwatch
    from rosenblatt.learning.progress import Progress
    from rosenblatt.learning.streams.stream_run import interruptible

    whole = Stopwatch()
    with (
        Progress(False if options["quiet"] or options["as_json"] else None, None),  # says what it compiles
        cluster_of(options) as client,
    ):
        job = Job(train, options, client)
        watch = Stopwatch()
        try:
            with interruptible(job.run, signal.SIGINT, signal.SIGTERM):
                job.learn()
        except KeyboardInterrupt:
            _say_how_to_resume(job, options)
            return INTERRUPTED
        except RuntimeError as error:
            if type(error).__name__ != "ClusterLost":
                raise
            click.echo(f"Error: {error}", err=True)
            _say_how_to_resume(job, options)
            return NO_CLUSTER
        job.finish(watch.learning, whole.compiling)
    return 0


@contextmanager
def cluster_of(options: dict[str, Any]) -> Iterator[Any]:
    """A client of the cluster that is asked for; None where none is."""
    if options["cluster"] is None:
        yield None
        return
    if options["cache"]:
        raise click.UsageError("--cache: workers keep parsed rows in memory; leave it out with --cluster")
    from rosenblatt.cluster.clients import client_of

    with client_of(options["cluster"]) as client:
        yield client


def _say_how_to_resume(job: Any, options: dict[str, Any]) -> None:
    path = job.checkpoint_path or LEFT_BEHIND
    if not job.save_checkpoint(path):
        click.echo("Interrupted; there was nothing to save.", err=True)
        return
    words = ["rosenblatt", *sys.argv[1:]]
    if not options["checkpoint"] and path != f"{options['out']}.checkpoint":
        words += ["--checkpoint", path]
    click.echo(f"Interrupted. What was learned is in {path}; go on with:\n  {shlex.join(words)}", err=True)
