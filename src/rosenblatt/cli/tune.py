"""`rosenblatt tune`: which rule, which parameters, how many passes for this file?"""

from __future__ import annotations

import json
import shlex
from typing import Any

import click

from rosenblatt.cli.reading_options import GOOD, has_text, open_rows, with_features

MOST_TO_TRY = 1 << 31  # bytes of rows


@click.command()
@click.argument("train", nargs=-1, required=True, metavar="TRAIN...")
@click.option("--test", metavar="FILE", help="Rows to measure the error of the choice on.")
@click.option("--out", metavar="MODEL", help="Learn from all rows by the choice, and write the model here.")
@click.option("--report", metavar="HTML", help="Write a page that shows what was learned.")
@click.option(
    "--hold-out", type=click.FloatRange(0.0, 1.0, True, True), metavar="PART",
    help="Compare on this part of the rows, held out; else by 5 folds, or on a fifth of many rows.",
)  # fmt: skip
@click.option("--folds", type=click.IntRange(2), help="So many folds instead: each row is held out once.")
@click.option("--epochs", type=click.IntRange(1), default=20, show_default=True, help="Passes, at most.")
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Decides shuffles."
)
@with_features(GOOD)
@click.option("--json", "as_json", is_flag=True, help="The result as JSON, for machines.")
@click.option("--quiet", is_flag=True, help="No progress.")
@click.pass_context
def tune(context: click.Context, /, train: tuple[str, ...], **options: Any) -> int:
    """Compare rules, their parameters, keepers and numbers of passes on held-out rows of TRAIN.

    Prints what was tried with its error, the best first, and the `rosenblatt fit` that does the same; with
    --out, --test or --report it is carried out. The default of `fit` is among them, and the choice unless
    another is better by more than its standard error. Of texts, words that count by tfidf are compared with
    words that count 1; of numbers, ranks with standardised ones.

    \b
    Example:
      rosenblatt tune mails.csv --target kind --out model.safetensors
    """
    from rosenblatt.models.tuning import table_of

    tried = _tried(train, options, _given(context))
    (encoding, best), *_ = tried
    command = _command(context, train, encoding, best)
    if options["as_json"]:
        click.echo(
            json.dumps({"tried": [_as_dict(*each) for each in tried], "command": shlex.join(command)})
        )
    else:
        for kind in dict.fromkeys(_named(encoding) for encoding, _ in tried):
            click.echo(f"{kind}:" if kind else "", nl=bool(kind))
            click.echo(table_of(one for encoding, one in tried if _named(encoding) == kind))
        with_what = f"{best}, {_named(encoding)}" if encoding else f"{best}"
        click.echo(f"The best: {with_what}. The same by hand:\n  {shlex.join(command)}")
    if options["out"] or options["test"] or options["report"]:
        shown = ["--json"] * options["as_json"] + ["--quiet"] * options["quiet"]
        whole = context.find_root().command
        return whole.main([*command[1:], *shown], standalone_mode=False) or 0
    return 0


def _given(context: click.Context) -> set[str]:
    """The options that the user gave."""
    source = click.core.ParameterSource.DEFAULT
    return {name for name in context.params if context.get_parameter_source(name) != source}


def _named(encoding: dict[str, str]) -> str:
    """How cells become numbers, in words.

    >>> _named({"numbers": "rank", "words": "tfidf"})
    'numbers by rank, words by tfidf'
    """
    return ", ".join(f"{option} by {value}" for option, value in encoding.items())


def _encodings(source: Any, given: set[str]) -> list[dict[str, str]]:
    """The ways to make numbers of these cells that are compared, the default first."""
    roles = {role for _, role in source.settings().get("columns", ())}
    ways: list[dict[str, str]] = [{}]
    for role, option, values in (
        ("number", "numbers", ("standard", "rank")),
        ("text", "words", ("tfidf", "presence")),
    ):
        if role in roles and option not in given:
            ways = [{**way, option: value} for way in ways for value in values]
    return ways


def _tried(
    train: tuple[str, ...], options: dict[str, Any], given: set[str]
) -> list[tuple[dict[str, str], Any]]:
    """(how cells become numbers, settings with their error), the choice first."""
    import numpy as np

    from rosenblatt.data.sources.met_features import met
    from rosenblatt.errors import BadInput
    from rosenblatt.learning.progress import Progress
    from rosenblatt.learning.streams.held import gathered
    from rosenblatt.models.tuning import compared, ranked, settings_to_try, suits

    source = open_rows(train, options)
    encodings = _encodings(source, given)
    found: list[tuple[dict[str, str], Any]] = []
    with Progress(
        False if options["quiet"] or options["as_json"] else None, len(encodings), "encodings"
    ) as progress:
        for number, encoding in enumerate(encodings):
            progress.at(number, _named(encoding) or "settings")
            opened = open_rows(train, options | encoding) if encoding else source
            rows = gathered(met(opened), MOST_TO_TRY)
            if rows is None:
                raise BadInput(f"{source.name}: too many rows to try settings on; give a part of them")
            X, y = rows
            every = settings_to_try(len(np.unique(y)), has_text(source))
            settings = [each for each in every if suits(each)]
            results = compared(
                X, y, settings, options["epochs"], options["hold_out"], options["folds"], options["seed"],
                options["jobs"] or -1,
            )  # fmt: skip
            found += [(encoding, one) for one in results]
    of = {id(one): encoding for encoding, one in found}
    return [(of[id(one)], one) for one in ranked([one for _, one in found])]


def _command(
    context: click.Context, train: tuple[str, ...], encoding: dict[str, str], best: Any
) -> list[str]:
    """The `rosenblatt fit` that learns by these settings."""
    from rosenblatt import rules

    settings = best.settings
    command = ["rosenblatt", "fit", *train, "--rule", rules.name_of(settings["rule"])]
    for name, value in settings["rule"]._asdict().items():
        command += ["--set", f"{name}={value}"]
    command += ["--keep", settings["keep"], "--epochs", str(best.epochs)]
    if "multiclass" in settings:
        command += ["--multiclass", settings["multiclass"]]
    for option, value in encoding.items():
        command += [f"--{option}", value]
    given = _given(context)
    own = {"train", "hold_out", "folds", "epochs", "as_json", "quiet"}
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in given - own:
            said = context.params[name]
            if parameter.is_flag:  # type: ignore[attr-defined]
                command += [parameter.opts[0] if said else (parameter.secondary_opts or parameter.opts)[0]]
            else:
                command += [parameter.opts[0], str(said)]
    return command


def _as_dict(encoding: dict[str, str], one: Any) -> dict[str, Any]:
    from rosenblatt import rules

    settings = {**one.settings, "rule": rules.name_of(one.settings["rule"])}
    parameters = one.settings["rule"]._asdict()
    return {
        **settings, "parameters": parameters, **encoding, "epochs": one.epochs,
        "error": one.error, "standard_error": one.deviation, "seconds": one.seconds,
    }  # fmt: skip
