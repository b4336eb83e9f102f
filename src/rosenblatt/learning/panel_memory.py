"""Panels of columns in memory: how they are laid out, copied and widened."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.panels import LANES
from rosenblatt.arithmetic.prefetch import CACHE_LINE
from rosenblatt.engine.together import CLOCK, DOUBLE, SHORTEST2, SINGLE, Panel, Screen

WIDEST = 64  # columns of a panel by feature: the scores of a row stay in registers and the nearest cache
WRITTEN_AT_ONCE = 1 << 28  # bytes


def new_clocks(n_columns: int, since: int, start: NDArray[np.float64]) -> NDArray[Any]:
    clocks = np.zeros(n_columns, CLOCK)
    clocks["since"] = since
    with np.errstate(over="ignore"):
        clocks["length2"] = (start * start).sum(axis=-1) * (1.0 + 1e-9) + SHORTEST2
    return clocks


def empty_panels(n: int, d: int, by_feature: bool, with_beside: bool, widest: int) -> list[Panel]:
    """Panels for n columns, all weights 0."""
    if not by_feature:
        shape = n, CACHE_LINE // 4 * -(-(d + 1) // (CACHE_LINE // 4))
        weights = aligned_zeros(shape)
        beside = aligned_zeros(shape) if with_beside else np.empty((0, 0))
        return [Panel(0, weights, beside, weights, new_clocks(n, 0, np.zeros(1)))]
    each = -(-n // -(-n // widest))
    lanes = LANES * -(-each // LANES)
    panels = []
    for first in range(0, n, each):
        shape = d + 1, lanes
        beside = aligned_zeros(shape) if with_beside else np.empty((0, 0))
        clocks = new_clocks(min(each, n - first), 0, np.zeros(1))
        panels.append(Panel(first, aligned_zeros(shape), beside, aligned_zeros(shape, np.float32), clocks))
    return panels


def aligned_zeros(shape: tuple[int, int], kind: type = np.float64) -> NDArray[Any]:
    """Zeros whose rows begin with a cache line, if they are a whole number of lines: a register that lies
    across two lines costs twice.

    They are written at once: left to be written where an update first meets them, page by page, they cost
    the first pass more than this. Where they are very many, most may never be met."""
    size = shape[0] * shape[1] * np.dtype(kind).itemsize
    memory = np.zeros(size + CACHE_LINE, np.uint8)
    if size <= WRITTEN_AT_ONCE:
        memory.fill(0)
    first = -memory.ctypes.data % CACHE_LINE
    return memory[first : first + size].view(kind).reshape(shape)


def with_screen(panel: Panel, single: bool) -> Panel:
    if not single:
        return panel._replace(screen=panel.weights)
    if panel.screen.dtype == np.float32:
        return panel
    screen = aligned_zeros(panel.weights.shape, np.float32)
    with np.errstate(over="ignore", under="ignore"):
        screen[...] = panel.weights
    return panel._replace(screen=screen)


def precision(panel: Panel) -> Screen:
    """How far the scores by a panel's screen may be off."""
    return SINGLE if panel.screen.dtype == np.float32 else DOUBLE


def copied(panel: Panel) -> Panel:
    weights = _copy(panel.weights)
    screen = _copy(panel.screen) if panel.screen.dtype == np.float32 else weights
    return Panel(panel.first, weights, _copy(panel.beside), screen, panel.clocks.copy())


def _copy(array: NDArray[Any]) -> NDArray[Any]:
    twin = aligned_zeros(array.shape, array.dtype.type)
    twin[...] = array
    return twin
