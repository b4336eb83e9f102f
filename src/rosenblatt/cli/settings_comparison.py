"""The options of `rosenblatt fit` that control the comparison of settings before training."""

from __future__ import annotations

from typing import Any

import click

from rosenblatt.cli.option_groups import option
from rosenblatt.models.default_settings import COMPARED, EFFORTS, METRICS

RULE = ("rule", "assigned")

EFFORT = option(
    "--effort", group="Training", type=click.Choice(EFFORTS), default="quick",
    show_default=True,
    help="Number of settings to compare before training: none, a few (quick), or up to 30 (thorough).",
)  # fmt: skip
METRIC = option(
    "--metric", group="Training", rare=True, default="error", show_default=True,
    type=click.Choice(METRICS),
    help="Measure for comparing settings: error = fraction of misclassified rows; balanced = mean error of "
    "the classes; auc = 1 - area under the ROC curve; f1 = 1 - F1 of the rarer class; log_loss = "
    "log loss of calibrated probabilities.",
)  # fmt: skip


def _class_weights(context: click.Context, option: click.Parameter, text: str | None) -> Any:
    """Return "balanced", or the weight of each class that the text names.

    >>> _class_weights(None, None, "spam=5,ham=0.5")
    {'spam': 5.0, 'ham': 0.5}
    """
    if text is None or text == "balanced":
        return text
    weights = {}
    for part in text.split(","):
        name, _, weight = part.rpartition("=")
        try:
            weights[name.strip()] = float(weight)
        except ValueError:
            raise click.BadParameter(
                f'{part!r}; expected "balanced", or weights such as spam=5,ham=1', context, option
            ) from None
    return weights


CLASS_WEIGHT = option(
    "--class-weight", group="Training", metavar="balanced|CLASS=W,...", callback=_class_weights,
    help="Weight of the rows of each class; balanced = the same total weight for all classes.",
)  # fmt: skip


def explicit_options(context: click.Context | None) -> set[str]:
    """Return the names of the options that the user gave."""
    if context is None:
        return set()
    source = click.core.ParameterSource.DEFAULT
    return {name for name in context.params if context.get_parameter_source(name) != source}


def fixed_settings(context: click.Context | None) -> set[str]:
    """Return the settings that the user chose; they are not compared."""
    given = explicit_options(context)
    return {name for name in COMPARED if name in given} | ({"rule"} if given & set(RULE) else set())
