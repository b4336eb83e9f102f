"""`Perceptron.fit_stream`: a run over rows that need not fit in memory."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from typing import Any

from rosenblatt.data.sources.reading import is_path, read
from rosenblatt.engine.threads import n_threads
from rosenblatt.errors import BadInput
from rosenblatt.learning.progress import Progress
from rosenblatt.learning.streams.held import for_passes
from rosenblatt.learning.streams.interrupting import interruptible
from rosenblatt.learning.streams.stream_run import Settings, StreamRun
from rosenblatt.models.input_checks import as_list, draw_seed
from rosenblatt.storage.checkpoints import Checkpoint, record_of, resume, save_checkpoint
from rosenblatt.storage.perceptrons import PerceptronRecord

IN_MEMORY = {
    "class_weight": (None, "weights of classes need their counts: give weights in the source instead"),
    "validation": (None, "give rows to hold out as held_out"),
    "warm_start": (False, "a stream begins anew, or from its checkpoint"),
    "allow_new_classes": (False, "name all classes"),
}
"""Parameters that only `fit` and `partial_fit` have, as they must be here, and what to do instead."""


def record_of_stream(
    model: Any,
    source: Any,
    classes: Iterable[Any] | None,
    held_out: Any,
    checkpoint: str | None,
    every: float,
    cache: str | None,
) -> PerceptronRecord:
    """What the run that the parameters of the model ask for has learned in the end."""
    settings = _settings(model, classes)
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
    """Rows from whatever was given; other rows are read as the first were."""
    if hasattr(source, "chunks") and hasattr(source, "settings"):
        return source
    if like is not None and is_path(source):
        return read(source, like=like.settings())
    return read(source)


def _settings(model: Any, classes: Iterable[Any] | None) -> Settings:
    for name, (expected, remedy) in IN_MEMORY.items():
        if getattr(model, name) != expected:
            raise BadInput(f"{name}: got {getattr(model, name)!r}, but a stream has none; {remedy}")
    if model.device not in ("cpu", "auto"):
        raise BadInput(f"device: got {model.device!r}, but streams are learned on the CPU; use 'cpu'")
    return Settings(
        rule=model.rule,
        keep=model.keep,
        offset=model.offset,
        tie=model.tie,
        init=model.init,
        epochs=model.epochs,
        until=model.until,
        order=model.order,
        multiclass=model.multiclass,
        sharing=model.sharing,
        seed=draw_seed(model.random_state),
        classes=None if classes is None else list(classes),
        track_error=model.track_error,
    )
