"""Convert a run to a record: the contents of a model file, or a checkpoint from which a run continues."""

from __future__ import annotations

import os
import time
from dataclasses import asdict
from typing import Any

import numpy as np

from rosenblatt.data.sources import text_blocks
from rosenblatt.data.sources.feature_names import Vocabulary
from rosenblatt.data.sources.naming import field_names
from rosenblatt.data.sources.numbered_features import NUMBERS, NumberedFeatures
from rosenblatt.data.sources.recorded_names import NamedFeatures
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.storage.perceptrons import (
    CLASSES,
    TWO_CLASSES,
    PerceptronRecord,
    load_perceptron,
    save_perceptron,
)
from rosenblatt.training.settings import PERCEPTRON, StreamSettings, differs, settings_of
from rosenblatt.training.streams import shuffling
from rosenblatt.training.streams.progressive import BY, LAST, Progressive
from rosenblatt.training.streams.stream_run import Position, StreamRun
from rosenblatt.training.streams.stream_targets import Teaching

EVERY = 30.0
"""Seconds between checkpoints."""

AT_ONCE = 1 << 22  # weights that are examined together


def record_of(run: StreamRun, is_whole: bool = False) -> PerceptronRecord:
    """Return the record of what the run has learned so far.

    It holds the names of all features that have a weight, or with `is_whole` of all features.
    """
    state, classes, converged = run.state, run.classes, run.has_converged
    assert state is not None
    reading = run.source.settings()
    names = field_names(reading)
    return PerceptronRecord(
        state=state,
        classes=classes,
        target=TWO_CLASSES if len(classes) == 2 else CLASSES,
        parameters=parameters_of(run.settings),
        feature_names=names if names and len(names) == state.n_features else None,
        seed=run.settings.seed,
        class_totals=np.zeros(len(classes)),
        history=list(run.history),
        converged=converged,
        best_epoch=state.epochs,
        device="cpu",
        reading=reading,
        vocabulary=vocabulary_of(run, is_whole),
        **state.summary(),
    )


def vocabulary_of(run: StreamRun, is_whole: bool) -> Vocabulary | None:
    """Return the names of the features, or None if they are not recorded."""
    source, state = run.source, run.state
    if not isinstance(source, NamedFeatures | NumberedFeatures) or state is None:
        return None
    if is_whole or not source.recorded.are_recorded:
        return source.vocabulary(None, state.n_features)
    sizes = np.ones(state.n_features)
    if not state.is_committee:
        step = max(1, AT_ONCE // state.n_columns)
        for first in range(0, state.n_features, step):
            some = np.arange(first, min(first + step, state.n_features))
            sizes[some] = np.abs(np.atleast_2d(state.returned_weights(some))).max(axis=0)
    return source.vocabulary(sizes, state.n_features)


def parameters_of(settings: StreamSettings) -> dict[str, Any]:
    """Return the parameters of a `Perceptron` with these settings."""
    return {name: value for name, value in vars(settings).items() if name in settings_of(PERCEPTRON)}


# ---------------------------------------------------------------- checkpoints


def save_checkpoint(run: StreamRun, path: str) -> None:
    """Save the whole run; in the middle of a group of rows, keep the previous checkpoint."""
    if run.state is None or run.is_learning:
        return
    record = record_of(run, is_whole=True)
    record.run = {
        **_identity(run),
        "position": asdict(run.position),
        "progressive": asdict(run.progressive),
    }
    save_perceptron(record, path)


def resume(run: StreamRun, path: str, any_seed: bool = False) -> bool:
    """Continue from a checkpoint; return False if the file does not exist.

    With `any_seed`, the run adopts the seed of the checkpoint.
    """
    if not os.path.exists(path):
        return False
    record = load_perceptron(path)
    if any_seed:
        run.settings = run.settings.but(seed=record.seed)
    if record.run is None:
        raise BadInput(f"{path}: is a complete model, not a checkpoint; give the checkpoint another name")
    run.settings = run.by_classes(run.settings, len(record.classes))
    _refuse_another_run(record.run, _identity(run), record, run, path)
    try:
        place, progressive = record.run["position"], record.run["progressive"]
        names = ("parts", "mistakes", "updates", "examples", "bad", "false_positives", "false_negatives")
        counts = {name: _count(place[name]) for name in names}
        if run.source.n_parts is not None and counts["parts"] > run.source.n_parts:
            raise ValueError("more parts than there are")
        run.position = Position(**counts, seconds=max(0.0, float(place["seconds"])))
        run.source.n_bad = run.position.bad
        run.progressive = Progressive(
            _count(progressive["examples"]),
            _count(progressive["errors"]),
            [(_count(a), _count(b)) for a, b in progressive["lines"]],
            None if progressive["false_positives"] is None else _count(progressive["false_positives"]),
            [_count(count) for count in progressive["false_positives_by_line"]],
            progressive["by"] if progressive["by"] in BY else LAST,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(
            f"{path}: the checkpoint is damaged ({error!r}); remove it to start again"
        ) from error
    source: Any = run.source
    if record.reading is not None and NUMBERS in record.reading:
        source.remember(record.reading)
    if isinstance(source, NamedFeatures | NumberedFeatures):
        is_counted = bool(record.history) or getattr(source, "reads_all_first", False)
        source.recorded.restore(record.vocabulary, record.state.n_features, is_counted)
    run.state, run.history = record.state, record.history
    run.teaching = Teaching(record.classes)
    return True


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value


def _identity(run: StreamRun) -> dict[str, Any]:
    """Return the properties that must be equal for a run to continue: its rows and how they are divided."""
    return {
        "source": run.source.fingerprint(),
        "reading": {name: value for name, value in run.source.settings().items() if name != NUMBERS},
        "classes": None if run.settings.classes is None else [str(name) for name in run.settings.classes],
        "block": text_blocks.BLOCK,
        "buffer": shuffling.BUFFER_BYTES,
    }


def _refuse_another_run(
    before: dict[str, Any], now: dict[str, Any], record: PerceptronRecord, run: StreamRun, path: str
) -> None:
    for name, value in now.items():
        if before.get(name) != value:
            what = "the file has changed or is another file" if name == "source" else f"{name} differs"
            raise BadInput(
                f"{path}: the checkpoint belongs to another run ({what}); resume with the same data, or "
                "remove it to start again"
            )
    for name, value in {**parameters_of(run.settings), "seed": run.settings.seed}.items():
        known = record.seed if name == "seed" else record.parameters.get(name)
        if differs(known, value):
            raise BadInput(
                f"{path}: the checkpoint is of a run with {name}={known!r}, not {value!r}; continue as it "
                "began, or remove the checkpoint to start again"
            )


class Checkpoint:
    """Write a checkpoint at regular intervals; a run calls this object when it reports progress."""

    def __init__(self, path: str, every: float = EVERY) -> None:
        if isinstance(every, bool) or not isinstance(every, (int, float)) or not every >= 0.0:
            raise bad_value("every", every, "seconds, 0 or more")
        self.path, self.every = path, every
        self._last = time.monotonic()

    def __call__(self, run: StreamRun) -> None:
        if time.monotonic() - self._last >= self.every:
            save_checkpoint(run, self.path)
            self._last = time.monotonic()

    def remove(self) -> None:
        """Remove the checkpoint, once the run has finished and its model is saved."""
        if os.path.exists(self.path):
            os.remove(self.path)
