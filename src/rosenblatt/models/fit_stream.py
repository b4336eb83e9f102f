"""`Perceptron.fit_stream`: train on rows that need not fit into memory."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from rosenblatt.data.sources.reading import is_path, read
from rosenblatt.data.sources.recorded_names import name_features
from rosenblatt.errors import BadInput
from rosenblatt.loops.threads import n_threads
from rosenblatt.models.fit_inputs import as_list, draw_seed
from rosenblatt.storage.checkpoints import Checkpoint, record_of, resume, save_checkpoint
from rosenblatt.storage.perceptrons import PerceptronRecord
from rosenblatt.training.progress import Progress
from rosenblatt.training.run import PassObserver
from rosenblatt.training.settings import PERCEPTRON, STREAM, StreamSettings, refuse_on_a_stream, settings_of
from rosenblatt.training.streams.rows_in_memory import for_passes
from rosenblatt.training.streams.stream_run import StreamRun, interruptible


def record_of_stream(
    model: Any,
    source: Any,
    classes: Iterable[Any] | None,
    held_out: Any,
    checkpoint: str | None,
    every: float,
    cache: str | None,
    names: str | int,
    observer: PassObserver | None = None,
) -> PerceptronRecord:
    """Train on a stream with the parameters of a model, and return the record of the run."""
    settings = stream_settings(model, classes)
    rows = name_features(for_passes(_source(source), settings.epochs, cache), names)
    others = None if held_out is None else _source(held_out, rows)
    run = StreamRun(rows, settings, n_threads(model.n_jobs), held_out=others)
    run.observer = observer
    complete_run(run, model, checkpoint, every, rows.n_bytes, lambda: run.bytes_done)
    return record_of(run)


def record_so_far(run: StreamRun) -> PerceptronRecord:
    """Return a record of the run that does not change while the run goes on."""
    record = record_of(run)
    return replace(record, state=record.state.copy())


def complete_run(
    run: StreamRun,
    model: Any,
    checkpoint: str | None,
    every: float,
    size: int | None,
    done: Callable[[], int],
    unit: str = "bytes",
) -> None:
    """Make all passes of a run; show the model's progress line, call its callbacks, save checkpoints.

    `size` is the size of one pass in `unit`, if it is known; `done` returns how much of the current pass is
    done.
    """
    saving = None if checkpoint is None else Checkpoint(checkpoint, every)
    epochs = run.settings.epochs
    progress = Progress(model.progress, size and epochs and size * epochs, unit)

    def watch(run: StreamRun) -> None:
        if saving is not None:
            saving(run)
        if run.state is not None:
            so_far = (size or 0) * len(run.history) + done()
            progress.at(so_far, f"pass {len(run.history) + 1}, {run.state.mistakes:,} mistakes")

    run.watch, run.after_pass = watch, as_list(model.callbacks)
    if checkpoint is not None:
        resume(run, checkpoint, any_seed=model.random_state is None)
    with progress, interruptible(run, signal.SIGINT):
        try:
            run.go()
        except KeyboardInterrupt:
            if checkpoint is not None:
                save_checkpoint(run, checkpoint)
            raise
    if saving is not None:
        saving.remove()


def _source(source: Any, like: Any = None) -> Any:
    """Return a source for any accepted input; `like` is a source whose reading options are used."""
    if hasattr(source, "chunks") and hasattr(source, "settings"):
        return source
    if like is not None and is_path(source):
        return read(source, like=like.settings())
    return read(source)


def stream_settings(model: Any, classes: Iterable[Any] | None) -> StreamSettings:
    """Return the stream settings that correspond to the parameters of an estimator."""
    refuse_on_a_stream(PERCEPTRON, vars(model))
    if model.device not in ("cpu", "auto"):
        raise BadInput(f"device: got {model.device!r}, but streams are learned on the CPU; use 'cpu'")
    shared = settings_of(STREAM).keys() & settings_of(PERCEPTRON)
    return StreamSettings(
        **{name: getattr(model, name) for name in shared},
        seed=draw_seed(model.random_state),
        classes=None if classes is None else list(classes),
    )
