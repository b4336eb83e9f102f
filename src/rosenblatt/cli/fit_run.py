"""`FitRun`: train with progress and checkpoints, then evaluate and report (`rosenblatt fit`)."""

from __future__ import annotations

import errno
import json
import os
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.held_out_rows import HeldOutRows, refuse_label_features
from rosenblatt.cli.reading_options import open_rows, warn_of_columns
from rosenblatt.cli.setting_options import rule_of
from rosenblatt.cli.settings_comparison import fixed_settings
from rosenblatt.cli.source_messages import KnownLabels, SourceMessages
from rosenblatt.data.sources.numbered_features import number_features, numbered_as
from rosenblatt.errors import BadInput
from rosenblatt.loops.threads import n_threads
from rosenblatt.models.default_settings import (
    by_classes,
    default_rule,
    has_text,
    passes_over,
    select_for,
    use_selection,
)
from rosenblatt.reports.facts import Facts, HeldOutResult, as_dict, as_text
from rosenblatt.rules import name_of
from rosenblatt.storage.checkpoints import Checkpoint, record_of, resume, save_checkpoint
from rosenblatt.storage.perceptrons import LABELS, PerceptronRecord, save_perceptron
from rosenblatt.storage.update_records import save_update_record
from rosenblatt.training.compile_time import Stopwatch
from rosenblatt.training.progress import Progress
from rosenblatt.training.settings import COMMAND, StreamSettings, settings_of
from rosenblatt.training.streams.class_weights import WeightedClasses
from rosenblatt.training.streams.evaluations import Evaluation, evaluate
from rosenblatt.training.streams.rows_in_memory import for_passes, load_rows
from rosenblatt.training.streams.splitting import places
from rosenblatt.training.streams.stream_run import StreamRun, shuffle_seed
from rosenblatt.training.update_record import UpdateRecorder, refuse_unrecordable

if TYPE_CHECKING:
    from rosenblatt.explanations.example_rows import ExampleRows
    from rosenblatt.explanations.label_suspects import LabelCheck
    from rosenblatt.proof.verdict import Verdict

MOST_TO_PROVE = 1 << 26  # bytes of rows up to which separability is tested


