"""Machine code is read back only from undamaged files of the same function and types."""

from __future__ import annotations

import hashlib
import os
import pickle
from typing import NamedTuple

import numpy as np
import pytest
from numba import config, njit

from rosenblatt.numeric.compiling import LOOP, USES_INTERNALS

pytestmark = [
    pytest.mark.skipif(not USES_INTERNALS, reason="Numba has a cache of its own"),
    pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled"),
]
if USES_INTERNALS:
    from rosenblatt.numeric.numba_internals import CodeCache


def twice(x):
    return 2.0 * x


@pytest.fixture
def function(tmp_path):
    """Return `twice` as a new process has it: nothing is compiled yet, and the cache is in a folder."""

    def fresh(dispatched=twice):
        dispatcher = njit(**LOOP)(dispatched)
        dispatcher._cache = CodeCache(dispatcher, tmp_path, "module")
        return dispatcher

    fresh.folder = tmp_path
    return fresh


def hits(dispatcher) -> int:
    return sum(dispatcher.stats.cache_hits.values())


def flip(content: bytes, place: float) -> bytes:
    at = int(place * (len(content) - 1))
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


def with_digest(payload: bytes) -> bytes:
    return hashlib.sha256(payload).digest() + payload


DAMAGE = {
    "empty": lambda content: b"",
    "50 bytes": lambda content: content[:50],
    "half": lambda content: content[: len(content) // 2],
    "one byte less": lambda content: content[:-1],
    "a bit of the digest": lambda content: flip(content, 0.0),
    "a bit in the middle": lambda content: flip(content, 0.5),
    "the last bit": lambda content: flip(content, 1.0),
    "no pickle": lambda content: with_digest(b"no pickle"),
    "another pickle": lambda content: with_digest(pickle.dumps(["a", 1, None])),
    "a class that is gone": lambda content: with_digest(b"crosenblatt.nowhere\nGone\n."),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_compiled_again_and_replaced(damage, function):
    assert function()(1.5) == 3.0
    (file,) = function.folder.iterdir()
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    again = function()
    assert (again(1.5), hits(again)) == (3.0, 0)
    third = function()
    assert (third(1.5), hits(third)) == (3.0, 1)
    assert list(function.folder.iterdir()) == [file]


def test_a_file_that_others_may_write_to_is_not_loaded(function):
    function()(1.5)
    (file,) = function.folder.iterdir()
    file.chmod(0o666)
    again = function()
    assert (again(1.5), hits(again)) == (3.0, 0)
    assert file.stat().st_mode & 0o777 == 0o600


def test_each_signature_has_a_file(function):
    first = function()
    assert first(1.5) == 3.0
    assert first(np.float32(1.5)) == 3.0
    assert len(list(function.folder.iterdir())) == 2
    again = function()
    assert again(np.float32(0.5)) == 1.0
    assert hits(again) == 1


class Pair(NamedTuple):
    a: float
    b: float


First = Pair


class Pair(NamedTuple):
    b: float
    a: float


def first_minus_second(pair):
    return pair.a - pair.b


def test_classes_of_one_name_do_not_share_a_file(function):
    First.__qualname__ = "First.Pair"
    assert function(first_minus_second)(First(3.0, 1.0)) == 2.0
    assert function(first_minus_second)(Pair(3.0, 1.0)) == -2.0


def test_a_full_disk_does_not_stop_a_loop(function, monkeypatch):
    def fail(*arguments):
        raise OSError(28, "no space left")

    monkeypatch.setattr(os, "replace", fail)
    assert function()(1.5) == 3.0
    assert not list(function.folder.iterdir())
