"""`rosenblatt trace`: show a run step by step, on the terminal or as a replay page."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import click

from rosenblatt.cli.exits import refuse_overwriting
from rosenblatt.cli.option_groups import Command, add_options, option
from rosenblatt.cli.reading_options import PLAIN, POSITIVE, labelled_rows, typed_again, with_features
from rosenblatt.cli.setting_options import rule_of, settings_from_options, with_settings
from rosenblatt.errors import BadInput, counted
from rosenblatt.training.settings import TRACE

SHOWN = 50


def _initial_weights(
    context: click.Context, option: click.Parameter, text: str | None
) -> str | list[float] | None:
    if text in (None, "zeros", "unit"):
        return text
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"{text!r}; expected numbers such as 1,-0.5", context, option) from None


@click.command(cls=Command)
@option(
    "--example", "key", group="Input", metavar="KEY",
    help="Worked example of the lecture notes [default: list all, unless --data is given].",
)  # fmt: skip
@option("--part", group="Input", metavar="PART", help="Part of the example, by name or number (1, 2, …).")
@option("--data", group="Input", metavar="FILE", help="File with labelled rows of two classes.")
@with_settings(TRACE, ("degree", "gamma", "coef0"))
@add_options([
    option(
        "--init", group="Training", metavar="zeros|unit|W1,W2,...[,B]", callback=_initial_weights,
        help="Initial weights; a further number is the offset [default: zeros, or as in the worked "
        "example].",
    ),
    option(
        "--max-steps", group="Training", rare=True, type=click.IntRange(0), default=100_000,
        show_default=True, help="Maximum number of steps to record.",
    ),
    option("--html", group="Output", metavar="PAGE", help="Write an interactive replay to this HTML file."),
    option(
        "--jsonl", group="Output", metavar="OUT",
        help="Write the steps to this file, or to standard output (-), as JSON lines. Their field "
        "'index' counts rows from 0; the printed table counts from 1.",
    ),
    option(
        "--rows", group="Output", type=click.IntRange(0), default=SHOWN, show_default=True,
        help="Maximum number of steps to print for each run.",
    ),
    POSITIVE,
])  # fmt: skip
@with_features(PLAIN)
def trace(**options: Any) -> None:
    """Show training step by step, on a worked example from the lecture notes or on the rows of a file.

    For each step, the table shows the number of the row (from 1, not counting a header), its score w·x + b
    and its functional margin y(w·x + b). It also shows the values after the update: w and b, the functional
    margin of the row, and w·w*, where w* is the separator with the largest margin γ. Below the table, the
    mistakes are compared with the bound (R/γ)². With --kernel, the table shows the coefficient of the
    update and the number of support rows instead of the weights.

    \b
    Examples:
      rosenblatt trace --example 003-cycle
      rosenblatt trace --example xor --part halfspace --html xor.html
      rosenblatt trace --example xor --part halfspace --kernel polynomial --degree 2 --gamma 1
      rosenblatt trace --data flowers.csv --target species --positive setosa --html flowers.html
      rosenblatt trace --example order --rule arow --set covariance=full --html sure.html
      rosenblatt trace --example 001-perceptron --init 1,1 --keep averaged
    """
    key, data = options["key"], options["data"]
    if key and data:
        raise click.UsageError("--example and --data: give one of them")
    if options["html"] and options["jsonl"] == "-":
        raise click.UsageError("--html and --jsonl -: write the steps to a file, or leave out --html")
    if options["part"] and not key:
        raise click.UsageError("--part: names a part of a worked example; add --example")
    if options["positive"] is not None and not data:
        raise click.UsageError("--positive names a class of a file; give --data")
    if not data and (words := typed_again(click.get_current_context(), PLAIN)):
        raise click.UsageError(f"{words[0]}: applies to a file; give --data")
    if not options["kernel"] and any(options[name] is not None for name in ("degree", "gamma", "coef0")):
        raise click.UsageError("--degree, --gamma and --coef0 apply to a kernel; give --kernel")
    if options["kernel"] and options["keep"]:
        raise click.UsageError("--keep: with --kernel w is a sum over support rows; leave --keep out")
    if data:
        _show(_of_file(options), options, data)
    elif key:
        _example(key, options)
    elif options["html"] or options["jsonl"]:
        raise click.UsageError("--html and --jsonl record a run; give --example or --data")
    else:
        from rosenblatt.course.lectures import EXAMPLES

        for example in EXAMPLES.values():
            click.echo(f"{example.key:16} {example.title}")
            if len(example.parts) > 1:
                parts = "; ".join(
                    f"{number} = {name}" for number, name in enumerate(example.parts, start=1)
                )
                click.echo(f"{'':16} --part: {parts}")


def _changes(options: dict[str, Any], n_features: int = 0) -> dict[str, Any]:
    """Return the settings that the user gave, as arguments of `trace`."""
    given = settings_from_options(TRACE, options)
    if (init := options["init"]) is not None:
        has_offset = not isinstance(init, str) and len(init) == n_features + 1
        given["init"] = (init[:-1], init[-1]) if has_offset else init
    if "seed" in given:
        given["random_state"] = given.pop("seed")
    if options["rule"] is not None or options["assigned"]:
        given["rule"] = rule_of(options["rule"] or "rosenblatt", options["assigned"])
    if "epochs" in given:
        given["until"] = None
    return given


def _of_file(options: dict[str, Any]) -> Any:
    import numpy as np

    from rosenblatt.traces import trace as record

    for name in ("html", "jsonl"):
        if options[name] != "-":
            refuse_overwriting(f"--{name}", options[name], [options["data"]])
    rows, positive = labelled_rows(options["data"], options), options["positive"]
    y = rows.y if positive is None else np.where(rows.y == positive, 1, -1)
    settings: dict[str, Any] = {"epochs": None, "until": "separated"} | _changes(options, rows.X.shape[1])
    try:
        steps = record(rows.X, y, **settings, max_steps=options["max_steps"])
    except BadInput as error:
        raise BadInput(f"{options['data']}: {error}") from error
    if rows.features:
        steps.settings["features"] = list(rows.features)
    if positive is not None:
        steps.settings["classes"] = [f"not {positive}", positive]
    return steps


def _example(key: str, options: dict[str, Any]) -> None:
    from rosenblatt.course.lectures import EXAMPLES, Run

    if key not in EXAMPLES:
        raise click.BadParameter(f"{key!r}; the examples are {', '.join(EXAMPLES)}", param_hint="--example")
    example, changes = EXAMPLES[key], _changes(options)
    try:
        part = None if options["part"] is None else example.name_of(options["part"])
    except BadInput as error:
        names = ", ".join(map(repr, example.parts))
        raise click.BadParameter(
            f"{options['part']!r}; {key} has {names}, by name or by number from 1", param_hint="--part"
        ) from error
    writes = next((f"--{option}" for option in ("html", "jsonl") if options[option]), "")
    if not changes and not writes and part is None:
        click.echo(example.describe(options["rows"], options["max_steps"], first_row=1))
        return
    if part is not None and not changes and not writes and not isinstance(example.parts[part], Run):
        click.echo(str(example.parts[part]))
        _say_slip(example)
        return
    runs = example.runs()
    name = part or next(iter(runs), None)
    if name not in runs:
        _refuse_to_replay(example, part or next(iter(example.parts)), writes or "a setting of a run")
    if part is None and len(runs) > 1 and options["jsonl"] != "-":
        others = (
            "the other: --part 2" if len(runs) == 2 else f"the others: --part 2 to {len(example.parts)}"
        )
        click.echo(f"[{name}], the first of {len(runs)} runs; {others}")
    changes = _changes(options, len(runs[name].points[0]))
    steps = runs[name].run(**changes, max_steps=options["max_steps"])
    _show(steps, options, f"{key}: {example.title} [{name}]")
    if options["jsonl"] == "-":
        return
    own = steps.settings["epochs"]
    if own and options["epochs"] is None and steps[-1:] and steps[-1].epoch == own and not steps.separated:
        click.echo(f"This worked example makes {counted(own, 'pass')}; --epochs N makes N passes.")
    _say_slip(example)


def _say_slip(example: Any) -> None:
    if example.slip:
        click.echo(f"\nAn error in the notes: {example.slip}")


def _refuse_to_replay(example: Any, name: str, option: str) -> NoReturn:
    from rosenblatt.course.lectures import EXAMPLES

    with_steps = ", ".join(key for key, other in EXAMPLES.items() if other.runs())
    raise click.UsageError(
        f"{option}: {name!r} of {example.key} is {example.parts[name].kind}: there are no steps to replay; "
        f"without it the scores and answers are printed. Examples with steps: {with_steps}"
    )


def _show(steps: Any, options: dict[str, Any], title: str) -> None:
    if options["jsonl"] == "-":
        for line in steps.json_lines():
            click.echo(line, nl=False)
        return
    negative, positive = steps.settings["classes"]
    if (negative, positive) != ("-1", "1"):
        click.echo(f"+ is {positive}, − is {negative}")
    click.echo(steps.report(options["rows"], first_row=1))
    if len(steps) == options["max_steps"] and not steps.separated and not steps.cycle:
        hint = "" if options["kernel"] else "; `rosenblatt separate` decides whether it can end"
        click.echo(f"The run was stopped by --max-steps; --epochs N makes N passes{hint}.")
    for name, write in (("html", steps.to_html), ("jsonl", steps.to_jsonl)):
        if path := options[name]:
            write(path, **({"title": title} if name == "html" else {}))
            click.echo(f"{'Replay' if name == 'html' else 'Steps'} written to {path}.")
            if name == "html":
                click.echo(f"Open it in a browser: {Path(path).absolute().as_uri()}")
