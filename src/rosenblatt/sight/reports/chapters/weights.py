"""The largest weights, by the names of their features."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import plain
from rosenblatt.data.sources.naming import Feature, feature_names
from rosenblatt.errors import BadInput
from rosenblatt.learning.linear_state import LinearState
from rosenblatt.sight.reports.facts import Facts
from rosenblatt.sight.reports.markup import aligned, chapter, count, counted, name, real, scrolling, table
from rosenblatt.sight.reports.svg import weight_bar
from rosenblatt.storage.perceptrons import TWO_CLASSES

MOST_WEIGHTS = 20
MOST_CLASSES = 12
MOST_EACH = 3  # for and against a class
MOST_BYTES = 1 << 26  # of a file that is read again for the names in it
AT_ONCE = 1 << 22  # numbers of many columns that are looked at together

Chosen = tuple[NDArray[np.int64], NDArray[np.float64]]  # features, and their weights


def weights(facts: Facts) -> str:
    """Return the largest weights of two classes as bars, of more as a table."""
    state: Any = facts.record.state
    if state.is_committee:
        return chapter("Weights", _committee(state))
    if facts.record.target == TWO_CLASSES:
        return chapter("Weights", _two_classes(facts, state))
    return chapter("Weights", _many(facts, state))


def _committee(state: LinearState) -> str:
    members = [len(each.survival()) for each in state.committees()]
    of = "" if len(members) == 1 else f" of {count(len(members))} classes"
    return (
        f"<p>A committee of {count(sum(members))} weight vectors{of} votes, each counted by the number of "
        "rows it survived, so there is no single vector to show. <code>keep=averaged</code> has one, "
        "with similar predictions.</p>\n"
    )


def _names(facts: Facts, wanted: list[int]) -> dict[int, Feature]:
    """Return the names of some features; those of hashed features are looked up in the file, if it is
    small."""
    record = facts.record
    path = facts.source if facts.n_bytes <= MOST_BYTES and os.path.isfile(facts.source) else None
    try:
        return feature_names(record.reading or {}, record.feature_names, wanted, path)
    except (BadInput, OSError):  # no reason to go without the page
        return feature_names(record.reading or {}, record.feature_names, wanted, None)


# ---------------------------------------------------------------- two classes


def _two_classes(facts: Facts, state: LinearState) -> str:
    record = facts.record
    kept = state.kept()
    w, b = kept[:-1], float(kept[-1])
    chosen = _largest(np.abs(w), MOST_WEIGHTS)
    used = int(np.count_nonzero(w))
    against, speaks_for = (name(plain(label)) for label in record.classes[:2])
    told = f"{count(used)} of {counted(record.n_features, 'weight')} are not 0."
    if not len(chosen):
        return f"<p>{told} The offset is {real(b)}.</p>\n"
    names = _names(facts, chosen.tolist())
    n_hidden = sum(not names[j].sign for j in chosen.tolist())
    if n_hidden:
        told += f" Hashing hides the direction of {counted(n_hidden, 'large weight')}, not shown."
        chosen = chosen[[bool(names[j].sign) for j in chosen.tolist()]]
    if not len(chosen):
        return f"<p>{told} The offset is {real(b)}.</p>\n"
    largest: list[float] = [float(names[j].sign * w[j]) for j in chosen.tolist()]
    low, high = min(0.0, *largest), max(0.0, *largest)
    rows = "\n".join(
        f'<tr><th scope="row">{name(names[j].name)}</th><td>{told_weight}</td>'
        f'<td class="drawn">{weight_bar(weight, low, high)}</td></tr>'
        for j, weight, told_weight in zip(chosen.tolist(), largest, aligned(largest), strict=True)
    )
    drawn = (
        f'<table class="weights"><caption>The {_number_of(len(chosen), used)}</caption><thead><tr>'
        '<th scope="col">feature</th><th scope="col">weight</th>'
        '<th scope="col"><span class="unseen">bar</span></th></tr></thead>'
        f"\n<tbody>{rows}</tbody></table>"
    )
    offset = (
        f" The offset is {real(b)}." if record.parameters.get("offset", True) else " There is no offset."
    )
    return (
        f'<p>{told}{offset} Weights above 0 <span class="right-key">favour</span> {speaks_for}, those '
        f'below 0 <span class="wrong-key">favour</span> {against}.</p>\n'
        f"{scrolling(drawn, 'Largest weights')}"
    )


def _number_of(shown: int, used: int) -> str:
    return "largest weights, by size" if shown < used else "weights, by size"


def _largest(values: NDArray[np.float64], number: int) -> NDArray[np.int64]:
    """Return the indices of the largest positive values, the largest first; of equals the first."""
    places = np.flatnonzero(values > 0.0)
    if len(places) > number:
        least = np.partition(values[places], len(places) - number)[len(places) - number]
        places = places[values[places] >= least]
    return places[np.argsort(-values[places], kind="stable")][:number]


# ---------------------------------------------------------------- many classes


def _many(facts: Facts, state: LinearState) -> str:
    record = facts.record
    n_shown = min(MOST_CLASSES, state.n_columns)
    chosen = _best(state, n_shown)
    wanted = sorted({int(j) for sides in chosen for features, _ in sides for j in features})
    names = _names(facts, wanted)
    labels = record.label_names or [plain(label) for label in record.classes]
    offsets, has_offset = aligned(_offsets(state)[:n_shown]), bool(record.parameters.get("offset", True))
    rows = [
        [name(labels[k]), *(_listed(side, names) for side in _as_named(chosen[k], names)), offsets[k]]
        for k in range(n_shown)
    ]
    first = (
        f" The first {n_shown} of {counted(state.n_columns, 'class')} are shown."
        if n_shown < state.n_columns
        else ""
    )
    each = counted(record.n_features, "weight") + " and an offset" * has_offset
    return f"<p>Each class has {each}; the class with the largest score is predicted.{first}</p>\n" + table(
        ["class", "in favour", "against", "offset"],
        rows,
        "Largest weights of each class",
        "many",
    )


def _as_named(sides: tuple[Chosen, Chosen], names: dict[int, Feature]) -> tuple[Chosen, Chosen]:
    """Weights above and below 0, as they are for the names: a hash may turn the sign of a feature."""
    features = np.concatenate([side[0] for side in sides])
    found = np.concatenate([side[1] for side in sides]) * [names[int(j)].sign for j in features]
    above, below = np.flatnonzero(found > 0.0), np.flatnonzero(found < 0.0)
    above, below = above[np.argsort(-found[above])], below[np.argsort(found[below])]
    return (features[above], found[above]), (features[below], found[below])


def _offsets(state: LinearState) -> list[float]:
    offsets: list[float] = state.kept(np.array([state.n_features]))[:, 0].tolist()
    return offsets


def _best(state: LinearState, n_columns: int) -> list[tuple[Chosen, Chosen]]:
    """Of the first columns, the features with the largest weights above 0, and below."""
    nothing: Chosen = (np.empty(0, np.int64), np.empty(0))
    best = [(nothing, nothing) for _ in range(n_columns)]
    for first, part in _parts(state, n_columns):
        best = [
            (_better(above, part[k], first, 1.0), _better(below, part[k], first, -1.0))
            for k, (above, below) in enumerate(best)
        ]
    return best


def _better(known: Chosen, part: NDArray[np.float64], first: int, sign: float) -> Chosen:
    """Return the best of the known features and of some more, which begin at `first`."""
    places = _largest(sign * part, MOST_EACH)
    features, found = np.append(known[0], first + places), np.append(known[1], part[places])
    best = np.argsort(-sign * found, kind="stable")[:MOST_EACH]
    return features[best], found[best]


def _parts(state: LinearState, n_columns: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the weights of the first classifiers, for as many features at once as fit in memory."""
    step = max(1, AT_ONCE // state.n_columns)
    for first in range(0, state.n_features, step):
        some = np.arange(first, min(first + step, state.n_features))
        yield first, state.kept(some)[:n_columns]


def _listed(chosen: Chosen, names: dict[int, Feature]) -> str:
    pairs = zip(chosen[0].tolist(), chosen[1].tolist(), strict=True)
    told = "".join(
        f'<li>{name(names[j].name, 40)} <span class="n">{real(weight, 3)}</span></li>'
        for j, weight in pairs
    )
    return f"<ul>{told}</ul>" if told else "–"
