"""Training results as tables on a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from rosenblatt.models.perceptron import Perceptron
from rosenblatt.training.run import has_two_kinds

BAR = 24  # characters of the longest bar


def passes(history: list[Any]) -> Table:
    """Return a table with one line per pass: mistakes with a bar, and the measured errors."""
    table = Table(title="Mistakes in each pass", title_justify="left", box=None, pad_edge=False)
    table.add_column("pass", justify="right")
    table.add_column("mistakes", justify="right")
    table.add_column("")
    has_kinds = has_two_kinds(history)
    has_training = any(record.training_error is not None for record in history)
    has_validation = any(record.validation_error is not None for record in history)
    if has_training:
        table.add_column("training error", justify="right")
    if has_validation:
        table.add_column("validation error", justify="right")
    for kind in ("false pos.", "false neg.") if has_kinds else ():
        table.add_column(kind, justify="right")
    most = max((record.mistakes for record in history), default=0) or 1
    for record in history:
        cells = [str(record.epoch), f"{record.mistakes:,}", "█" * round(BAR * record.mistakes / most)]
        if has_training:
            cells.append(percent(record.training_error))
        if has_validation:
            cells.append(percent(record.validation_error))
        if has_kinds:
            cells += [f"{record.false_positives:,}", f"{record.false_negatives:,}"]
        table.add_row(*cells)
    return table


def weights(by_name: dict[str, float], most: int = 10) -> Table:
    """Return a table of the largest weights with the names of their features."""
    table = Table(title="Largest weights", title_justify="left", box=None, pad_edge=False)
    table.add_column("feature")
    table.add_column("weight", justify="right")
    table.add_column("")
    shown = list(by_name.items())[:most]
    largest = max((abs(weight) for _, weight in shown), default=0.0) or 1.0
    for name, weight in shown:
        table.add_row(name, f"{weight:.4g}", "█" * round(BAR * abs(weight) / largest))
    return table


def model_tables(model: Perceptron) -> RenderableType:
    """Return the counters, history and largest weights of a fitted `Perceptron` as tables."""
    counts = Table(box=None, show_header=False, pad_edge=False)
    counts.add_column(justify="right")
    counts.add_column()
    counts.add_row(f"{model.examples_seen_:,}", "examples seen")
    counts.add_row(f"{model.mistakes_:,}", "mistakes")
    if has_two_kinds(model.history_):
        first, second = model.classes_[0], model.classes_[-1]
        two = len(model.classes_) == 2
        taken = f": {first} predicted as {second}" * two
        missed = f": {second} predicted as {first}" * two
        counts.add_row(f"{model.false_positives_:,}", f"of them false positives{taken}")
        counts.add_row(f"{model.false_negatives_:,}", f"of them false negatives{missed}")
    counts.add_row(f"{model.updates_:,}", "updates")
    counts.add_row(f"{model.exact_decisions_:,}", "signs uncertain in floating point, computed exactly")
    ended = "the last pass made no mistake" if model.converged_ else "the last pass still made mistakes"
    kept = f", the weights are those of pass {model.best_epoch_}" if model.validation is not None else ""
    parts: list[RenderableType] = [
        Text(f"{model.epochs_} passes; {ended}{kept}", style="bold"), counts, Text(), passes(model.history_)
    ]  # fmt: skip
    if model.keep != "voted":
        parts += [Text(), weights(model.weights_by_name())]
    return Group(*parts)


def percent(part: float | None) -> str:
    return "" if part is None else f"{100 * part:.1f} %"
