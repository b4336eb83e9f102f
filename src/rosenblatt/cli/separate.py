"""`rosenblatt separate` and `rosenblatt verify`: prove separability and check proofs."""

from __future__ import annotations

import json
import math
import shlex
from pathlib import Path
from typing import Any

import click

from rosenblatt.cli.coefficient_table import regression_rows
from rosenblatt.cli.exits import BAD_DATA, NO, UNDECIDED, YES, file_must_exist
from rosenblatt.cli.option_groups import Command, add_options, option
from rosenblatt.cli.reading_options import (
    IN_PIECES,
    PLAIN,
    POSITIVE,
    labelled_rows,
    typed_again,
    with_features,
)

PICTURES = (".png", ".svg", ".pdf")
FACTS = (
    "separable", "kind", "margin", "radius", "mistake_bound", "hyperplane", "support", "separated",
    "most_separated", "consistent", "ended", "contradiction", "seconds",
)  # fmt: skip
"""The facts of a verdict that --json prints."""
QUESTIONS = ("table", "regression", "remove", "hinge_loss")
"""The options that replace the question whether the classes are separable."""
REMOVAL_FACTS = ("rows", "least", "exact", "conflicts", "contradictions", "ended", "seconds")


@click.command(cls=Command)
@click.argument("file", metavar="FILE")
@add_options([
    option(
        "--proof", group="Output", metavar="OUT",
        help="Write the proof to this file; with --table, write all proofs to this folder.",
    ),
    option(
        "--table", "as_table", group="Options", is_flag=True,
        help="Test every class against the rest, and every pair of classes.",
    ),
    option(
        "--regression", group="Options", is_flag=True,
        help="State which coefficients of a logistic regression are infinite; categories are dummy-coded.",
    ),
    option(
        "--remove", group="Options", is_flag=True,
        help="Name a few rows whose removal makes the classes separable; prove how many must be removed.",
    ),
    option(
        "--hinge-loss", group="Options", is_flag=True,
        help="Compute the smallest total hinge loss of all hyperplanes as an exact fraction, with a proof.",
    ),
    option(
        "--continue-from", group="Options", metavar="PROOF",
        help="Continue an earlier search, which wrote this proof about the same rows.",
    ),
    option(
        "--plot", group="Output", metavar="PICTURE",
        help="With --table, write a heat map of the margins to this file (png, svg or pdf).",
    ),
    option(
        "--time-limit", group="Options", type=click.FloatRange(min=0.0), metavar="S",
        help="Time limit for each test, in seconds [default: none].",
    ),
    option(
        "--tolerance", group="Options", type=click.FloatRange(0.0, 1.0, max_open=True), default=1e-2,
        show_default=True,
        help="Relative width of the proved interval for the margin; 0 for the exact margin.",
    ),
    option(
        "--offset/--no-offset", group="Options", default=True, show_default=True,
        help="Allow all hyperplanes, or only hyperplanes through the origin.",
    ),
    IN_PIECES,
    POSITIVE,
])  # fmt: skip
@with_features(PLAIN)
@option("--json", "as_json", group="Output", is_flag=True, help="Print the result as JSON.")
def separate(file: str, proof: str | None, as_table: bool, plot: str | None, **options: Any) -> int:
    """Decide whether a hyperplane separates the classes of FILE; give a proof and the largest margin.

    A file larger than memory is read block by block. If the classes of such a file are not separable,
    the command does not report whether they overlap or only touch.

    With --regression, the report states for each coefficient of a logistic regression whether its
    maximum-likelihood estimate is finite, +inf or -inf. In a categorical column, every level except the
    first level has a coefficient, as in R. For more than two classes, the regression is multinomial.

    With --remove, the report lists a few rows whose removal makes the classes separable. It also states a
    lower bound: at least this many rows must be removed. Both statements are proved. The labels of the
    listed rows are often wrong.

    With --hinge-loss, the report states the smallest total hinge loss, Σ max(0, 1 - y(w·x + b)), of any
    hyperplane. It is 0 if and only if the classes are separable.

    With --proof and --time-limit, a search that is not decided writes the facts proved so far.
    --continue-from checks these facts and continues the search. --proof and --continue-from may name the
    same file.

    Exit codes: 0 = separable; 1 = not separable; 2 = not decided within the time limit. With --table: 0 =
    every test is decided; 2 = some tests are not. With --regression: 0 = all estimates are finite; 1 = some
    are not; 2 = not decided. With --remove: 0 = separable without removing rows; 1 = rows must be removed;
    2 = not decided.
    With --hinge-loss: 0 = the loss is 0; 1 = it is above 0; 2 = not decided.

    \b
    Example:
      rosenblatt separate flowers.csv --target species --positive setosa --proof setosa.json
    """
    positive, time_limit, tolerance = options["positive"], options["time_limit"], options["tolerance"]
    if math.isnan(tolerance) or (time_limit is not None and math.isnan(time_limit)):
        raise click.UsageError("--tolerance and --time-limit: expected a number, got nan")
    _check_question({"table": as_table, **options})
    if as_table and positive is not None:
        raise click.UsageError("--positive and --table: give one of them")
    if plot and not as_table:
        raise click.UsageError("--plot: draws the table; add --table")
    if plot and (Path(plot).suffix not in PICTURES or not Path(plot).absolute().parent.is_dir()):
        raise click.UsageError(
            f"--plot: expected a file ending in {', '.join(PICTURES)} in a folder that exists"
        )
    if proof and not Path(proof).absolute().parent.is_dir():
        raise click.UsageError(f"--proof: the folder of {proof} does not exist")
    if options["regression"]:
        return _regression(file, proof, options)
    if options["remove"]:
        return _remove(file, proof, options)
    if options["hinge_loss"]:
        return _hinge_loss(file, proof, options)
    rows = labelled_rows(file, options, False if as_table else options["in_pieces"])
    how = {"offset": options["offset"], "time_limit": time_limit, "tolerance": tolerance}
    if as_table:
        from rosenblatt.comparisons.separability_table import separability_table

        table = separability_table(rows.X, rows.y, folder=proof, n_jobs=options["n_jobs"], **how)
        if options["as_json"]:
            _print_json({"complete": table.complete, "rows": table.as_dicts()})
        else:
            click.echo(str(table))
            if proof:
                click.echo(f"Proofs written to {proof}. If you run the command again, it reuses them.")
        if plot:
            table.plot().figure.savefig(plot, dpi=150)
        decided = all(row.kind != "undecided" for row in table.rows)
        return YES if table.complete and decided else UNDECIDED
    from rosenblatt.proof.separation import separate as decide

    earlier = options["continue_from"]
    verdict = decide(rows.X, rows.y, **how, continue_from=None if earlier is None else Path(earlier))
    _save(verdict, proof)
    if options["as_json"]:
        w_b = verdict.hyperplane
        hyperplane = None if w_b is None else {"w": w_b[0], "b": w_b[1]}
        _print_json({name: getattr(verdict, name) for name in FACTS} | {"hyperplane": hyperplane})
    else:
        click.echo(verdict.in_words(rows.names(verdict.proof.n_rows)))
        _name_check(proof, file, ["--positive", positive] if positive is not None else [])
    return UNDECIDED if verdict.separable is None else YES if verdict.separable else NO


