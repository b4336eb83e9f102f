"""Held-out rows and folds: evaluate a run, calibrate its probabilities, choose its threshold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import numpy as np

from rosenblatt.cli.exits import in_options
from rosenblatt.data.sources.encoding import RATIO
from rosenblatt.data.sources.numbered_features import number_features, numbered_as
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import plain
from rosenblatt.training.streams.evaluations import Evaluation, Scored, evaluate
from rosenblatt.training.streams.shuffling import labels_of
from rosenblatt.training.streams.splitting import Some
from rosenblatt.training.streams.stream_targets import find_classes

A_TENTH = 0.1


class HeldOutRows:
    """Select the held-out rows or folds that the options request, and evaluate on them."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._method, self._seed = options["probabilities"], options["seed"]
        self._classes = options["classes"]
        self.folds, self.part = options["folds"], options["hold_out"]
        if self.folds and self.part:
            raise click.UsageError(
                "--folds and --hold-out: give one of them; folds hold out every row once"
            )
        self._goal = None
        if options["threshold"]:
            from rosenblatt.models.calibrating import parse_goal

            try:
                self._goal = parse_goal(options["threshold"])
            except BadInput as error:
                raise click.BadParameter(str(error), param_hint="--threshold") from error
        if (self._method or self._goal) and not self.folds and not self.part:
            self.part = A_TENTH

    def check(self, n_classes: int) -> None:
        """Raise an error before training if the options do not fit the number of classes."""
        if self._goal and n_classes != 2:
            raise BadInput(f"--threshold: needs two classes, but there are {n_classes}; omit it")

    @property
    def reads_again(self) -> bool:
        return bool(self.folds or self.part)

    def training_part(self, rows: Any) -> Any:
        """Return the training rows."""
        return Some(rows, self._seed, 0.0, self.part, held=False) if self.part else rows

    def held_out_part(self, rows: Any) -> Any:
        """Return the held-out rows, or None if there are none."""
        return Some(rows, self._seed, 0.0, self.part, held=True) if self.part else None

    def _evaluation(self, classes: Any) -> Evaluation:
        return Evaluation(classes, Scored() if self._method else None)

    def measure(self, run: Any, rows: Any) -> Evaluation:
        """Return the evaluation of a run on the held-out rows."""
        if not any(len(chunk) for chunk in self.held_out_part(rows).chunks()):
            raise BadInput(
                f"--hold-out: {self.part:g} of the rows of {rows.name} is less than one row; increase it"
            )
        others = numbered_as(run.source, self.held_out_part(rows))
        return evaluate(run.state, run.classes, others, evaluation=self._evaluation(run.classes))

    def measure_folds(
        self, rows: Any, begin: Callable[..., Any], say: Callable[[str], None]
    ) -> tuple[Evaluation, list[float]]:
        """Cross-validate; return the evaluation over all folds together, and the error of each fold.

        begin(rows, classes) must return a run that will be trained on these rows.
        """
        classes = _all_classes(rows, self._classes)
        together, errors = self._evaluation(classes), []
        for k in range(self.folds):
            low, high = k / self.folds, (k + 1) / self.folds
            others = number_features(Some(rows, self._seed, low, high, held=False), reads_all_first=True)
            run = begin(others, classes)
            run.go()
            others = numbered_as(run.source, Some(rows, self._seed, low, high, held=True))
            before = together.examples, together.error * together.examples
            evaluate(run.state, classes, others, evaluation=together)
            wrong = together.error * together.examples - before[1]
            errors.append(wrong / (together.examples - before[0]))
            say(f"fold {k + 1} of {self.folds}: error {errors[-1]:.4f}")
        together.margin = None  # there is no single w
        return together, errors

    def calibrate(self, record: Any, found: Evaluation) -> tuple[Evaluation, dict[str, str]]:
        """Store the requested probabilities and threshold in the record.

        Return the evaluation with these probabilities and this threshold, and the lines to print. Print a
        warning if the held-out rows are not sufficient.
        """
        lines: dict[str, str] = {}
        scored: Any = found.scored
        if self._method:
            from rosenblatt.models.calibrating import fit_calibration

            try:
                record.calibration = fit_calibration(scored.numbers, scored.values, self._method)
                lines["calibrated"] = (
                    f"probabilities ({self._method}) on {len(scored.numbers):,} of the evaluated rows"
                )
            except BadInput as error:
                click.echo(f"Warning: {in_options(str(error))}. The model has no probabilities.", err=True)
        if self._goal:
            try:
                record.threshold, lines["threshold"] = self._threshold(self._goal, record, scored)
            except BadInput as error:
                click.echo(
                    f"Warning: {in_options(str(error))}. The model predicts by the sign of its decision "
                    "values.",
                    err=True,
                )
        found = found if record.threshold is None else found.above(record.threshold)
        found.calibration = record.calibration
        return found, lines

    @staticmethod
    def _threshold(goal: Any, record: Any, scored: Any) -> tuple[float, str]:
        from rosenblatt.models.calibrating import best_threshold

        names = [str(plain(label)) for label in record.classes]
        label = goal.label or names[1]
        if label not in names:
            raise BadInput(f"--threshold: got the class {label!r}, expected one of {', '.join(names)}")
        k = names.index(label)
        sign = 1.0 if k else -1.0
        best = best_threshold(goal, scored.numbers == k, sign * scored.values)
        return sign * best.threshold, (
            f"{sign * best.threshold:.6g} for {goal.text!r}: {label!r} then has a precision of "
            f"{best.precision:.4f} and a recall of {best.recall:.4f}"
        )


def _all_classes(rows: Any, given: Any) -> Any:
    """Return the classes of all rows, so that every fold has the same classes."""
    labels = [labels_of(chunk, rows.name).copy() for chunk in rows.chunks() if len(chunk)]
    if not labels:
        raise BadInput(f"{rows.name}: there are no rows; give a source with rows")
    return find_classes(rows, given, np.concatenate(labels))


def refuse_label_features(columns: Any) -> None:
    """Raise an error if features would depend on the labels of held-out rows.

    `columns` is the treatment of each column, or None for rows without columns.
    """
    if columns is None or columns.encoding.words != RATIO:
        return
    from rosenblatt.data.sources.field_roles import TEXT  # imports pyarrow, which other rows do not need

    if columns.names(TEXT):
        raise click.UsageError(
            f"--words {RATIO}: the values depend on the labels of all rows, also of held-out ones; give "
            "--test FILE instead of --hold-out, --folds, --probabilities or --threshold"
        )
