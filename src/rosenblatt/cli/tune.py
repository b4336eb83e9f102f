"""`rosenblatt tune`: which rule, which parameters, how many passes for this file?"""

from __future__ import annotations

import json
import shlex
from typing import Any

import click

from rosenblatt.cli.reading_options import GOOD, open_rows, with_features

MOST_TO_TRY = 1 << 31  # bytes of rows


@click.command()
@click.argument("train", nargs=-1, required=True, metavar="TRAIN...")
@click.option("--test", metavar="FILE", help="Rows to measure the error of the choice on.")
@click.option("--out", metavar="MODEL", help="Learn from all rows by the choice, and write the model here.")
@click.option("--report", metavar="HTML", help="Write a page that shows what was learned.")
@click.option(
    "--hold-out", type=click.FloatRange(0.0, 1.0, True, True), default=0.2, show_default=True,
    metavar="PART",
    help="The part of the rows that is held out to compare on.",
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
    --out, --test or --report it is carried out. The default of `fit` is among them, so the choice is never
    worse on the held-out rows. Of texts, words that count by tfidf are compared with words that count 1.

    \b
    Example:
      rosenblatt tune mails.csv --target kind --out model.safetensors
    """
    from rosenblatt.models.tuning import table_of

    tried = _tried(train, options, _given(context))
    (words, best), *_ = tried
    command = _command(context, train, words, best)
    if options["as_json"]:
        click.echo(
            json.dumps({"tried": [_as_dict(*each) for each in tried], "command": shlex.join(command)})
        )
    else:
        for kind in dict.fromkeys(words for words, _ in tried):
            click.echo(f"words by {kind}:" if kind else "", nl=bool(kind))
            click.echo(table_of(one for words, one in tried if words == kind))
        click.echo(f"The best: {best}. The same by hand:\n  {shlex.join(command)}")
    if options["out"] or options["test"] or options["report"]:
        shown = ["--json"] * options["as_json"] + ["--quiet"] * options["quiet"]
        whole = context.find_root().command
        return whole.main([*command[1:], *shown], standalone_mode=False) or 0
    return 0


def _given(context: click.Context) -> set[str]:
    """The options that the user gave."""
    source = click.core.ParameterSource.DEFAULT
    return {name for name in context.params if context.get_parameter_source(name) != source}


def _tried(train: tuple[str, ...], options: dict[str, Any], given: set[str]) -> list[tuple[str, Any]]:
    """(what a word counts, settings with their error), the best first. Words: "" where there are none."""
    import numpy as np

    from rosenblatt.data.sources.met_features import met
    from rosenblatt.errors import BadInput
    from rosenblatt.learning.progress import Progress
    from rosenblatt.learning.streams.held import gathered
    from rosenblatt.models.tuning import compared, settings_to_try, suits

    source = open_rows(train, options)
    has_texts = any(role == "text" for _, role in source.settings().get("columns", ()))
    kinds = ["presence", "tfidf"] if has_texts and "words" not in given else [""]
    found = []
    with Progress(
        False if options["quiet"] or options["as_json"] else None, len(kinds), "encodings"
    ) as progress:
        for number, words in enumerate(kinds):
            progress.at(number, f"words by {words}" if words else "settings")
            asked = {**options, "words": words} if words else options
            opened = open_rows(train, asked) if words else source
            rows = gathered(met(opened), MOST_TO_TRY)
            if rows is None:
                raise BadInput(f"{source.name}: too many rows to try settings on; give a part of them")
            X, y = rows
            settings = [each for each in settings_to_try(len(np.unique(y))) if suits(each)]
            results = compared(
                X, y, settings, options["epochs"], options["hold_out"], options["folds"], options["seed"],
                options["jobs"],
            )  # fmt: skip
            found += [(words, one) for one in results]
    return sorted(found, key=lambda each: each[1].error)


def _command(context: click.Context, train: tuple[str, ...], words: str, best: Any) -> list[str]:
    """The `rosenblatt fit` that learns by these settings."""
    from rosenblatt import rules

    settings = best.settings
    command = ["rosenblatt", "fit", *train, "--rule", rules.name_of(settings["rule"])]
    for name, value in settings["rule"]._asdict().items():
        command += ["--set", f"{name}={value!r}"]
    command += ["--keep", settings["keep"], "--epochs", str(best.epochs)]
    if "multiclass" in settings:
        command += ["--multiclass", settings["multiclass"]]
    if words:
        command += ["--words", words]
    given = _given(context)
    own = {"train", "hold_out", "folds", "epochs", "as_json", "quiet", "words" if words else ""}
    for option in context.command.params:
        name = option.name or ""
        if name in given - own:
            value = context.params[name]
            if option.is_flag:  # type: ignore[attr-defined]
                command += [option.opts[0] if value else (option.secondary_opts or option.opts)[0]]
            else:
                command += [option.opts[0], str(value)]
    return command


def _as_dict(words: str, one: Any) -> dict[str, Any]:
    from rosenblatt import rules

    settings = {**one.settings, "rule": rules.name_of(one.settings["rule"])}
    parameters = one.settings["rule"]._asdict()
    return {
        **settings, "parameters": parameters, **({"words": words} if words else {}), "epochs": one.epochs,
        "error": one.error, "standard_error": one.deviation, "seconds": one.seconds,
    }  # fmt: skip