class FitRun:
    """Run `rosenblatt fit` once."""

    def __init__(self, train: tuple[str, ...], options: dict[str, Any], client: Any = None) -> None:
        refuse_unwritable(options, train)
        if options["report"]:
            from rosenblatt.reports.page_templates import environment

            environment()  # raises an error now if jinja2 is missing
        self._client = client  # a Dask client, to train on a cluster
        self._options = options
        self._held_out = HeldOutRows(options)
        self._is_quiet = options["quiet"] or options["as_json"]
        source = open_rows(train, options, skips_few=True, statistics=False)
        settings = stream_settings(self._options, source)
        self.selection = select_for(
            source, settings, options["effort"], options["metric"], options["seed"],
            fixed_settings(click.get_current_context(silent=True)), options["multiclass"],
            self._held_out.part, class_weight=options["class_weight"],
        )  # fmt: skip
        self._settings = use_selection(source, settings, self.selection)
        if self._held_out.reads_again:
            refuse_label_features(getattr(source, "columns", None))
        if hasattr(source, "learn_statistics"):
            source.learn_statistics()
        self._messages, self._has_text = SourceMessages(source), has_text(source)
        if not self._is_quiet:
            warn_of_columns(source)
            if options["verbose"]:
                self._messages.show_columns()
        self._test = None
        if options["test"]:  # raises errors now, not after training
            self._test = open_rows(
                options["test"], _same_files(options), skips_few=True, like=source.settings()
            )
        self._epochs = options["epochs"] or passes_over(source)
        weight = options["class_weight"]
        reads_again = weight is not None or (source.comes_once and self._held_out.reads_again)
        reads_once = self._epochs == 1 and not reads_again
        self._rows = source
        if client is None:  # on a cluster, workers keep rows in memory
            self._rows = for_passes(source, 1 if reads_once else max(2, self._epochs), options["cache"])
        if weight is not None:
            self._rows = WeightedClasses(self._rows, weight)
        source = number_features(
            self._held_out.training_part(self._rows), reads_all_first=not reads_once,
            names=options["names"],
        )  # fmt: skip
        held_out = self._held_out.held_out_part(self._rows) if self._test is None else self._test
        held_out = numbered_as(source, held_out) if options["report"] and held_out is not None else None
        self.run = self._begin(source, self._settings, self._watch, held_out)
        if options["record"]:
            self._refuse_to_record()
            self.run.recorder = UpdateRecorder()
        self.checkpoint_path: str | None = options["checkpoint"] or (
            f"{options['out']}.checkpoint" if options["out"] else None
        )
        path, every = options["checkpoint"], options["every"]
        self._checkpoint = Checkpoint(path, every) if path else None
        self._progress: Progress | None = None
        self._lines_printed = 0
        self._clock = Stopwatch()

    def _begin(
        self, source: Any, settings: StreamSettings, watch: Any = lambda run: None, held_out: Any = None
    ) -> StreamRun:
        def for_classes(settings: StreamSettings, n_classes: int) -> StreamSettings:
            self._held_out.check(n_classes)
            return by_classes(settings, n_classes, self._options["multiclass"])

        if self._client is not None:
            from rosenblatt.cluster.file_parts import FileParts
            from rosenblatt.cluster.model_fitting import run_of

            settings = settings.but(epochs=self._epochs)
            return run_of(
                self._options["how"], FileParts(source), settings, self._client, {}, watch=watch,
                held_out=held_out, by_classes=for_classes,
            )  # fmt: skip
        jobs = n_threads(self._options["n_jobs"] or -1)
        return StreamRun(source, settings.but(epochs=self._epochs), jobs, watch, held_out, for_classes)

    def _refuse_to_record(self) -> None:
        """Raise an error if the updates of this run cannot be recorded."""
        if self._client is not None:
            raise click.UsageError("--record: a run on a cluster is not recorded; leave one of them out")
        if self._settings.init != "zeros":
            raise click.UsageError("--record: needs --init zeros, so that all weights come from updates")
        refuse_unrecordable(self.run.settings.rule, self._settings.keep)

    def _measure_folds(self) -> tuple[Evaluation, list[float]]:
        settings = self._settings.but(track_error=False)
        say = (lambda line: None) if self._is_quiet else (lambda line: click.echo(line, err=True))
        return self._held_out.measure_folds(
            self._rows, lambda rows, classes: self._begin(rows, settings.but(classes=list(classes))), say
        )

    def learn(self) -> None:
        """Evaluate the folds, if any; then train, from the start or from the checkpoint."""
        self._folds = self._measure_folds() if self._held_out.folds else None
        path = self.checkpoint_path
        if path and os.path.exists(path) and self._options["record"]:
            raise click.UsageError(
                f"--record: {path} is the checkpoint of an earlier run, whose updates are "
                "not recorded; remove it"
            )
        if path and resume(self.run, path):
            self._lines_printed = len(self.run.progressive.lines)
            looks = self.run.state.examples_seen if self.run.state else 0
            click.echo(f"Resuming from {path}, after {looks:,} examples.", err=True)
        total = self.run.source.n_bytes
        with Progress(
            False if self._is_quiet else None, total and total * self._epochs, "bytes"
        ) as self._progress:
            self.run.go()
            self._say_lines(self._progress, at_end=True)

    def _watch(self, run: StreamRun) -> None:
        if self._checkpoint is not None:
            self._checkpoint(run)
        progress, state = self._progress, run.state
        if progress is None or state is None or self._is_quiet:
            return
        self._say_lines(progress)
        elapsed = max(1e-9, self._clock.learning)
        done = (run.source.n_bytes or 0) * len(run.history) + run.bytes_done
        progress.at(
            done,
            f"pass {len(run.history) + 1}, {state.examples_seen / elapsed:,.0f} examples/s, "
            f"{done / elapsed / 1e6:,.0f} MB/s, {state.mistakes:,} mistakes",
        )

    def _say_lines(self, progress: Progress, at_end: bool = False) -> None:
        """Print the new lines of the progressive error, which is measured after 1, 2, 4, 8, … rows.

        `at_end` adds the error over all rows.
        """
        progressive = self.run.progressive
        if not progressive.lines or self._is_quiet or not self._options["verbose"]:
            return
        reached, kinds = progressive.all_lines, progressive.kinds
        lines, until = [], len(reached) if at_end else len(progressive.lines)
        if not self._lines_printed:
            of_kinds = f" {'false pos.':>11} {'false neg.':>11}" if kinds else ""
            lines += [f"{'examples':>12} {'mistakes':>12}{of_kinds} {'error':>9} {'since last':>11}"]
        for number in range(self._lines_printed, until):
            examples, errors = reached[number]
            before, errors_before = reached[number - 1] if number else (0, 0)
            since = (errors - errors_before) / (examples - before)
            counts = f" {kinds[number][0]:11,} {kinds[number][1]:11,}" if kinds else ""
            lines += [f"{examples:12,} {errors:12,}{counts} {errors / examples:9.4f} {since:11.4f}"]
        if lines:
            progress.say("\n".join(lines))
        self._lines_printed = until

    def save_checkpoint(self, path: str) -> bool:
        """Save a checkpoint, and return whether the file exists.

        If training was interrupted within a group of rows, the file may be an earlier checkpoint.
        """
        save_checkpoint(self.run, path)
        return os.path.exists(path)

    def finish(self, seconds: float, compiling: float) -> None:
        """Save the model, evaluate it and print the results; `seconds` excludes compilation."""
        options, record = self._options, record_of(self.run)
        apart = self._evaluate(record)
        if options["out"]:
            save_perceptron(record, options["out"])
        if self.run.recorder is not None:
            split = {"seed": options["seed"], "part": self._held_out.part} if self._held_out.part else {}
            updates = self.run.recorder.finish(self._settings.keep, float(options["offset"]))
            save_update_record(replace(updates, split=split), options["record"])
        if self.checkpoint_path and os.path.exists(self.checkpoint_path):
            os.remove(self.checkpoint_path)
        evaluation = None
        if self._test is not None:
            rows = KnownLabels(numbered_as(self.run.source, self._test), record.classes.tolist())
            counted = Evaluation(record.classes, None, record.calibration, record.threshold)
            evaluation = evaluate(record.state, record.classes, rows, record.answers(), counted)
            rows.warn()
        training, verdict, replay = self._training() if options["report"] else None, None, None
        if training is not None:
            from rosenblatt.reports.retracing import replay_run

            verdict, replay = self._verdict(), replay_run(self.run, options["seed"])
        facts = Facts(
            record=record,
            source=self.run.source.name,
            n_bytes=self.run.bytes_done,
            n_bad=self.run.source.n_bad,
            seconds=seconds,
            compiling=compiling,
            progressive=self.run.progressive,
            test=evaluation,
            test_name=options["test"],
            apart=apart,
            training=training,
            verdict=verdict,
            model=options["out"],
            weights=record.state.current().tolist()
            if options["textbook"] and record.state.has_two_classes
            else None,
            command=shlex.join(["rosenblatt", *sys.argv[1:]]),
            replay=replay,
            examples=self._examples(record) if options["report"] else None,
            labels=self._labels(record) if options["report"] else None,
        )
        if options["report"]:
            from rosenblatt.reports.report_page import write_page

            write_page(facts, options["report"])
        if options["as_json"]:
            chosen = None if self.selection is None else self.selection.as_dict()
            click.echo(json.dumps(as_dict(facts) | self._messages.as_dict() | {"selection": chosen}))
            return
        if self.selection is not None and not self._is_quiet:
            click.echo(str(self.selection), err=True)
        click.echo(as_text(facts, options["verbose"]))
        if options["report"]:
            click.echo(f"Report written to {options['report']}.")
        if not self._is_quiet:
            if not options["verbose"]:
                self._messages.show_columns()
            self._messages.show_notes()
            SourceMessages(self._test).show_notes()

    def _evaluate(self, record: PerceptronRecord) -> HeldOutResult | None:
        """Evaluate on folds or held-out rows; store probabilities and the threshold in the record.

        Return None if there are no folds and no held-out rows.
        """
        if self._folds is not None:
            found, errors = self._folds
            where = f"rows of {self._rows.name} in {len(errors)} folds"
        elif self._held_out.part:
            found, errors, where = (
                self._held_out.measure(self.run, self._rows),
                [],
                f"held-out rows of {self._rows.name}",
            )
        else:
            return None
        found, lines = self._held_out.calibrate(record, found)
        return HeldOutResult(found, where, errors, lines)

    def _training(self) -> Evaluation | None:
        """Return the evaluation on the training rows, or None if they can be read only once."""
        state, source = self.run.state, self.run.source
        assert state is not None
        try:
            return evaluate(state, self.run.classes, source)
        except BadInput:
            return None

    def _examples(self, record: PerceptronRecord) -> ExampleRows | None:
        """Return held-out rows with explanations, or None if there are none or the model has no weights."""
        if record.state.is_committee or record.target == LABELS or self._client is not None:
            return None
        from rosenblatt.explanations.example_rows import example_rows

        if self._test is not None:
            return example_rows(record, numbered_as(self.run.source, self._test))
        part = self._held_out.part
        if not part:
            return None
        seed = self._options["seed"]
        rows = numbered_as(self.run.source, self._rows)
        return example_rows(record, rows, lambda y, k: places(y, seed, k) < part)

    def _labels(self, record: PerceptronRecord) -> LabelCheck | None:
        """Return the rows whose label is doubtful, or None on a cluster or for tables of labels."""
        if self._client is not None or record.target == LABELS:
            return None
        from rosenblatt.explanations.label_suspects import check_labels

        return check_labels(numbered_as(self.run.source, self._rows), record.classes, self._has_text)

    def _verdict(self) -> Verdict | None:
        """Return the verdict on separability, or None for more than two classes or too many rows."""
        limit = self._options["proof_time"]
        if len(self.run.classes) != 2 or not limit:
            return None
        from rosenblatt.proof.separation import separate  # slow to import, rarely needed

        rows = load_rows(self.run.source, MOST_TO_PROVE)
        if rows is None:
            return None
        return separate(*rows, offset=self._options["offset"], time_limit=limit)


