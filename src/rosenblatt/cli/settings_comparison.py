"""The options of `rosenblatt fit` that control the comparison of settings before training."""

from __future__ import annotations

import click

from rosenblatt.cli.option_groups import option
from rosenblatt.models.default_settings import EFFORTS, METRICS

ENCODING = ("numbers", "pairs", "characters", "ngrams", "words")
RULE = ("rule", "assigned")

EFFORT = option(
    "--effort", group="Training", type=click.Choice(EFFORTS), default="quick",
    show_default=True,
    help="Compare no settings, up to 6, or about 50, before training.",
)  # fmt: skip
METRIC = option(
    "--metric", group="Training", rare=True, default="error", show_default=True,
    type=click.Choice(METRICS),
    help="Measure by which --effort compares: error = fraction of misclassified rows; balanced = mean "
    "error of the classes; auc = 1 - area under the ROC curve; f1 = 1 - F1 of the rarer class; log_loss = "
    "log loss of calibrated probabilities.",
)  # fmt: skip


def explicit_options(context: click.Context | None) -> set[str]:
    """Return the names of the options that the user gave."""
    if context is None:
        return set()
    source = click.core.ParameterSource.DEFAULT
    return {name for name in context.params if context.get_parameter_source(name) != source}


def fixed_settings(context: click.Context | None) -> set[str]:
    """Return the settings that the user chose: "rule", and fields of `Encoding`; they are not compared."""
    given = explicit_options(context)
    return {name for name in ENCODING if name in given} | ({"rule"} if given & set(RULE) else set())
