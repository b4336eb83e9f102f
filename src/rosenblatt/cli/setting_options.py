"""The settings of learning as options of a command, made from their one description."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem

from rosenblatt.learning.settings import COMMAND, FLAG, RULE, Setting, settings_of


class RuleName(click.ParamType):  # type: ignore[type-arg]
    """The name of a rule. To know them is to load the compiler, so they are asked only when needed."""

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
    """What a rule does and which parameters it has, as it says itself."""
    from rosenblatt.rules import facts, written

    parameters = written(rule._field_defaults)
    return facts(rule()).help + (f" [{parameters}]" if parameters else "")


def rule_of(name: str, assigned: tuple[str, ...]) -> Any:
    """The rule of that name, with the parameters given."""
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
            raise click.BadParameter(f"{pair!r}; the value is no number", param_hint="--set") from None
    return rule(**parameters)


class WithRules(click.Command):
    """A command whose help ends with the rules."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from rosenblatt.rules import RULES

        with formatter.section("Rules, and the parameters that --set takes"):
            formatter.write_dl([(name, help_of(cls)) for name, cls in RULES.items()])


def with_settings(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command that has every setting of `rosenblatt fit`."""
    for setting in reversed(settings_of(COMMAND).values()):
        command = option_of(setting)(command)
    return command


def option_of(setting: Setting) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """--name CHOICE, --name/--no-name, --name NUMBER or --name NAMES, by what the setting may be."""
    name, text = f"--{setting.name.replace('_', '-')}", setting.help
    if setting.unless_given:
        text += f"  [default: {setting.unless_given}]"
    if setting.choices and setting.default is None and not setting.unless_given:  # may be asked for
        (choice,) = setting.choices
        return click.option(f"{name}-{choice}", setting.name, flag_value=choice, help=text)
    if FLAG in setting.kinds:
        return click.option(f"{name}/--no-{name[2:]}", default=setting.default, help=text)
    if RULE in setting.kinds:
        return click.option(name, type=RuleName(), default=setting.default, help=text)
    if setting.default is None and not setting.unless_given:
        return click.option(name, metavar="NAMES", callback=_listed, help=text)
    among = (
        click.Choice(setting.choices) if setting.choices else click.IntRange(setting.least, setting.most)
    )
    return click.option(name, type=among, default=setting.default, show_default=True, help=text)


def _listed(context: click.Context, option: click.Parameter, names: str | None) -> list[str] | None:
    return [name.strip() for name in names.split(",")] if names else None
