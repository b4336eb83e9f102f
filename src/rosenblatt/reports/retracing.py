"""Repeat a training run step by step, so that the report can contain a replay.

Runs are deterministic: the same rows, order and settings give the same bits. So small runs are not recorded
during training but traced afterwards. The replay is shown only if it ends with the weights of the model.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.data.sources.naming import field_names
from rosenblatt.traces import trace
from rosenblatt.traces.replay_data import Replay, replay
from rosenblatt.training.streams.rows_in_memory import load_rows
from rosenblatt.training.streams.stream_run import StreamRun

MOST_ROWS = 2000  # points that a plot can show
MOST_LOOKS = 20_000  # about one second of tracing and a few megabytes of the page
MOST_FEATURES = 100
PATIENCE = 5.0  # time limit of the search for w* in seconds


def replay_run(run: StreamRun, random_state: int) -> Replay | None:
    """Return the replay of a small run with two classes, or None for any other run.

    >>> from rosenblatt import read
    >>> from rosenblatt.training.settings import StreamSettings
    >>> run = StreamRun(read([([[0.0, 1.0], [2.0, 0.0]], ["ham", "spam"])]), StreamSettings(epochs=5))
    >>> run.go()
    >>> replay_run(run, 0).head["classes"]
    ['ham', 'spam']
    """
    state = run.state
    if state is None or len(run.classes) != 2 or not hasattr(state, "current") or not run.history:
        return None
    looks = sum(epoch.examples_seen for epoch in run.history)
    n_rows = run.history[0].examples_seen
    n_features = len(state.current()) - 1
    if looks > MOST_LOOKS or n_rows > MOST_ROWS or n_features > MOST_FEATURES:
        return None
    rows = load_rows(run.source, 8 * MOST_ROWS * MOST_FEATURES * 2)
    if rows is None:
        return None
    settings = run.settings
    steps = trace(
        *rows,
        rule=settings.rule,
        keep=settings.keep,
        offset=settings.offset,
        tie=settings.tie,
        init=settings.init,
        epochs=len(run.history),
        order=settings.order,
        random_state=random_state,
        progress=False,
    )
    if not np.array_equal(np.append(steps.weights, steps.offset), state.current()):
        return None  # rows with weights, or a file that changed
    names = field_names(run.source.settings())
    if names is not None and len(names) == n_features:
        steps.settings["features"] = names
    return replay(steps, time_limit=PATIENCE)
