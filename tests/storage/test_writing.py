"""A model file is written completely or not at all; errors name it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, Learner, Perceptron
from rosenblatt.errors import BadInput
from rosenblatt.models.saving import load, save
from rosenblatt.rules.rule_hooks import step, threshold
from rosenblatt.storage import container
from rosenblatt.storage.container import MOST_VALUES, read, write
from rosenblatt.storage.perceptrons import PerceptronRecord, save_perceptron
from rosenblatt.training.initial_states import begin

ARRAYS = {"weights": np.arange(50_000.0)}


@pytest.fixture
def old(tmp_path) -> Path:
    """A model that is there already."""
    write(tmp_path / "model", {"weights": np.ones(3)}, {"which": "old"})
    return tmp_path / "model"


def is_as_before(old: Path) -> bool:
    """The old model is there, and nothing beside it."""
    return read(old)[1] == {"which": "old"} and os.listdir(old.parent) == [old.name]


@pytest.mark.parametrize("call", ["fsync", "replace", "open", "chmod"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_failed_call_leaves_the_old_model(call, number, old, monkeypatch):
    def fail(*arguments, **named):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(container.os, call, fail)
        with pytest.raises(OSError, match="unchanged") as caught:
            write(old, ARRAYS, {"which": "new"})
    assert caught.value.errno == number
    assert caught.value.filename == str(old)
    assert ("no space for the model" in str(caught.value)) == (number != errno.EIO)
    assert is_as_before(old)


def test_the_old_model_stays_when_writing_is_interrupted(old, monkeypatch):
    def interrupt(number):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(container.os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            write(old, ARRAYS, {"which": "new"})
    assert is_as_before(old)


LIMITED = """
import resource, sys
import numpy as np
from rosenblatt.storage.container import write
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    write(sys.argv[1], {"weights": np.arange(50_000.0)}, {"which": "new"})
except OSError as error:
    print(error.strerror)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of a file")
def test_the_old_model_stays_when_the_system_takes_no_more_bytes(old):
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, str(old)], capture_output=True, text=True, check=True
    )
    assert "no space for the model (File too large)" in ran.stdout
    assert is_as_before(old)


