"""`Facts`: the result of a training run, as text, as JSON, and for the report."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt import rules
from rosenblatt.errors import counted
from rosenblatt.reports.evaluation import detail_lines, error_lines
from rosenblatt.reports.measures import as_measures
from rosenblatt.storage.perceptrons import PerceptronRecord
from rosenblatt.training.calibration import method_of
from rosenblatt.training.compile_time import after_compiling
from rosenblatt.training.run import has_two_kinds
from rosenblatt.training.streams.evaluations import Evaluation
from rosenblatt.training.streams.progressive import LAST, MEAN, SOME, Progressive

if TYPE_CHECKING:
    from rosenblatt.explanations.example_rows import ExampleRows
    from rosenblatt.explanations.label_suspects import LabelCheck
    from rosenblatt.proof.verdict import Verdict
    from rosenblatt.traces.replay_data import Replay


PREDICTED_BY = {MEAN: "by the averaged weights ", LAST: "by the current weights ", SOME: ""}


class HeldOutResult(NamedTuple):
    """An evaluation on held-out rows or in folds, with the error of each fold."""

    found: Evaluation
    where: str
    errors: list[float]
    told: dict[str, str]  # lines about calibrated probabilities and the threshold

    @property
    def standard_error(self) -> float:
        """Standard error of the mean error over the folds."""
        mean = sum(self.errors) / len(self.errors)
        squares = sum((error - mean) ** 2 for error in self.errors)
        return math.sqrt(squares / (len(self.errors) - 1) / len(self.errors))


@dataclass(frozen=True)
class Facts:
    """The results of a run: record, data, speed and evaluations."""

    record: PerceptronRecord
    source: str
    n_bytes: int
    n_bad: int
    seconds: float
    progressive: Progressive
    test: Evaluation | None = None
    test_name: str | None = None
    apart: HeldOutResult | None = None  # on held-out rows or folds of the source
    training: Evaluation | None = None  # on the training rows, with the final weights
    verdict: Verdict | None = None  # on the separability of the training rows, if requested
    model: str | None = None
    weights: list[float] | None = None  # w and b, if they are to be printed
    command: str = ""
    compiling: float = 0.0  # seconds, not included in `seconds`
    replay: Replay | None = None  # if the run is small enough to view
    examples: ExampleRows | None = None  # held-out rows with explanations
    labels: LabelCheck | None = None  # training rows whose label is doubtful

    @property
    def held_out_evaluation(self) -> tuple[Evaluation, str] | None:
        """Evaluation and description of rows that were not used for training; None if there are none."""
        if self.test is not None:
            return self.test, f"rows of {self.test_name}"
        return None if self.apart is None else (self.apart.found, self.apart.where)

    @property
    def validation_error(self) -> float | None:
        """Error on validation rows after the pass whose weights were kept."""
        history = self.record.history
        kept = [epoch for epoch in history if epoch.epoch == self.record.best_epoch]
        return (kept or history)[-1].validation_error

    @property
    def looks(self) -> int:
        return sum(epoch.examples_seen for epoch in self.record.history)


def as_dict(facts: Facts) -> dict[str, Any]:
    """Return all facts as a JSON object."""
    record, test = facts.record, facts.test
    return {
        "source": facts.source,
        "examples": record.history[0].examples_seen,
        "passes": [
            {"pass": e.epoch, "mistakes": e.mistakes, "false_positives": e.false_positives,
             "false_negatives": e.false_negatives, "updates": e.updates, "examples": e.examples_seen,
             "seconds": e.seconds}
            for e in record.history
        ],
        "seconds": facts.seconds,
        "compiling_seconds": facts.compiling,
        "bad_lines": facts.n_bad,
        "classes": record.classes.tolist(),
        "features": record.n_features,
        "rule": rules.name_of(record.parameters["rule"]),
        "keep": record.parameters["keep"],
        "mistakes": record.mistakes,
        "false_positives": record.false_positives,
        "false_negatives": record.false_negatives,
        "updates": record.updates,
        "exact_decisions": record.exact_decisions,
        "converged": record.converged,
        "progressive_error": facts.progressive.error,
        "progressive_answers": facts.progressive.examples,
        "progressive_by": facts.progressive.by,
        "progressive_standard_error": facts.progressive.standard_error,
        "progressive": _progressive(facts.progressive),
        "test": None if test is None else {"source": facts.test_name, **as_measures(test)},
        "held_out": _apart(facts.apart, of_folds=False),
        "folds": _apart(facts.apart, of_folds=True),
        "probabilities": None if record.calibration is None else method_of(record.calibration),
        "threshold": record.threshold,
        "model": facts.model,
        **({} if facts.weights is None else {"weights": facts.weights[:-1], "offset": facts.weights[-1]}),
    }  # fmt: skip


def as_text(facts: Facts, is_verbose: bool = False) -> str:
    """Return the results as text: the error first, then how it was reached.

    `is_verbose` adds the mistakes of each pass.
    """
    record, before, passes = facts.record, facts.progressive, len(facts.record.history)
    parameters, rate = record.parameters, facts.looks / max(facts.seconds, 1e-9)
    names = [str(label) for label in record.classes.tolist()]
    lines = [] if facts.held_out_evaluation is None else error_lines(*facts.held_out_evaluation)
    if facts.model:
        lines.append(f"Model written to {facts.model} ({_size(os.path.getsize(facts.model))}).")
    speed = [f"{rate:,.0f} examples/s", *filter(None, [after_compiling(facts.compiling)])]
    lines.append(
        f"Trained on {counted(record.history[0].examples_seen, 'row')} of {facts.source}: "
        f"{counted(passes, 'pass')} in {facts.seconds:.2f} s ({', '.join(speed)})."
    )
    shown = {
        "classes": ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else ""),
        "features": f"{record.n_features:,}",
        "rule": f"{rules.name_of(parameters['rule'])}, {parameters['keep']} weights, "
        f"{parameters['order']} order",
        "mistakes": _mistakes(record),
    }
    if facts.weights is not None:
        from rosenblatt.traces.step_sequence import vector_text

        shown["weights"] = f"w = {vector_text(facts.weights[:-1])}, b = {facts.weights[-1]:g}"
    if before.examples:
        spread = "" if before.standard_error is None else f" ± {before.standard_error:.4f}"
        shown["progressive"] = (
            f"error {before.error:.4f}{spread} on {counted(before.examples, 'row')}, "
            f"each predicted {PREDICTED_BY[before.by]}before it was learned"
        )
    if facts.n_bad:
        shown["skipped"] = counted(facts.n_bad, "malformed line")
    if (apart := facts.apart) is not None:
        if apart.errors:
            mean = sum(apart.errors) / len(apart.errors)
            shown["folds"] = f"mean error {mean:.4f} ± {apart.standard_error:.4f}"
        elif facts.test is not None:
            shown["held out"] = f"error {apart.found.error:.4f} on {counted(apart.found.examples, 'row')}"
        shown |= apart.told
    lines += [f"  {name:12} {value}" for name, value in shown.items()]
    if is_verbose and passes > 1:
        two_kinds = has_two_kinds(record.history)
        header = f" {'false pos.':>11} {'false neg.':>11}" * two_kinds
        lines.append(f"{'pass':>6} {'mistakes':>12}{header} {'seconds':>9}")
        for e in record.history:
            kinds = f" {e.false_positives:11,} {e.false_negatives:11,}" if two_kinds else ""
            seconds = "–" if e.seconds is None else f"{e.seconds:.2f}"  # None: before the run was resumed
            lines.append(f"{e.epoch:6} {e.mistakes:12,}{kinds} {seconds:>9}")
    if facts.held_out_evaluation is not None:
        lines += detail_lines(facts.held_out_evaluation[0])
    return "\n".join(lines)


def _apart(apart: HeldOutResult | None, of_folds: bool) -> dict[str, Any] | None:
    if apart is None or bool(apart.errors) is not of_folds:
        return None
    folds = {"errors": apart.errors, "standard_error": apart.standard_error} if of_folds else {}
    return {**as_measures(apart.found), **folds}


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f} MB" if n_bytes >= 1e5 else f"{n_bytes / 1e3:,.1f} kB"


def _mistakes(record: PerceptronRecord) -> str:
    said = []
    taken, missed = record.false_positives, record.false_negatives
    if has_two_kinds(record.history):
        said += [f"{counted(taken, 'false positive')}, {counted(missed, 'false negative')}"]
    said += ["none in the last pass"] * record.converged
    return f"{record.mistakes:,} in training" + (f" ({'; '.join(said)})" if said else "")


def _progressive(told: Progressive) -> list[dict[str, int]]:
    lines = [{"examples": n, "mistakes": errors} for n, errors in told.lines]
    for line, kinds in zip(lines, told.kinds or (), strict=False):
        line["false_positives"], line["false_negatives"] = kinds
    return lines
