"""Options in groups: `--help` shows the common options, and `--help-all` shows all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

GROUPS = ("Server", "Input", "Features", "Training", "Evaluation", "Output", "Options")
_SHOWS_ALL = "rosenblatt.shows_all_options"


class Option(click.Option):
    """An option that belongs to a group in the help; rare options appear only in `--help-all`."""

    def __init__(self, *args: Any, group: str = "Options", rare: bool = False, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.group, self.rare = group, rare


def option(*names: str, group: str = "Options", rare: bool = False, **settings: Any) -> Callable[..., Any]:
    """Return a decorator that adds an `Option` to a command."""
    return click.option(*names, cls=Option, group=group, rare=rare, **settings)


def add_options(options: list[Callable[..., Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds the options in the given order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for each in reversed(options):
            command = each(command)
        return command

    return decorate


class Time(click.ParamType):  # type: ignore[type-arg]
    """A time in seconds, given as 30s, 5m or 1h.

    >>> Time().convert("5m", None, None)
    300.0
    """

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value)
        units = {"s": 1.0, "m": 60.0, "h": 3600.0}
        number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1.0)
        try:
            seconds = float(number) * unit
        except ValueError:
            seconds = -1.0
        if not 0.0 <= seconds < float("inf"):
            self.fail(f"{text!r}; expected a time such as 30s, 5m or 1h", param, ctx)
        return seconds


class Command(click.Command):
    """A command whose help lists its options by group."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        params = super().get_params(ctx)
        return [*params, _HELP_ALL] if any(_is_rare(each) for each in self.params) else params

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            if not isinstance(param, click.Option) or (_is_rare(param) and not shows_all(ctx)):
                continue
            if (record := param.get_help_record(ctx)) is not None:
                groups.setdefault(getattr(param, "group", "Options"), []).append(record)
        for group in GROUPS:
            if group in groups:
                with formatter.section(group):
                    formatter.write_dl(groups[group])


def words_of(param: click.Parameter, value: Any) -> list[str]:
    """Return the words that set an option or a flag to this value on a command line."""
    if not isinstance(value, bool):
        return [param.opts[0], str(value)]
    return [(param.opts if value else param.secondary_opts or param.opts)[0]]


def shows_all(ctx: click.Context) -> bool:
    """Return whether the help shows everything, including rare options and details."""
    return bool(ctx.meta.get(_SHOWS_ALL, False))


def show_all(ctx: click.Context) -> None:
    """Make the help of this context show every option."""
    ctx.meta[_SHOWS_ALL] = True


def _is_rare(param: click.Parameter) -> bool:
    return isinstance(param, Option) and param.rare


def _print_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        show_all(ctx)
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_HELP_ALL = click.Option(
    ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_print_all,
    help="Show all options and exit.",
)  # fmt: skip
