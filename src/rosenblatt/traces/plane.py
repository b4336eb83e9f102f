"""The plane in which a run is drawn: two features of the points, or a projection of more features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def plane_of(
    points: NDArray[np.float64], w: NDArray[np.float64], names: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return the projection of points p onto the plane: ((p − origin)·axis₁, (p − origin)·axis₂).

    If at most two features vary, they are the axes and the picture is exact. Otherwise the axes are the
    direction of the last w, and the perpendicular direction in which the points spread most.

    >>> plane_of(np.array([[1.0, 1.0, 2.0], [1.0, 2.0, 1.0]]), np.array([0.0, -1.0, 1.0]))["labels"]
    ['x₂', 'x₃']
    """
    n_features = points.shape[1]
    known = (
        list(names) if names is not None else [f"x{j + 1}".translate(SUBSCRIPTS) for j in range(n_features)]
    )
    varying = np.flatnonzero(np.ptp(points, axis=0) > 0.0)
    if len(varying) <= 2:
        others = [j for j in range(n_features) if j not in varying]
        return _of_columns(points, sorted([*varying.tolist(), *others[: 2 - len(varying)]]), known)
    return _projection(points, w)


def spread_plane(points: NDArray[np.float64]) -> dict[str, Any]:
    """Return the projection of more than two features onto the two directions of largest spread.

    Examples
    --------
    >>> spread_plane(np.eye(4))["labels"]
    ['widest spread', 'next']
    """
    centre = points.mean(axis=0)
    axes = np.zeros((2, points.shape[1]))
    found = np.linalg.svd(points - centre, full_matrices=False)[2][:2]
    axes[: len(found)] = found
    note = (
        f"A view of {points.shape[1]} features along the two directions of largest spread. The boundary is "
        "a surface in the space of all features, so no curve is drawn; all numbers refer to all features."
    )
    return _plane(centre, axes, ["widest spread", "next"], False, note)


def _of_columns(points: NDArray[np.float64], drawn: list[int], names: list[str]) -> dict[str, Any]:
    n_features = points.shape[1]
    origin = points[0].copy()
    origin[drawn] = 0.0
    axes = np.zeros((2, n_features))
    for axis, column in enumerate(drawn):
        axes[axis, column] = 1.0
    labels = [str(names[column]) for column in drawn]
    constant = [str(names[j]) for j in range(n_features) if j not in drawn]
    note = f"Not drawn, because it never changes: {', '.join(constant[:5])}." if constant else ""
    return _plane(origin, axes, labels + [""] * (2 - len(labels)), True, note)


def _projection(points: NDArray[np.float64], w: NDArray[np.float64]) -> dict[str, Any]:
    centre = points.mean(axis=0)
    centred = points - centre
    length = np.linalg.norm(w)
    spread = np.linalg.svd(centred, full_matrices=False)[2]
    first = w / length if length > 0.0 else spread[0]
    across = centred - np.outer(centred @ first, first)
    second = np.linalg.svd(across, full_matrices=False)[2][0]
    second = second - (second @ first) * first
    norm = np.linalg.norm(second)
    second = second / norm if norm > 0.0 else np.zeros_like(second)
    # the origin of the picture is that of w, so that the last line is drawn correctly
    origin = centre - (centre @ first) * first - (centre @ second) * second
    note = (
        f"A view of {points.shape[1]} features: the horizontal axis is the last w, the vertical axis the "
        "orthogonal direction of largest spread. Sides and numbers refer to all features."
    )
    return _plane(origin, np.vstack([first, second]), ["along the last w", "across it"], False, note)


def _plane(
    origin: NDArray[np.float64], axes: NDArray[np.float64], labels: list[str], exact: bool, note: str
) -> dict[str, Any]:
    return {
        "origin": origin.tolist(),
        "axes": axes.tolist(),
        "labels": labels,
        "exact": exact,
        "note": note,
    }
