"""Hostile model files: `NUMBA_BOUNDSCHECK=1 python -m fuzz.models 100000`.

Golden files are changed, in their bytes, in their documents and in their arrays, and loaded. Each must be
refused with a `BadInput`, or be a model that decides and learns on without any other error.
"""

from __future__ import annotations

import copy
import faulthandler
import json
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt import Learner
from rosenblatt.errors import BadInput
from rosenblatt.models.saving import load
from rosenblatt.storage.container import BLANK, DIGEST, FORMAT_VERSION, VERSION, encode, read

GOLDEN = Path(__file__).parents[1] / "tests" / "storage" / "golden"
NUMBERS = [np.dtype(f"{s}{2**k}") for s in "iu" for k in range(4)] + [
    np.dtype(s) for s in ("?", "f2", "f4", "f8")
]
WIDE = 1 << 12  # features: more of them come in sparse rows

NASTY: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 63, 64, 1 << 31, (1 << 31) - 1, 1 << 53, (1 << 53) + 1, 1 << 62,
    (1 << 63) - 1, 1 << 64, -(1 << 63), 10**400, 0.0, -0.0, 0.5, 1.5, -2.5, 1e-320, 1e308, -1e308, "", "0",
    "last", "averaged", "voted", "pocket", "random", "positive", "mistake", "dense", "compressed", "sparse",
    "rosenblatt", "alma", "romma", "forgetting", "gaussian", "polynomial", "scale", "cuda", "<f8", "|b1",
    "<M8[D]", "texts", "mixed", "numbers", "objects", "one", "together", "separately", "linear", "classes",
    "kernel", "labels", "two_classes", "one_vs_rest", "ultraconservative", "worst", "\ud800", "x" * 300, [],
    {}, [1], [[1]], {"kind": "weights"}, {"kind": "rows"}, {"kind": "by_class", "pairs": [[1, 2]]},
    {"kind": "text"}, {"kind": "whole"}, {"kind": "nothing"}, "<M8[0D]", "<M8[999999999Y]", "<f16",
    {"kind": "rule", "name": "margin", "parameters": {}},
    {"kind": "kernel", "name": "linear", "parameters": {}},
    {"kind": "budget", "name": "oldest", "parameters": {"size": 1 << 30}},
]  # fmt: skip
"""Values that a field of the document may get."""


def packed(arrays: dict[str, np.ndarray], document: dict[str, Any]) -> bytes:
    """Return the bytes of a file with these, whatever they are; its digest is right."""
    text = json.dumps({VERSION: FORMAT_VERSION, DIGEST: BLANK, **document})
    return b"".join(encode(arrays, text))


# ---------------------------------------------------------------- changes