FORBIDDEN = """
import os, sys
import numpy as np
from rosenblatt.storage.container import read, write
if os.geteuid() == 0:
    os.seteuid(65534)
for what in (lambda: write(sys.argv[1], {}, {}), lambda: read(sys.argv[1])):
    try:
        what()
    except (OSError, ValueError) as error:
        print(type(error).__name__, error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of Windows are another matter")
def test_a_folder_that_may_not_be_written_is_named(old):
    old.chmod(0)
    old.parent.chmod(0o555)
    ran = subprocess.run(
        [sys.executable, "-c", FORBIDDEN, str(old)], capture_output=True, text=True, check=True
    )
    old.parent.chmod(0o755)
    old.chmod(0o644)
    first, second = ran.stdout.splitlines()
    assert first.startswith("PermissionError")
    assert "the model cannot be written (Permission denied)" in first
    assert second == f"BadInput {old}: cannot be read (Permission denied); check its permissions"
    assert is_as_before(old)


def test_a_folder_is_no_place_for_a_model(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder; give the name of a file in it"):
        write(tmp_path, {}, {})
    with pytest.raises(FileNotFoundError, match="there is no such folder; create it first"):
        write(tmp_path / "nowhere" / "model", {}, {})
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="the model cannot be written"):
        write(tmp_path / "file" / "model", {}, {})
    with pytest.raises(OSError, match="is not a regular file"):
        write("/dev/null", {}, {})
    assert os.listdir(tmp_path) == ["file"]


def test_permissions_and_links_stay_as_they_were(old):
    old.chmod(0o640)
    link = old.with_name("link")
    link.symlink_to(old)
    write(link, ARRAYS, {"which": "new"})
    assert link.is_symlink()
    assert old.stat().st_mode & 0o777 == 0o640
    assert read(old)[1] == {"which": "new"}
    before = os.umask(0o027)
    try:
        write(old.with_name("fresh"), {}, {})
    finally:
        os.umask(before)
    assert old.with_name("fresh").stat().st_mode & 0o777 == 0o640


def test_settings_that_are_not_json_are_refused_before_writing(old):
    state = begin(2)
    for odd in ({"run": {"x": float("nan")}}, {"run": {"x": object()}}, {"reading": {1.5: {b"": 2}}}):
        with pytest.raises(BadInput, match="is not JSON"):
            save_perceptron(PerceptronRecord(state=state, classes=np.array([0, 1]), **odd), old)
    with pytest.raises(BadInput, match="more than a model file holds"):
        save_perceptron(
            PerceptronRecord(state=state, classes=np.array([0, 1]), run={"x": "y" * (1 << 24)}), old
        )
    with pytest.raises(BadInput, match=r"names and settings, .* holds \(1,048,576\)"):
        save_perceptron(
            PerceptronRecord(state=state, classes=np.array([0, 1]), run={"x": [0] * MOST_VALUES}), old
        )
    assert is_as_before(old)


class Mine(tuple):
    __slots__ = ()
    _fields = ()


@threshold.of(Mine)
def _(rule, memory, label, x2):
    return 0.0


@step.of(Mine)
def _(rule, memory, agreement, x2, w2):
    return 1.0, 1.0, memory


def test_code_cannot_be_saved_and_the_remedy_is_reported(old, zoo):
    model = Perceptron(epochs=1).fit(zoo.X, zoo.TWO)
    model.rule = Mine()
    with pytest.raises(BadInput, match=r"rule: .* is user-defined, and a model file contains no code"):
        save(model, old)
    kernel = KernelPerceptron(kernel=lambda X, Z: np.asarray(X @ Z.T), epochs=1).fit(zoo.X, zoo.TWO)
    with pytest.raises(BadInput, match=r"kernel: .* is user-defined"):
        save(kernel, old)
    with pytest.raises(BadInput, match=r"kernel: .* is user-defined"):
        save(Learner(kernel=lambda X, Z: X @ Z.T), old)
    with pytest.raises(BadInput, match="has learned nothing yet; call fit first"):
        save(Perceptron(), old)
    with pytest.raises(BadInput, match="model: got dict, expected one of AutoPerceptron, Perceptron, "):
        save({}, old)
    with pytest.raises(BadInput, match=r"epochs: 'many' cannot be saved, expected a whole or None"):
        save(Perceptron().fit(zoo.X, zoo.TWO).set_params(epochs="many"), old)
    assert is_as_before(old)


def test_a_model_whose_weights_have_overflowed_is_not_saved_over_a_good_one(old):
    state = begin(2, keep="averaged")
    state.columns[0].keeper.correction[0] = np.inf
    with pytest.raises(BadInput, match="late: a number has overflowed"):
        save_perceptron(PerceptronRecord(state=state, classes=np.array([0, 1])), old)
    assert is_as_before(old)


def test_a_path_may_be_any_name(tmp_path, zoo, monkeypatch):
    model = Perceptron(epochs=1).fit(zoo.X, zoo.TWO)
    monkeypatch.chdir(tmp_path)
    for name in ("plain", "wéird näme \n.bin", "x" * 255, "ü" * 127, Path("as a path")):
        save(model, name)
        assert load(name).mistakes_ == model.mistakes_
    with pytest.raises(OSError, match="cannot be written"):
        save(model, "x" * 256)
    with pytest.raises(BadInput, match="cannot be read"):
        load("x" * 256)
    with pytest.raises(BadInput, match="is not a valid file name"):
        load("a\0b")


def test_two_equal_runs_write_equal_bytes(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 3))
    for name in ("one", "other"):
        save(Perceptron(random_state=0, track_error=True).fit(X, X[:, 0] > 0.2), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_every_bit_of_a_file_is_under_its_digest(tmp_path):
    """Not one changed bit passes, wherever it is: in the length, the header, the document or the arrays."""
    save(Perceptron(random_state=0).fit([[0.0, 1.0], [2.0, 0.0]], ["no", "yes"]), tmp_path / "model")
    whole = (tmp_path / "model").read_bytes()
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        (tmp_path / "changed").write_bytes(changed)
        with pytest.raises(BadInput):
            load(tmp_path / "changed")
