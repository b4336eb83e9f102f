"""Small models of every kind, and ways to look into files and change them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from rosenblatt.errors import BadInput
from rosenblatt.models.saving import load as load_model
from rosenblatt.storage.container import read

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def golden() -> Path:
    return HERE / "golden"


@pytest.fixture(scope="session")
def zoo(load) -> ModuleType:
    """The models that the golden files are of."""
    return load(HERE / "make_golden.py")


@pytest.fixture(scope="session")
def fuzz(load) -> ModuleType:
    """Hostile files, made from the golden ones."""
    return load(HERE.parents[1] / "fuzz" / "models.py")


@pytest.fixture
def tamper(golden, fuzz, tmp_path) -> Callable[..., Path]:
    """A golden file with other values somewhere: `tamper(name, {path: value})`.

    A path is the name of an array, or the names of nested fields with dots between them. A function is
    given the value that is there; the value `...` takes the field or array away.
    """

    def change(name: str, changes: Any = None) -> Path:
        arrays, document = read(golden / f"{name}.safetensors")
        for path, value in (changes or {}).items():
            *parents, last = path.split(".")
            place: Any = document
            if path in arrays or isinstance(value, np.ndarray):
                place, parents, last = arrays, [], path
            for key in parents:
                place = place[key]
            _set(place, last, value)
        changed = tmp_path / "changed.safetensors"
        changed.write_bytes(fuzz.packed(arrays, document))
        return changed

    return change


@pytest.fixture(scope="session")
def check_refusal() -> Callable[[Any, str], str]:
    """`check_refusal(path, why)`: loading raises a sentence that begins with the file's name, and why."""

    def check(path: Any, why: str) -> str:
        with pytest.raises(BadInput, match=why) as caught:
            load_model(path)
        assert str(caught.value).startswith(f"{path}: ")
        return str(caught.value)

    return check


def number(place: int, value: Any) -> Callable[[Any], Any]:
    """A function that puts a number at a place of an array."""

    def change(array: Any) -> Any:
        array.reshape(-1)[place] = value
        return array

    return change


def _set(place: dict[str, Any], name: str, value: Any) -> None:
    if value is ...:
        del place[name]
    else:
        place[name] = value(place[name]) if callable(value) else value


@pytest.fixture(scope="session")
def same() -> Callable[[Any, Any], None]:
    """All that two estimators show of themselves is equal, to the last bit."""

    def compare(one: Any, other: Any) -> None:
        assert type(one) is type(other)
        left, right = one.get_params(), other.get_params()
        assert list(left) == list(right)
        for name, value in left.items():
            assert_equal(name, value, right[name])
        assert set(vars(one)) == set(vars(other))
        shown = [name for name in dir(one) if name.endswith("_") and not name.startswith("_")]
        for name in shown:
            try:
                value = getattr(one, name)
            except AttributeError:
                assert not hasattr(other, name)
            else:
                assert_equal(name, value, getattr(other, name))

    return compare


def assert_equal(name: str, left: Any, right: Any) -> None:
    if name == "polynomial_":
        left, right = str(left), str(right)
    if name == "history_" and hasattr(left, "seconds"):  # how long a pass took is not in a file
        left, right = left._replace(seconds=None), right._replace(seconds=None)
    if isinstance(left, list | tuple) and not isinstance(right, np.ndarray):
        assert len(left) == len(right), name
        for one, other in zip(left, right, strict=True):
            assert_equal(name, one, other)
    elif hasattr(left, "tocsr"):
        assert (left != right).nnz == 0, name
    elif isinstance(left, np.ndarray):
        assert left.dtype == right.dtype, name
        assert left.tolist() == right.tolist(), name
    else:
        assert left == right if not isinstance(right, np.ndarray) else list(left) == right.tolist(), name