def change_bytes(source: bytes, draw: random.Random) -> bytes:
    """Some bytes flipped, cut, repeated or overwritten."""
    changed = bytearray(source)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        where = draw.randrange(len(changed)) if changed else 0
        what = draw.randrange(5)
        if what == 0 and changed:
            changed[where] ^= 1 << draw.randrange(8)
        elif what == 1 and changed:
            changed[where] = draw.randrange(256)
        elif what == 2:
            del changed[where : where + draw.choice((1, 8, 100))]
        elif what == 3:
            changed[where:where] = bytes(draw.randrange(256) for _ in range(draw.choice((1, 8, 100))))
        else:
            changed[where : where + 8] = draw.choice((b"\xff" * 8, bytes(8), b"\x7f" + bytes(7)))
    return bytes(changed)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a nested JSON value."""
    found = [path]
    if isinstance(value, dict):
        for key, child in value.items():
            found += places(child, (*path, key))
    elif isinstance(value, list):
        for k, child in enumerate(value):
            found += places(child, (*path, k))
    return found


def change_document(document: dict[str, Any], draw: random.Random) -> None:
    """One field set to something nasty, near to what it was, of another field, or away."""
    path = draw.choice(places(document)[1:])
    parent: Any = document
    for key in path[:-1]:
        parent = parent[key]
    what = draw.randrange(4)
    old = parent[path[-1]]
    if what == 0:
        del parent[path[-1]]
    elif what == 1 and type(old) in (int, float):
        parent[path[-1]] = old + draw.choice((-1, 1, 2, -2, 100))
    elif what == 2:
        other: Any = document
        for key in draw.choice(places(document)[1:]):
            other = other[key]
        parent[path[-1]] = copy.deepcopy(other)
    else:
        parent[path[-1]] = draw.choice(NASTY)


def change_arrays(arrays: dict[str, np.ndarray], draw: random.Random) -> None:
    """One array with another number, shape, kind of numbers, or gone."""
    name = draw.choice(list(arrays))
    array = arrays[name]
    what = draw.randrange(6)
    if what == 0:
        del arrays[name]
    elif what == 1:
        with np.errstate(invalid="ignore", over="ignore"):
            arrays[name] = array.astype(draw.choice(NUMBERS))
    elif what == 2:
        arrays[name] = array[:-1] if draw.random() < 0.5 or not array.size else array.reshape(-1)
    elif what == 3:
        arrays[name] = np.concatenate([array, array]) if draw.random() < 0.5 else array[None]
    elif what == 4:
        arrays[name] = arrays[draw.choice(list(arrays))]
    elif array.size:
        arrays[name] = array.copy()
        arrays[name].reshape(-1)[draw.randrange(array.size)] = _number_for(array, draw)


def _number_for(array: np.ndarray, draw: random.Random) -> Any:
    if array.dtype.kind == "b":
        return draw.random() < 0.5
    if array.dtype.kind == "f":
        some = [0.0, -0.0, 1.0, -1.0, 0.5, 1e300, -1e300, 1e-320, np.nan, np.inf, -np.inf, 1e154, 3.0]
        return array.dtype.type(draw.choice(some))
    limits = np.iinfo(array.dtype)
    near = int(array.reshape(-1)[draw.randrange(array.size)]) + draw.choice((-1, 1))
    some = [0, 1, 2, 3, -1, near, limits.max, limits.min, limits.max // 2, 1 << 31, 1 << 33]
    return array.dtype.type(min(max(draw.choice(some), int(limits.min)), int(limits.max)))


# ---------------------------------------------------------------- use


def use(model: Any) -> None:
    """Predict, and continue training. Errors about the model are allowed if they are `BadInput`."""
    if isinstance(model, Learner):
        _use_learner(model)
        return
    rows = some_rows(model.n_features_in_)
    vars(model).pop("feature_names_in_", None)  # rows without names will do
    labels = _some_labels(model)
    for ask in (
        lambda: model.decision_function(rows),
        lambda: model.predict(rows),
        lambda: model.coef_,
        lambda: model.survival_,
        lambda: model.dual_coef_,
        lambda: model.support_vectors_,
        lambda: model.polynomial_,
        lambda: model.partial_fit(rows, labels),
        lambda: model.predict(rows),
    ):
        _said(ask)


def some_rows(n_features: int) -> Any:
    if n_features <= WIDE:
        return np.random.default_rng(0).normal(size=(5, n_features))
    values, columns = np.ones(5), np.arange(5) * (n_features // 5)
    return sparse.csr_array((values, columns, np.arange(6)), shape=(5, n_features))


def _some_labels(model: Any) -> Any:
    if getattr(getattr(model, "_target", None), "has_labels", False):
        return np.arange(5 * len(model.classes_)).reshape(5, -1) % 2
    return model.classes_[np.arange(5) % len(model.classes_)]


def _use_learner(model: Learner) -> None:
    n_features = model.trainer.n_features or 3
    rows = [{"u": 1.0, "new": -2.0}, {"v": 3.0, "newer": 1.0}]
    if not model.trainer.features.are_named:
        dense = some_rows(n_features)
        rows = list(dense) if isinstance(dense, np.ndarray) else [dense[[i]] for i in range(5)]
    labels = (model.classes or ["ape"]) if model.multiclass else [1, -1]
    for k, x in enumerate(rows):
        _said(lambda x=x: (model.answer(x), model.decide(x), model.predict(x)))
        _said(lambda x=x, k=k: model.learn(x, labels[k % len(labels)]))
        _said(lambda x=x: model.predict(x))
    _said(lambda: (model.weights, model.mistakes, model.updates))


def _said(ask: Callable[[], Any]) -> None:
    try:
        ask()
    except (BadInput, AttributeError) as error:
        if isinstance(error, AttributeError) and " object has no attribute" in str(error):
            names = ("coef_", "survival_", "dual_coef_", "support_vectors_", "polynomial_")
            if not str(error).rstrip("'").endswith(names):
                raise


# ---------------------------------------------------------------- the run


def attempt(name: str, content: bytes, path: Path) -> str:
    """Load the content of a file: "refused", or "used"."""
    path.write_bytes(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = load(path)
            use(model)
    except BadInput as error:
        if not str(error).startswith(str(path)):
            raise AssertionError("the file is not named") from error
        return "refused"
    except BaseException:
        keep = Path(tempfile.gettempdir()) / f"crash-{name}"
        keep.write_bytes(content)
        print(f"crashed: see {keep}", file=sys.stderr)
        raise
    return "used"


def fuzz(n: int, seed: int = 0, golden: Path = GOLDEN) -> Counter[str]:
    """n hostile files, and how many were refused and used, by the kind of change."""
    draw = random.Random(seed)
    sources = {path.name: path.read_bytes() for path in sorted(golden.glob("*.safetensors"))}
    parts = {name: read(golden / name) for name in sources}
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hostile.safetensors"
        for _ in range(n):
            name = draw.choice(list(sources))
            kind = draw.choice(("bytes", "document", "arrays", "both"))
            if kind == "bytes":
                content = change_bytes(sources[name], draw)
            else:
                arrays, document = dict(parts[name][0]), copy.deepcopy(parts[name][1])
                if kind != "arrays":
                    change_document(document, draw)
                if kind != "document":
                    change_arrays(arrays, draw)
                content = packed(arrays, document)
            found[f"{kind} {attempt(name, content, path)}"] += 1
    return found


if __name__ == "__main__":
    faulthandler.enable()
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    began = time.perf_counter()
    result = fuzz(count, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(f"{count:,} hostile files in {time.perf_counter() - began:.0f} s, none broke anything")
    for what, times in sorted(result.items()):
        print(f"{what:>20} {times:>9,}")
