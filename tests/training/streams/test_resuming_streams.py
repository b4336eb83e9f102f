"""A run resumed from a checkpoint ends with the bits of an uninterrupted run."""

from __future__ import annotations

import os

import pytest

from rosenblatt import rules
from rosenblatt.data.sources import read
from rosenblatt.errors import BadInput
from rosenblatt.storage.checkpoints import Checkpoint, record_of, resume, save_checkpoint
from rosenblatt.storage.perceptrons import load_perceptron
from rosenblatt.training.settings import StreamSettings
from rosenblatt.training.streams.stream_run import StreamRun
from tests.covering import all_turns, case_id


class Stop(Exception):
    pass


def stopping_after(n_groups, path):
    """A watcher that saves a checkpoint at the n-th group and then stops the run."""
    left = [n_groups]

    def watch(run):
        left[0] -= 1
        if left[0] == 0:
            save_checkpoint(run, path)
            raise Stop

    return watch


def finish(make, path, steps):
    """The run, stopped again and again; returns it and how often it was stopped."""
    stops = 0
    while True:
        made = make(stopping_after(steps, path))
        resume(made, path)
        try:
            made.go()
        except Stop:
            stops += 1
        else:
            return made, stops


SETTINGS = [
    {"keep": "averaged", "rule": "forgetting"}, {"keep": "voted"}, {"keep": "pocket"},
    {"rule": rules.Arow(2.0, "full"), "keep": "averaged"}, {"multiclass": "ultraconservative"},
]  # fmt: skip


@pytest.mark.parametrize(("settings", "steps"), all_turns(SETTINGS, [1, 3, 7]), ids=case_id)
def test_a_shuffled_run_stopped_at_any_group_ends_with_the_same_bits(
    settings, steps, problem, svm, small_blocks, tmp_path
):
    path = str(tmp_path / "run.ckpt")
    file = svm(*problem(k=3 if "multiclass" in settings else 2))
    chosen = StreamSettings(order="shuffled", epochs=2, seed=3, **settings)
    whole = StreamRun(read(file), chosen)
    whole.go()
    parts, stops = finish(lambda watch: StreamRun(read(file), chosen, watch=watch), path, steps)
    assert stops
    assert parts.state.current().tobytes() == whole.state.current().tobytes()
    if not whole.state.is_committee:
        assert parts.state.returned_weights().tobytes() == whole.state.returned_weights().tobytes()
    assert parts.progressive == whole.progressive
    assert [e._replace(seconds=0.0) for e in parts.history] == [
        e._replace(seconds=0.0) for e in whole.history
    ]


def test_a_checkpoint_comes_at_regular_intervals(problem, svm, small_blocks, tmp_path):
    path = str(tmp_path / "run.ckpt")
    file = svm(*problem())
    often = Checkpoint(path, every=0.0)
    made = StreamRun(read(file), StreamSettings(), watch=often)
    made.go()
    assert load_perceptron(path).run["position"]["parts"] > 1
    often.remove()
    assert not os.path.exists(path)
    seldom = Checkpoint(path, every=1e9)
    StreamRun(read(file), StreamSettings(), watch=seldom).go()
    assert not os.path.exists(path)


@pytest.fixture
def left_behind(problem, svm, small_blocks, tmp_path):
    """A file, and the checkpoint of a run over it that was stopped."""
    path, file = str(tmp_path / "run.ckpt"), svm(*problem())
    with pytest.raises(Stop):
        StreamRun(read(file), StreamSettings(epochs=2), watch=stopping_after(3, path)).go()
    return path, file


def test_a_checkpoint_of_another_file_is_refused(left_behind, svm, problem):
    path, _ = left_behind
    other = svm(*problem(seed=2), "other.svm")
    with pytest.raises(BadInput, match=r"another run .*remove it to start again"):
        resume(StreamRun(read(other), StreamSettings(epochs=2)), path)


def test_a_checkpoint_of_a_file_that_has_changed_is_refused(left_behind):
    path, file = left_behind
    with open(file, "a") as more:
        more.write("1 1:1\n")
    with pytest.raises(BadInput, match="the file has changed"):
        resume(StreamRun(read(file), StreamSettings(epochs=2)), path)


@pytest.mark.parametrize(
    "other",
    [
        {"rule": "margin"},
        {"rule": rules.PassiveAggressive1(C=1.0)},
        {"epochs": 3},
        {"seed": 1},
        {"keep": "averaged"},
        {"order": "shuffled"},
    ],
)
def test_a_checkpoint_of_other_settings_is_refused(other, left_behind):
    path, file = left_behind
    with pytest.raises(BadInput, match=next(iter(other))):
        resume(StreamRun(read(file), StreamSettings(**{"epochs": 2, **other})), path)


def test_a_model_is_not_treated_as_a_checkpoint(problem, svm, tmp_path):
    from rosenblatt.storage.perceptrons import save_perceptron

    made = StreamRun(read(svm(*problem())), StreamSettings())
    made.go()
    path = str(tmp_path / "model.safetensors")
    save_perceptron(record_of(made), path)
    with pytest.raises(BadInput, match="complete model, not a checkpoint"):
        resume(StreamRun(read(svm(*problem())), StreamSettings()), path)


@pytest.mark.parametrize(
    "damage", [{"position": {}}, {"position": None}, {"progressive": {"examples": "x"}}, {"progressive": 3}]
)
def test_a_damaged_checkpoint_is_named(damage, left_behind):
    from rosenblatt.storage.perceptrons import save_perceptron

    path, file = left_behind
    record = load_perceptron(path)
    record.run |= damage
    save_perceptron(record, path)
    with pytest.raises(BadInput, match="damaged"):
        resume(StreamRun(read(file), StreamSettings(epochs=2)), path)


def test_bad_lines_passed_over_before_a_stop_are_counted_after_it(problem, svm, small_blocks, tmp_path):
    path, file = str(tmp_path / "run.ckpt"), svm(*problem())
    with open(file) as text:
        lines = text.readlines()
    with open(file, "w") as text:
        text.writelines([lines[0], "one 1:2\n", *lines[1:150], "1 2:x\n", *lines[150:]])
    chosen = StreamSettings(epochs=1)
    parts, stops = finish(lambda watch: StreamRun(read(file, skip_bad=2), chosen, watch=watch), path, 3)
    assert stops > 1
    assert parts.source.n_bad == 2
    with pytest.raises(BadInput, match=r"value 'x' is not a number.*1 malformed line"):
        finish(lambda watch: StreamRun(read(file, skip_bad=1), chosen, watch=watch), f"{path}2", 3)
