"""The largest weights, with the names of their features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.naming import Feature, FeatureNames
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.explanations.model_terms import Columns
from rosenblatt.numeric.row_batches import plain
from rosenblatt.reports.facts import Facts
from rosenblatt.reports.number_text import align
from rosenblatt.storage.perceptrons import TWO_CLASSES
from rosenblatt.training.linear_state import LinearState

MOST_WEIGHTS = 20
MOST_CLASSES = 12
MOST_EACH = 3  # largest and smallest weights shown per class
AT_ONCE = 1 << 22  # weights that are examined together

Chosen = tuple[NDArray[np.int64], NDArray[np.float64]]  # features, and their weights


def weights(facts: Facts) -> dict[str, Any]:
    """Return the largest weights: as bars for two classes, as a table for more."""
    state: Any = facts.record.state
    if state.is_committee:
        members = [len(each.survival()) for each in state.committees()]
        return {"members": sum(members), "committees": len(members)}
    if facts.record.target == TWO_CLASSES:
        return _two_classes(facts, state)
    return _many_classes(facts, state)


def _names(facts: Facts, wanted: list[int]) -> dict[int, Feature]:
    """Return the names of some features as the report shows them."""
    record = facts.record
    reading = record.reading or {}
    columns = Columns(FieldFeatures.from_settings(reading) if "columns" in reading else None)
    named = FeatureNames(reading, record.feature_names, record.vocabulary).of(wanted)
    return {
        j: each._replace(names=tuple(columns.term(name).label for name in each.names))
        for j, each in named.items()
    }


# ---------------------------------------------------------------- two classes


def _two_classes(facts: Facts, state: LinearState) -> dict[str, Any]:
    kept = state.returned_weights()
    w, b = kept[:-1], float(kept[-1])
    used = int(np.count_nonzero(w))
    chosen = _largest(np.abs(w), MOST_WEIGHTS).tolist()
    names = _names(facts, chosen) if chosen else {}
    visible = [j for j in chosen if names[j].sign]
    largest = [float(names[j].sign * w[j]) for j in visible]
    texts = align(largest)
    return {
        "n_used": used,
        "n_hidden": len(chosen) - len(visible),
        "b": b,
        "low": min([0.0, *largest]),
        "high": max([0.0, *largest]),
        "bars": [
            (names[j].name, text, weight) for j, text, weight in zip(visible, texts, largest, strict=True)
        ],
    }


def _largest(values: NDArray[np.float64], number: int) -> NDArray[np.int64]:
    """Return the indices of the largest positive values in descending order; ties go to the first."""
    places = np.flatnonzero(values > 0.0)
    if len(places) > number:
        least = np.partition(values[places], len(places) - number)[len(places) - number]
        places = places[values[places] >= least]
    return places[np.argsort(-values[places], kind="stable")][:number]


# ---------------------------------------------------------------- many classes


def _many_classes(facts: Facts, state: LinearState) -> dict[str, Any]:
    record = facts.record
    n_shown = min(MOST_CLASSES, state.n_columns)
    chosen = _best(state, n_shown)
    wanted = sorted({int(j) for sides in chosen for features, _ in sides for j in features})
    names = _names(facts, wanted)
    labels = record.label_names or [plain(label) for label in record.classes]
    offsets = align(state.returned_weights(np.array([state.n_features]))[:n_shown, 0].tolist())
    classes = [
        {
            "label": labels[k],
            "sides": [
                [(names[j].name, weight) for j, weight in zip(*map(np.ndarray.tolist, side), strict=True)]
                for side in _apply_signs(chosen[k], names)
            ],
            "offset": offsets[k],
        }
        for k in range(n_shown)
    ]
    return {
        "n_classes": state.n_columns,
        "classes": classes,
    }


def _apply_signs(sides: tuple[Chosen, Chosen], names: dict[int, Feature]) -> tuple[Chosen, Chosen]:
    """Return positive and negative weights after multiplication by the signs of their feature names.

    Hashing gives some features the sign −1.
    """
    features = np.concatenate([side[0] for side in sides])
    found = np.concatenate([side[1] for side in sides]) * [names[int(j)].sign for j in features]
    above, below = np.flatnonzero(found > 0.0), np.flatnonzero(found < 0.0)
    above, below = above[np.argsort(-found[above])], below[np.argsort(found[below])]
    return (features[above], found[above]), (features[below], found[below])


def _best(state: LinearState, n_columns: int) -> list[tuple[Chosen, Chosen]]:
    """Return, for each of the first classes, the features with the largest and the smallest weights."""
    nothing: Chosen = (np.empty(0, np.int64), np.empty(0))
    best = [(nothing, nothing) for _ in range(n_columns)]
    for first, part in _parts(state, n_columns):
        best = [
            (_better(above, part[k], first, 1.0), _better(below, part[k], first, -1.0))
            for k, (above, below) in enumerate(best)
        ]
    return best


def _better(known: Chosen, part: NDArray[np.float64], first: int, sign: float) -> Chosen:
    """Return the features with the largest weights among the features in `known` and in `part`."""
    places = _largest(sign * part, MOST_EACH)
    features, found = np.append(known[0], first + places), np.append(known[1], part[places])
    best = np.argsort(-sign * found, kind="stable")[:MOST_EACH]
    return features[best], found[best]


def _parts(state: LinearState, n_columns: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield, for each block of features, the number of its first feature and the weights by class."""
    step = max(1, AT_ONCE // state.n_columns)
    for first in range(0, state.n_features, step):
        some = np.arange(first, min(first + step, state.n_features))
        yield first, state.returned_weights(some)[:n_columns]
