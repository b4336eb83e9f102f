"""The settings of learning as options of a command, made from their one description."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from rosenblatt.learning.settings import COMMAND, FLAG, Setting, settings_of


def with_settings(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command that has every setting of `rosenblatt fit`."""
    for setting in reversed(settings_of(COMMAND).values()):
        command = option_of(setting)(command)
    return command


def option_of(setting: Setting) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """--name CHOICE, --name/--no-name, --name NUMBER or --name NAMES, by what the setting may be."""
    name, text = f"--{setting.name.replace('_', '-')}", setting.help
    if setting.choices and setting.default is None:  # one that may be asked for
        (choice,) = setting.choices
        return click.option(f"{name}-{choice}", setting.name, flag_value=choice, help=text)
    if FLAG in setting.kinds:
        return click.option(f"{name}/--no-{name[2:]}", default=setting.default, help=text)
    if setting.default is None:
        return click.option(name, metavar="NAMES", callback=_listed, help=text)
    among = (
        click.Choice(setting.choices) if setting.choices else click.IntRange(setting.least, setting.most)
    )
    return click.option(name, type=among, default=setting.default, show_default=True, help=text)


def _listed(context: click.Context, option: click.Parameter, names: str | None) -> list[str] | None:
    return [name.strip() for name in names.split(",")] if names else None
