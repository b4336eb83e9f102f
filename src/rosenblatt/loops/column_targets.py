"""The targets of many binary classifiers: one class per row, or any number of labels per row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.compiling import dispatch_by_class, jit


class Classes(NamedTuple):
    """Hold one class number for each row; classifier c separates class c from the rest."""

    numbers: NDArray[np.int64]


class LabelTable(NamedTuple):
    """Hold any number of labels for each row as a table: entry [i, c] is 1 if row i has label c, else 0."""

    table: NDArray[np.uint8]


class LabelLists(NamedTuple):
    """Hold any number of labels for each row as compressed lists.

    The labels of row i are `labels[starts[i]:starts[i+1]]`, in rising order.
    """

    labels: NDArray[np.int64]
    starts: NDArray[np.int64]


Targets = Classes | LabelTable | LabelLists


@dispatch_by_class
def signs(targets, i, first, out):
    """Write to out[c] the label of row i for classifier first + c: +1 or −1."""


@signs.of(Classes)
def _(targets, i, first, out):
    for c in range(out.size):
        out[c] = -1
    own = targets.numbers[i] - first
    if 0 <= own < out.size:
        out[own] = 1


@signs.of(LabelTable)
def _(targets, i, first, out):
    for c in range(out.size):
        out[c] = 2 * np.int8(targets.table[i, first + c]) - 1


@signs.of(LabelLists)
def _(targets, i, first, out):
    for c in range(out.size):
        out[c] = -1
    for k in range(targets.starts[i], targets.starts[i + 1]):
        own = targets.labels[k] - first
        if 0 <= own < out.size:
            out[own] = 1


@jit
def signs_of_rows(targets, which, first, out):
    """Write the label (−1 or +1) of row which[k] for classifier first + c to out[k, c]."""
    for k in range(which.size):
        signs(targets, np.int64(which[k]), first, out[k])


def sign_of_column(targets: Targets, c: int, n: int) -> NDArray[np.int8]:
    """Return the labels −1 and +1 of all n rows for classifier c."""
    if isinstance(targets, Classes):
        positive = targets.numbers == c
    elif isinstance(targets, LabelTable):
        positive = targets.table[:, c] > 0
    else:
        found = np.flatnonzero(targets.labels == c)
        positive = np.zeros(n, np.bool_)
        positive[np.searchsorted(targets.starts, found, side="right") - 1] = True
    return np.where(positive, 1, -1).astype(np.int8)


def part_of_targets(targets: Targets, chosen: NDArray[Any]) -> Targets:
    """Return the targets of the chosen rows."""
    if isinstance(targets, Classes):
        return Classes(targets.numbers[chosen])
    if isinstance(targets, LabelTable):
        return LabelTable(np.ascontiguousarray(targets.table[chosen]))
    counts = targets.starts[chosen + 1] - targets.starts[chosen]
    starts = np.concatenate([[0], np.cumsum(counts)])
    entries = np.repeat(targets.starts[chosen] - starts[:-1], counts) + np.arange(starts[-1])
    return LabelLists(targets.labels[entries], starts)
