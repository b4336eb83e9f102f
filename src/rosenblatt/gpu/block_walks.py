"""The two steps of learning from a block on a GPU, in Triton or torch: find the updates and apply them."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from rosenblatt.gpu.torch_backend import OnDevice
from rosenblatt.gpu.torch_decisions import decide
from rosenblatt.loops.blocked import FREE, IN_DOUBT, MISTAKE, RIGHT

HEAD = 5
"""Status, row, updates, mistakes and false positives precede the positions in a classifier's result."""


class Walks(NamedTuple):
    """Hold the functions that learn from a block of rows on a GPU.

    walk(scores, gram, labels, roots, importance, start, known, mass, terms, parameters) returns the result;
    write(weights, correction, rows, result, labels, importance, looks, parameters) applies it.
    """

    walk: Any
    write: Any


def walks_for(backend: OnDevice) -> Walks:
    """Return the Triton functions if the GPU can run Triton, otherwise the torch functions."""
    if not backend.has_triton:
        return Walks(walk_by_torch, write_by_torch)
    from rosenblatt.gpu.triton_walks import walk_on_device, write_on_device

    def walk(scores: Any, gram: Any, *others: Any) -> Any:
        here = torch.arange(scores.shape[1], dtype=torch.int32, device=scores.device)
        return walk_on_device(scores, gram, here, here, *others)

    return Walks(walk, write_on_device)


def walk_by_torch(
    scores: Any, gram: Any, labels: Any, roots: Any, importance: Any, start: Any, known: Any, mass: Any,
    terms: Any, parameters: Any,
) -> Any:  # fmt: skip
    """Find the updates of each classifier, from its row `start` on; jump over rows without an update.

    The arguments are explained in `gpu.triton_walks`.
    """
    columns, n = scores.shape
    error, rounding, underflow, rate, tau_positive, tau_negative = parameters.tolist()
    y = labels.to(scores.dtype)
    tau = torch.where(y > 0, tau_positive, tau_negative)
    result = torch.zeros((columns, n + HEAD), dtype=torch.int32, device=scores.device)
    j = torch.arange(n, device=scores.device)
    every = torch.arange(columns, device=scores.device)
    at, first = start.long().clone(), known.long().clone()
    going = at < n
    while bool(going.any()):
        doubt = ((error + (terms + n + 8) * rounding) * mass)[:, None] * roots + underflow
        is_known = (j == at[:, None]) & (first[:, None] != FREE)
        mistake, acts, sure = decide(scores, y, tau, doubt, torch.as_tensor(rounding))
        unsure = ~sure & ~is_known
        stops = (unsure | acts | is_known) & (j >= at[:, None])
        i = torch.where(stops, j, n).amin(dim=1)
        row = i.clamp(max=n - 1)
        found = going & (i < n)
        doubtful = found & unsure[every, row]
        decided_before = torch.where(i == at, first, FREE)
        is_decided = found & ~doubtful
        wrong = torch.where(decided_before != FREE, decided_before == MISTAKE, mistake[every, row])
        updates = is_decided & (decided_before != RIGHT)
        result[:, 3] += (is_decided & wrong).int()
        result[:, 4] += (is_decided & wrong & (y[every, row] < 0.0)).int()
        result[every[updates], HEAD + result[updates, 2].long()] = row[updates].int()
        result[:, 2] += updates.int()
        change = rate * y[every, row]
        if importance is not None:
            change = change * importance[row]
        later = (j > row[:, None]) & updates[:, None]
        scores += torch.where(later, change[:, None] * gram[row], 0.0)
        terms += torch.where(updates, 2.0, 0.0)
        mass += torch.where(updates, change.abs() * roots[row], 0.0)
        result[doubtful, 0] = IN_DOUBT
        at = torch.where(going, torch.where(i < n, torch.where(doubtful, i, i + 1), n), at)
        first = torch.full_like(first, FREE)
        going = going & ~doubtful & (at < n)
    result[:, 1] = at.int()
    return result


def write_by_torch(
    weights: Any,
    correction: Any,
    rows: Any,
    result: Any,
    labels: Any,
    importance: Any,
    looks: Any,
    parameters: Any,
) -> None:
    """Apply the updates of every classifier in order, and accumulate the correction of the mean.

    w̃ ← w̃ + delta·x̃ and correction ← correction + delta·(steps before)·x̃.
    """
    rate = parameters[3]
    for k in range(int(result[:, 2].max())):
        columns = (result[:, 2] > k).nonzero()[:, 0]
        row = result[columns, HEAD + k].long()
        delta = rate * labels[columns, row].to(weights.dtype)
        if importance is not None:
            delta = delta * importance[row]
        x = rows[row]
        weights[columns] += delta[:, None] * x
        if correction is not None:
            correction[columns] += (delta * (looks[columns] + row))[:, None] * x
