"""Compare a few settings before training, and use the best (`rosenblatt fit --effort`)."""

from __future__ import annotations

from typing import Any

import click

from rosenblatt.cli.option_groups import option

ENCODING = ("numbers", "pairs", "characters", "ngrams", "words")
RULE = ("rule", "assigned")

EFFORT = option(
    "--effort", group="Training", type=click.Choice(["none", "quick", "thorough"]), default="quick",
    show_default=True,
    help="Compare no settings, up to 6, or about 50, before training.",
)  # fmt: skip
METRIC = option(
    "--metric", group="Training", rare=True, default="error", show_default=True,
    type=click.Choice(["error", "balanced", "auc", "f1", "log_loss"]),
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


def compare_settings(source: Any, settings: Any, options: dict[str, Any], held_out: Any) -> Any:
    """Return the selection among a few settings, or None if nothing can be compared.

    `settings` are the training settings for two classes. Settings that the user gave are not compared.
    Held-out rows take no part.
    """
    if options["effort"] == "none" or not _can_be_compared(source, options, held_out):
        return None
    given = explicit_options(click.get_current_context(silent=True))
    fixed = {name for name in ENCODING if name in given} | ({"rule"} if given & set(RULE) else set())
    import numpy as np

    from rosenblatt.cli.fit_run import by_classes
    from rosenblatt.data.sources.row_samples import EFFORTS, FEWEST_ROWS, sample_rows
    from rosenblatt.training.streams.splitting import places

    effort = EFFORTS[options["effort"]]

    def is_for_training(labels: Any, part: int) -> Any:
        return places(labels, options["seed"], part) >= held_out.part

    table, y = sample_rows(source, effort, is_for_training if held_out.part else None)
    if len(y) < FEWEST_ROWS:
        return None
    from rosenblatt.models.setting_selection import candidates_for, select_settings

    candidates = candidates_for(source.columns, settings.rule, fixed, options["effort"])
    if len(candidates) < 2:
        return None
    parameters = {name: getattr(settings, name) for name in ("keep", "offset", "tie", "order")}
    parameters["multiclass"] = by_classes(settings, len(np.unique(y)), options).multiclass
    return select_settings(
        table, y, source.columns, candidates, effort, parameters, options["metric"], options["seed"] or 0
    )


def _can_be_compared(source: Any, options: dict[str, Any], held_out: Any) -> bool:
    """Return whether a sample of the rows can be taken and encoded in several ways.

    Standard input can be read only once, and weights of rows are not sampled. If rows may be dropped, the
    held-out rows are not known before the rows are encoded.
    """
    columns = getattr(source, "columns", None)
    is_plain = columns is not None and not source.comes_once and not columns.names("weight")
    drops = options["skip_bad"] or options["missing"] == "drop"
    return is_plain and not (held_out.part and drops)


def describe_selection(selection: Any) -> str:
    """Return two lines of text about the settings that were compared and the choice.

    >>> from rosenblatt.data.sources.encoding import Encoding
    >>> from rosenblatt.models.setting_selection import Candidate, Selection
    >>> tried = [Candidate(Encoding(), None), Candidate(Encoding(), None, ("--numbers", "piecewise"))]
    >>> print(describe_selection(Selection(tried, [0.2, 0.15], [0.01, 0.01], 1, 900, 3)))
    Compared 2 settings by 3-fold cross-validation on 900 rows.
    Chose --numbers piecewise: error 0.1500, with the default settings 0.2000.
    """
    values, metric = selection.errors, selection.metric.replace("_", " ")
    where = f"{selection.n_folds}-fold cross-validation on {selection.n_rows:,} rows"
    first = f"Compared {len(values)} settings by {where}."
    if selection.chosen:
        return (
            f"{first}\nChose {selection.best}: {metric} {values[selection.chosen]:.4f}, "
            f"with the default settings {values[0]:.4f}."
        )
    least = min(values)
    return (
        f"{first}\nKept the default settings: {metric} {values[0]:.4f}; no other settings are better by "
        f"more than a standard error (smallest error: {least:.4f})."
    )