def _same_files(options: dict[str, Any]) -> dict[str, Any]:
    """Return the reading options that also apply to other files that the model is used on."""
    names = ("skip_bad", "n_jobs", "target", "weight", "missing", "header", "delimiter", "charset")
    return {name: options[name] for name in names}


def stream_settings(options: dict[str, Any], source: Any) -> StreamSettings:
    """Return the training settings that the options specify, assuming that there are two classes."""
    given = {name: options[name] for name in settings_of(COMMAND) if options[name] is not None}
    rule, assigned = options["rule"], options["assigned"]
    if not rule:
        names = {each.partition("=")[0] for each in assigned}
        is_mixed = options["cluster"] is not None and options["how"] == "mixing"
        default = default_rule(has_text(source), options["keep"], is_mixed, names)
        rule = name_of(default)
        assigned = (*(f"{name}={value}" for name, value in default._asdict().items()), *assigned)
    return StreamSettings(**given).but(
        rule=rule_of(rule, assigned),
        seed=shuffle_seed(options["seed"]),
        track_error=bool(options["report"]),
    )


def refuse_unwritable(options: dict[str, Any], inputs: tuple[str, ...]) -> None:
    """Raise an error if an output cannot be written or would overwrite an input."""
    given = {
        name: options[name] for name in ("out", "report", "cache", "checkpoint", "record") if options[name]
    }
    if options["out"] and not options["checkpoint"]:
        given["out"], given["checkpoint"] = options["out"], f"{options['out']}.checkpoint"
    taken = {
        os.path.realpath(path): "is an input file"
        for path in (*inputs, options["test"] or "")
        if path != "-"
    }
    for name, path in given.items():
        if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
            raise OSError(errno.ENOENT, f"--{name}: there is no such folder", path)
        if os.path.isdir(path):
            raise OSError(errno.EISDIR, f"--{name}: it is a folder; give the name of a file", path)
        if known := taken.get(os.path.realpath(path)):
            raise click.UsageError(f"--{name}: {path} {known}; give another name")
        taken[os.path.realpath(path)] = f"is also given as --{name}"
