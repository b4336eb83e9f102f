"""`rosenblatt separate`: can the classes of a file be separated, and by how much?"""

from __future__ import annotations

import json
import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.exits import BAD_DATA, NO, UNDECIDED, YES, file_must_exist
from rosenblatt.cli.reading_options import IN_PIECES, PLAIN, rows_to_prove, typed_again, with_features

if TYPE_CHECKING:
    from rosenblatt.sight.separability import SeparabilityTable

PICTURES = (".png", ".svg", ".pdf")


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--proof", metavar="OUT", help="Write the proof here; with --table, a folder of proofs.")
@click.option(
    "--table",
    "as_table",
    is_flag=True,
    help="Every class against the rest, and every pair; --jobs of them at once, else one.",
)
@click.option(
    "--plot", metavar="PICTURE", help="With --table: a heat map of the margins, as png, svg or pdf."
)
@click.option(
    "--time-limit", type=click.FloatRange(min=0.0), metavar="S", help="Seconds for each question."
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0.0, 1.0, max_open=True),
    default=1e-2,
    show_default=True,
    help="Relative width of the margin's interval; 0 asks for the exact value.",
)
@click.option("--offset/--no-offset", default=True, help="Hyperplanes anywhere, or through the origin.")
@IN_PIECES
@with_features(PLAIN)
@click.option("--json", "as_json", is_flag=True, help="The answer as JSON, for machines.")
def separate(
    file: str,
    proof: str | None,
    as_table: bool,
    plot: str | None,
    time_limit: float | None,
    tolerance: float,
    offset: bool,
    in_pieces: bool | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Prove whether a hyperplane separates the classes of FILE, and by what margin.

    FILE may be larger than memory: its rows are then looked at block by block, and where nothing separates
    them, it stays open by how little.

    Exit code: 0 separable, 1 not separable, 2 not decided in the time given. With --table: 0 when every
    question is decided, else 2.

    \b
    Example:
      rosenblatt separate flowers.csv --target species --proof flowers.json
    """
    if math.isnan(tolerance) or (time_limit is not None and math.isnan(time_limit)):
        raise click.UsageError("--tolerance and --time-limit are numbers, and nan is none")
    if as_table and in_pieces:
        raise click.UsageError("--table asks many questions of rows in memory; leave out --in-pieces")
    if plot and not as_table:
        raise click.UsageError("--plot draws a table: add --table")
    if plot and (Path(plot).suffix not in PICTURES or not Path(plot).absolute().parent.is_dir()):
        raise click.UsageError(
            f"--plot: expected a file ending in {', '.join(PICTURES)} in a folder that exists"
        )
    if proof and not Path(proof).absolute().parent.is_dir():
        raise click.UsageError(f"--proof: there is no folder for {proof}")
    rows = rows_to_prove(file, options, False if as_table else in_pieces)
    if as_table:
        from rosenblatt.sight.separability import separability_table

        table = separability_table(
            rows.X, rows.y, offset, time_limit, tolerance, folder=proof, n_jobs=options["jobs"]
        )
        return _tell(table, proof, plot, as_json)
    from rosenblatt.proof.separating import separate as decide

    verdict = decide(rows.X, rows.y, offset, time_limit, tolerance)
    if proof:
        _save(verdict.proof, proof)
    if as_json:
        click.echo(json.dumps(_finite(_plain(verdict))))
    else:
        click.echo(verdict.in_words(rows.names(verdict.proof.n_rows)))
        if proof:
            words = ["rosenblatt", "verify", proof, file, *typed_again(click.get_current_context(), PLAIN)]
            click.echo(f"The proof is in {proof}; check it with: {shlex.join(words)}")
    return UNDECIDED if verdict.separable is None else YES if verdict.separable else NO


def _tell(table: SeparabilityTable, folder: str | None, plot: str | None, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps(_finite({"complete": table.complete, "rows": table.as_dicts()})))
    else:
        click.echo(str(table))
        if folder:
            click.echo(f"The proofs are in {folder}; the same command again goes on from there.")
    if plot:
        table.plot().figure.savefig(plot, dpi=150)
    decided = all(row.kind != "undecided" for row in table.rows)
    return YES if table.complete and decided else UNDECIDED


def _save(proof: Any, path: str) -> None:
    try:
        proof.save(path)
    except OSError as error:
        raise click.FileError(path, error.strerror or str(error)) from error


def _finite(value: Any) -> Any:
    """JSON has no infinity: null says that there is no limit."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and math.isinf(value) else value


def _plain(verdict: Any) -> dict[str, Any]:
    w_b = verdict.hyperplane
    return {
        "separable": verdict.separable,
        "kind": verdict.kind,
        "margin": verdict.margin,
        "radius": verdict.radius,
        "mistake_bound": verdict.mistake_bound,
        "hyperplane": None if w_b is None else {"w": w_b[0].tolist(), "b": w_b[1]},
        "support": verdict.support.tolist(),
        "separated": verdict.separated.tolist(),
        "consistent": verdict.consistent,
        "ended": verdict.ended,
        "contradiction": verdict.contradiction,
        "seconds": verdict.seconds,
    }


@click.command()
@click.argument("proof", metavar="PROOF")
@click.argument("file", metavar="FILE")
@IN_PIECES
@with_features(PLAIN)
def verify(proof: str, file: str, in_pieces: bool | None, **options: Any) -> int:
    """Check a proof against the data of FILE, by exact arithmetic, and say in plain words what it shows.

    A proof of a table says which of the classes it is about, and takes their rows from FILE. Exit code: 0
    valid, 1 not valid, 2 valid, but it does not decide whether the classes are separable.

    \b
    Example:
      rosenblatt verify flowers.json flowers.csv --target species
    """
    from rosenblatt.errors import ProofRejected
    from rosenblatt.proof.verify import verify as check

    file_must_exist(proof)
    rows = rows_to_prove(file, options, in_pieces)
    try:
        facts = check(Path(proof), rows.X, rows.y)
        click.echo(facts.in_words(file, rows.names(facts.n_rows)))
    except ProofRejected as error:
        click.echo(f"Not valid: {error}.")
        click.echo(
            f"So {proof} shows nothing about {file} as it is now. If the file has changed since, or is "
            "read with other options, prove it anew by rosenblatt separate.",
            err=True,
        )
        return NO
    except OSError as error:
        click.echo(f"Error: {proof}: {error.strerror}", err=True)
        return BAD_DATA
    return UNDECIDED if facts.separable is None else YES