def _regression(file: str, proof: str | None, options: dict[str, Any]) -> int:
    """Print which coefficients are infinite."""
    from rosenblatt.proof.regression import overlap

    rows = regression_rows(file, options)
    found = overlap(rows.X, rows.y, options["offset"], options["time_limit"], feature_names=rows.names)
    _save(found, proof)
    if options["as_json"]:
        coefficients = [each._asdict() for each in found.coefficients]
        facts = {"finite": found.finite, "separation": found.separation, "rows": found.rows}
        _print_json({**facts, "most_rows": found.most_rows, "coefficients": coefficients})
    else:
        click.echo(found.in_words(rows.source.names(len(rows.y))))
        more = ["--positive", options["positive"]] if options["positive"] is not None else []
        _name_check(proof, file, ["--regression", *more])
    return UNDECIDED if found.finite is None else YES if found.finite else NO


def _remove(file: str, proof: str | None, options: dict[str, Any]) -> int:
    """Print rows whose removal makes the classes separable."""
    from rosenblatt.proof.removal import rows_to_remove

    rows = labelled_rows(file, options)
    found = rows_to_remove(rows.X, rows.y, options["offset"], options["time_limit"])
    _save(found, proof)
    names = rows.names(len(rows.y))
    if options["as_json"]:
        w, b = found.hyperplane
        facts = {name: getattr(found, name) for name in REMOVAL_FACTS}
        _print_json({**facts, "row_numbers": found.rows + names.first, "hyperplane": {"w": w, "b": b}})
    else:
        click.echo(found.in_words(names))
        _name_check(proof, file, ["--positive", options["positive"]] if options["positive"] else [])
    return YES if not len(found.rows) else NO if found.least else UNDECIDED


