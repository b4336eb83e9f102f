"""Training options, generated from the table of settings."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import click
from click.shell_completion import CompletionItem

from rosenblatt.cli.option_groups import Command, add_options, option, shows_all
from rosenblatt.training.settings import FLAG, NUMBER, RULE, Setting, settings_of


class RuleName(click.ParamType):  # type: ignore[type-arg]
    """The name of a rule; rules are imported only when needed, because the import loads the compiler."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from rosenblatt.rules import RULES

        if value not in RULES:
            self.fail(f"{value!r} is not one of {', '.join(map(repr, RULES))}.", param, ctx)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from rosenblatt.rules import RULES

        return [
            CompletionItem(name, help=help_of(cls))
            for name, cls in RULES.items()
            if name.startswith(incomplete)
        ]


def help_of(rule: Any) -> str:
    """Return the help text of a rule, with its parameters and their defaults."""
    from rosenblatt.rules import facts, format_parameters

    parameters = format_parameters(rule._field_defaults)
    return facts(rule()).help + (f" [{parameters}]" if parameters else "")


def rule_of(name: str, assigned: tuple[str, ...]) -> Any:
    """Return the rule with this name and the parameters given by --set."""
    from rosenblatt.rules import RULES, Choice, facts

    rule: Any = RULES[name]
    parameters: dict[str, float | str] = {}
    ranges = facts(rule()).ranges
    for pair in assigned:
        parameter, equals, value = pair.partition("=")
        if not equals or parameter not in rule._fields:
            known = ", ".join(rule._fields)
            raise click.BadParameter(f"{pair!r}; {name} has the parameters {known}", param_hint="--set")
        if isinstance(ranges.get(parameter), Choice):
            parameters[parameter] = value
            continue
        try:
            parameters[parameter] = float(value)
        except ValueError:
            raise click.BadParameter(f"{pair!r}; the value is not a number", param_hint="--set") from None
    return rule(**parameters)


class CommandWithRules(Command):
    """A command whose help ends with a list of the rules."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from rosenblatt.rules import RULES

        if not shows_all(ctx):
            with formatter.section("Rules (--help-all explains them)"):
                formatter.write_text(", ".join(RULES))
            return
        with formatter.section("Rules and the parameters that --set accepts"):
            formatter.write_dl([(name, help_of(cls)) for name, cls in RULES.items()])


def with_settings(place: str, rare: Collection[str] = ()) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that adds a command's settings as options, and --set for rule parameters.

    `rare` lists the settings that only --help-all shows.
    """
    options = [option_of(setting, setting.name in rare) for setting in settings_of(place).values()]
    assigned = option(
        "--set", "assigned", group="Training", multiple=True, metavar="NAME=VALUE",
        help="Parameter of the rule; may be repeated.",
    )  # fmt: skip
    return add_options([*options, assigned])


def option_of(setting: Setting, rare: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option for a setting; its type depends on the values that the setting accepts."""
    name, text = f"--{setting.name.replace('_', '-')}", setting.help
    if setting.unless_given:
        text += f"  [default: {setting.unless_given}]"
    place: Any = {"group": "Training", "rare": rare, "default": setting.default}
    if FLAG in setting.kinds:
        return option(f"{name}/--no-{name[2:]}", show_default=True, help=text, **place)
    if RULE in setting.kinds:
        return option(name, type=RuleName(), help=text, **place)
    if len(setting.choices) == 1:
        (choice,) = setting.choices
        return option(f"{name}-{choice}", setting.name, flag_value=choice, help=text, **place)
    if setting.choices:
        return option(name, type=click.Choice(setting.choices), show_default=True, help=text, **place)
    if setting.least is not None:
        limits = click.FloatRange if NUMBER in setting.kinds else click.IntRange
        return option(name, type=limits(setting.least, setting.most), show_default=True, help=text, **place)
    if NUMBER in setting.kinds:
        return option(name, metavar="NUMBER", callback=_number_or_word, help=text, **place)
    return option(name, metavar="NAMES", callback=_split, help=text, **place)


def settings_from_options(place: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the settings, other than the rule, that the user gave."""
    names = (name for name in settings_of(place) if name != "rule")
    return {name: options[name] for name in names if options[name] is not None}


def _split(context: click.Context, option: click.Parameter, names: str | None) -> list[str] | None:
    return [name.strip() for name in names.split(",")] if names else None


def _number_or_word(
    context: click.Context, option: click.Parameter, text: str | None
) -> float | str | None:
    try:
        return text and float(text)
    except ValueError:
        return text  # not a number: `trace` checks whether it accepts the word
