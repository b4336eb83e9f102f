"""Interruptions, pipes, and weights of examples that start in a later part of a file."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from rosenblatt import Perceptron, read
from rosenblatt.data.sources import text_blocks
from rosenblatt.data.sources.cache import Cached
from rosenblatt.storage.checkpoints import resume, save_checkpoint
from rosenblatt.training.settings import StreamSettings
from rosenblatt.training.streams import progressive
from rosenblatt.training.streams import stream_run as running
from rosenblatt.training.streams.stream_run import StreamRun, interruptible


def learn_by(function, monkeypatch):
    for room in (running, progressive):
        monkeypatch.setattr(room, "learn_all", function)


@pytest.mark.parametrize("moment", [1, 4, 9])
@pytest.mark.parametrize("order", ["given", "shuffled"])
def test_a_signal_within_a_group_waits_for_its_end(
    moment, order, problem, svm, small_blocks, tmp_path, monkeypatch
):
    path, file = str(tmp_path / "run.ckpt"), svm(*problem())
    settings = StreamSettings(order=order, epochs=2, seed=1)
    whole = StreamRun(read(file), settings)
    whole.go()
    learn, left = running.learn_all, [moment]

    def learn_and_be_interrupted(*arguments):
        learn(*arguments)
        left[0] -= 1
        if left[0] == 0:
            signal.raise_signal(signal.SIGINT)

    learn_by(learn_and_be_interrupted, monkeypatch)
    made = StreamRun(read(file), settings)
    with pytest.raises(KeyboardInterrupt), interruptible(made, signal.SIGINT):
        made.go()
    assert not made.is_learning
    save_checkpoint(made, path)
    again = StreamRun(read(file), settings)
    assert resume(again, path)
    again.go()
    assert again.state.current().tobytes() == whole.state.current().tobytes()
    assert again.state.examples_seen == whole.state.examples_seen


def test_the_second_signal_does_not_wait(problem, svm, monkeypatch):
    def be_interrupted_twice(*_):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    learn_by(be_interrupted_twice, monkeypatch)
    made = StreamRun(read(svm(*problem())), StreamSettings())
    with pytest.raises(KeyboardInterrupt), interruptible(made, signal.SIGINT):
        made.go()
    assert made.is_learning
    save_checkpoint(made, "nothing is written within a group")
    assert not os.path.exists("nothing is written within a group")


def test_the_handler_of_the_user_comes_back(problem, svm):
    before = signal.getsignal(signal.SIGINT)
    made = StreamRun(read(svm(*problem())), StreamSettings())
    with interruptible(made, signal.SIGINT):
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
@pytest.mark.parametrize("epochs", [1, 2])
def test_a_named_pipe_is_read_from_its_first_byte_and_once(epochs, problem, svm, tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "BLOCK", 1000)
    X, y = problem()
    content, pipe = Path(svm(X, y)).read_bytes(), str(tmp_path / "pipe")
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: Path(pipe).write_bytes(content))
    writer.start()
    model = Perceptron(order="given", epochs=epochs).fit_stream(read(pipe, "svmlight"))
    writer.join()
    other = Perceptron(order="given", epochs=epochs).fit(csr_array(X), y)
    assert model.coef_.tobytes() == other.coef_.tobytes()


def test_a_cache_keeps_weights_that_come_after_the_first_part(tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "BLOCK", 400)
    lines = [
        f"{1 if k % 3 else -1} {'' if k < 100 else k % 2} | {k % 7}:{k % 5 + 1} {k % 11}:2\n"
        for k in range(300)
    ]
    (tmp_path / "rows.vw").write_text("".join(lines))
    file = str(tmp_path / "rows.vw")
    plain, cached = (
        StreamRun(read(file), StreamSettings(epochs=2)),
        Cached(read(file), str(tmp_path / "rows.arrow")),
    )
    plain.go()
    kept = StreamRun(cached, StreamSettings(epochs=2))
    kept.go()
    assert cached.is_warm
    assert kept.state.current().tobytes() == plain.state.current().tobytes()


def test_tables_that_pandas_reads_in_pieces_are_a_source(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(np.round(rng.normal(size=(100, 3)), 3), columns=list("abc"))
    table["y"] = np.where(table["a"] > 0, "yes", "no")
    table.to_csv(tmp_path / "t.csv", index=False)
    with pd.read_csv(tmp_path / "t.csv", chunksize=30) as pieces:
        model = Perceptron(epochs=1, order="given").fit_stream(pieces)
    other = Perceptron(epochs=1, order="given").fit(table[list("abc")], table["y"])
    assert model.coef_.tobytes() == other.coef_.tobytes()
    assert model.feature_names_in_.tolist() == list("abc")