def _hinge_loss(file: str, proof: str | None, options: dict[str, Any]) -> int:
    """Print the smallest total hinge loss."""
    from rosenblatt.proof.hinge_loss import least_hinge_loss

    rows = labelled_rows(file, options)
    found = least_hinge_loss(rows.X, rows.y, options["offset"], options["time_limit"])
    least, most = found.interval
    _save(found, proof)
    if options["as_json"]:
        w, b = found.hyperplane
        loss = {"least": str(least), "most": str(most), "exact": found.exact, "ended": found.ended}
        _print_json({**loss, "hyperplane": {"w": w, "b": b}, "seconds": found.seconds})
    else:
        click.echo(str(found))
        _name_check(proof, file, ["--positive", options["positive"]] if options["positive"] else [])
    return YES if not most else NO if least else UNDECIDED


def _check_question(options: dict[str, Any]) -> None:
    """Raise an error for options that ask different questions."""
    chosen = [name for name in QUESTIONS if options[name]]
    if len(chosen) > 1:
        one, other = ("--" + name.replace("_", "-") for name in chosen[:2])
        raise click.UsageError(f"{one} and {other}: give one of them")
    if not chosen:
        if options["continue_from"] is not None:
            file_must_exist(options["continue_from"])
        return
    name = "--" + chosen[0].replace("_", "-")
    if options["in_pieces"]:
        raise click.UsageError(f"{name} needs the rows in memory; omit --in-pieces")
    if options["continue_from"] is not None:
        raise click.UsageError(f"{name}: cannot be continued; omit --continue-from")


def _save(verdict: Any, proof: str | None) -> None:
    if proof:
        try:
            verdict.proof.save(proof)
        except OSError as error:
            raise click.FileError(proof, error.strerror or str(error)) from error


def _name_check(proof: str | None, file: str, more: list[str]) -> None:
    """Print the command that checks a proof."""
    if proof:
        words = ["rosenblatt", "verify", proof, file, *typed_again(click.get_current_context(), PLAIN)]
        click.echo(f"Proof written to {proof}. Check it with: {shlex.join([*words, *more])}")


def _print_json(value: Any) -> None:
    click.echo(json.dumps(_as_json(value)))


def _as_json(value: Any) -> Any:
    """Return a value with arrays as lists, and null for infinity, because JSON has no infinity."""
    if isinstance(value, dict):
        return {key: _as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(item) for item in value]
    if isinstance(value, float):
        return None if math.isinf(value) else value
    return value.tolist() if hasattr(value, "tolist") else value


@click.command(cls=Command)
@click.argument("proof", metavar="PROOF")
@click.argument("file", metavar="FILE")
@option(
    "--regression", group="Options", is_flag=True,
    help="Encode the rows as `separate --regression` does. Needed for the proofs that it writes.",
)  # fmt: skip
@IN_PIECES
@POSITIVE
@with_features(PLAIN)
def verify(proof: str, file: str, **options: Any) -> int:
    """Check PROOF against the rows of FILE in exact arithmetic, and explain what it proves.

    A proof written by `separate --table` concerns only some classes; it is checked against their rows.

    Exit codes: 0 = valid; 1 = not valid; 2 = valid, but the proof does not decide whether the classes are
    separable.

    \b
    Example:
      rosenblatt verify setosa.json flowers.csv --target species --positive setosa
    """
    from rosenblatt.errors import ProofRejected
    from rosenblatt.proof.verify import verify as check

    file_must_exist(proof)
    if options["regression"]:
        X, y, _, rows = regression_rows(file, options)
    else:
        rows = labelled_rows(file, options, options["in_pieces"])
        X, y = rows.X, rows.y
    try:
        facts = check(Path(proof), X, y)
        click.echo(facts.in_words(file, rows.names(facts.n_rows)))
    except ProofRejected as error:
        click.echo(f"Not valid: {error}.")
        click.echo(
            f"{proof} therefore proves nothing about the current content of {file}. If the file has "
            "changed, or is read with other options, create a new proof with rosenblatt separate.",
            err=True,
        )
        return NO
    except OSError as error:
        click.echo(f"Error: {proof}: {error.strerror}", err=True)
        return BAD_DATA
    return UNDECIDED if facts.separable is None else YES
