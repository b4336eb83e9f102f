"""`Perceptron.fit_stream`: train on rows that need not fit into memory."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from typing import Any

from rosenblatt.data.sources.reading import is_path, read
from rosenblatt.errors import BadInput
from rosenblatt.loops.threads import n_threads
from rosenblatt.models.fit_inputs import as_list, draw_seed
from rosenblatt.storage.checkpoints import Checkpoint, record_of, resume, save_checkpoint
from rosenblatt.storage.perceptrons import PerceptronRecord
from rosenblatt.training.progress import Progress
from rosenblatt.training.settings import (
    PERCEPTRON,
    STREAM,
    StreamSettings,
    refuse_on_a_stream,
    settings_of,
)
from rosenblatt.training.streams.held import for_passes
from rosenblatt.training.streams.stream_run import StreamRun, interruptible


def record_of_stream(
    model: Any,
    source: Any,
    classes: Iterable[Any] | None,
    held_out: Any,
    checkpoint: str | None,
    every: float,
    cache: str | None,
) -> PerceptronRecord:
    """Train on a stream with the parameters of a model, and return the record of the run."""
    settings = stream_settings(model, classes)
    rows = for_passes(_source(source), settings.epochs, cache)
    saving = None if checkpoint is None else Checkpoint(checkpoint, every)
    progress = Progress(model.progress, rows.n_bytes and settings.epochs and rows.n_bytes * settings.epochs)
    callbacks = as_list(model.callbacks)

    def watch(run: StreamRun) -> None:
        if saving is not None:
            saving(run)
        state = run.state
        if state is not None:
            done = (run.source.n_bytes or 0) * len(run.history) + run.bytes_done
            progress.at(done, f"pass {len(run.history) + 1}, {state.mistakes:,} mistakes")

    others = None if held_out is None else _source(held_out, rows)
    run = StreamRun(rows, settings, n_threads(model.n_jobs), watch, others)
    run.after_pass = callbacks
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
    return record_of(run)


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
