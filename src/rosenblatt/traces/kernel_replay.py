"""The replay of a run with a kernel: w as coefficients of support rows, and the curve with score 0.

The viewer does not evaluate kernels. It receives the kernel values between all points and all support rows,
to compute scores at any step, and the kernel values between the nodes of a grid and all support rows. The
score at a node is the sum of its values times the coefficients of the step, and the curve runs where the
score changes sign.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.kernels import Gaussian, Laplacian, Linear, Polynomial, name_of
from rosenblatt.numeric.row_batches import as_rows
from rosenblatt.proof.verdict import interval, through_origin
from rosenblatt.traces.kernel_trace import KernelTrace
from rosenblatt.traces.plane import plane_of, spread_plane
from rosenblatt.traces.replay_encoding import MOST_NUMBERS, Encoding, Floats, claims_head

MOST_NODES = 600_000
"""The most kernel values on the grid over all support rows: a few megabytes of a page."""

FINEST, COARSEST = 61, 21
"""The most and the fewest rows of the grid; if MOST_NODES allows fewer, no curve is drawn."""

WIDER = 2.0
"""Largest ratio of width to height with equal scales; the grid covers that width."""

ROOM = 1.5
STRETCHED = 10.0  # if the ranges differ by a larger factor, the axes get different scales

RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def encode_kernel_run(trace: KernelTrace, time_limit: float) -> Encoding:
    """Return the parts of a replay that are specific to runs with a kernel."""
    support = trace.support
    _refuse_too_long(trace, len(support))
    star, proof, note = _proof(trace, time_limit)
    plane = _plane(trace)
    grid, no_curve = _grid(trace, support, plane, star)
    index = np.array([step.index for step in trace], np.int64)
    changes = np.array([step.coefficient for step in trace], np.float64)
    growth = np.zeros(len(trace))
    if star is not None:
        rows = np.flatnonzero(star)
        growth = changes * (trace.products(as_rows(trace.points), rows) @ star[rows])[index]
    head = {
        "n_weights": len(support),
        "plane": plane,
        "start": {"weights": [0.0] * len(support), "offset": 0.0},
        "proof": proof,
        "proof_note": note,
        "kernel": {
            "formula": formula(trace.kernel),
            "support": support.tolist(),
            "squares": trace.squares().tolist(),
            "values": _as_base64(trace.products(as_rows(trace.points), support), "<f8"),
            "grid": grid,
            "note": no_curve,
        },
    }
    return Encoding(
        trace=trace,
        head=head,
        norm2=np.array([0.0, *(step.norm_squared for step in trace)]),
        progress=np.concatenate([[0.0], np.cumsum(growth)]),
        offsets=np.zeros(len(trace) + 1),
        weights=np.cumsum(np.where(index == support[:, None], changes, 0.0), axis=1),
    )


def formula(kernel: Any) -> str:
    """Return K(x, z) as a formula.

    >>> formula(Polynomial(2, 1.0, 0.0)), formula(Gaussian(0.5)), formula(Polynomial(1, 2.0, 1.0))
    ('(x·z)²', 'exp(−0.5·‖x − z‖²)', '2·x·z + 1')
    """
    factor = "" if getattr(kernel, "gamma", 1.0) == 1.0 else f"{kernel.gamma:g}·"
    if isinstance(kernel, Polynomial):
        inside = f"{factor}x·z" + (f" + {kernel.coef0:g}" if kernel.coef0 else "")
        return inside if kernel.degree == 1 else f"({inside}){str(kernel.degree).translate(RAISED)}"
    if isinstance(kernel, Linear):
        return "x·z"
    if isinstance(kernel, (Gaussian, Laplacian)):
        return f"exp(−{factor}‖x − z‖{'²' if isinstance(kernel, Gaussian) else '₁'})"
    return f"{name_of(kernel)}(x, z)"


def _refuse_too_long(trace: KernelTrace, n_support: int) -> None:
    n_points = len(trace.labels)
    if (len(trace) + n_points) * n_support <= MOST_NUMBERS:
        return
    numbers = ((steps + n_points) * step.support for steps, step in enumerate(trace, start=1))
    fit = sum(each <= MOST_NUMBERS for each in numbers)  # the products never decrease
    raise BadInput(
        f"replay: {len(trace):,} steps with {n_support:,} support rows of {n_points:,} points are too much "
        f"for a page; limit them with max_steps={fit}, or take fewer rows"
    )


# ---------------------------------------------------------------- w*


def _proof(trace: KernelTrace, time_limit: float) -> tuple[Floats | None, dict[str, Any] | None, str]:
    """Return w* as one coefficient for each row, the data of its proof, and a sentence about it.

    The first two results are None if there is no w*.
    """
    try:
        found = trace.widest(time_limit)
    except BadInput as error:  # a custom kernel need not be an inner product
        return None, None, f"No bound is known: {error}."
    place = through_origin(trace.settings["offset"])
    if not found.low > 0.0:
        fate = (
            f"Proved: no hyperplane{place} separates these points in the feature space of the kernel, so "
            "there is no w*"
        )
        if found.separable is not False:
            fate = (
                f"Within the time limit it could not be determined whether a hyperplane{place} separates "
                "these points in feature space"
            )
        return None, None, f"{fate}, and no bound is known."
    star = np.zeros(len(trace.labels))
    star[found.rows] = found.coefficients
    proof: dict[str, Any] = {"weights": [], "offset": 0.0}
    weighted = (
        ", of the points c·φ(x), where c is the weight of the row,"
        if trace.settings["sample_weight"]
        else ""
    )
    note = (
        f"The largest margin{place} in feature space{weighted} is {interval(found.low, found.high)}; w* is "
        f"a sum over {len(found.rows)} of the points, with length 1 and margin "
    )
    try:
        claims = trace.check_claims(star)
    except BadInput as error:
        return (
            star,
            proof,
            f"{note}at least {found.low:.6g}. No bound is shown: {str(error).removeprefix('rule: ')}.",
        )
    return star, proof | claims_head(claims), f"{note}{claims.margin:.6g}."


# ---------------------------------------------------------------- the picture


def _plane(trace: KernelTrace) -> dict[str, Any]:
    names = trace.settings.get("features")
    varying = np.count_nonzero(np.ptp(trace.points, axis=0) > 0.0)
    if varying > 2:
        return spread_plane(trace.points)
    return plane_of(trace.points, np.zeros(trace.points.shape[1]), names)


def _grid(
    trace: KernelTrace, support: NDArray[np.int64], plane: dict[str, Any], star: Floats | None
) -> tuple[dict[str, Any] | None, str]:
    """Return kernel values of support rows and grid nodes, or None and the reason why no curve is drawn.

    The nodes are ordered row by row from the top.
    """
    if not plane["exact"]:
        return None, ""  # the note of the plane states the reason
    rows = min(FINEST, int(np.sqrt(MOST_NODES / (WIDER * max(1, len(support))))))
    if rows < COARSEST:
        return None, f"w is a sum over {len(support):,} points; the curve would be too large for a page."
    columns = int(WIDER * (rows - 1)) + 1
    origin, axes = np.array(plane["origin"]), np.array(plane["axes"])
    x, y, is_equal = _ranges((trace.points - origin) @ axes.T)
    across, up = np.meshgrid(np.linspace(x[0], x[1], columns), np.linspace(y[1], y[0], rows))
    nodes = as_rows(origin + np.column_stack([across.ravel(), up.ravel()]) @ axes)
    try:
        values = trace.products(nodes, support).T
    except BadInput as error:  # a custom kernel need not be defined everywhere
        return None, f"No curve is drawn: {error}."
    of_star = None
    if star is not None:
        used = np.flatnonzero(star)
        of_star = _as_base64(_scale_to_unit(trace.products(nodes, used) @ star[used]), "<f4")
    grid = {
        "x": x,
        "y": y,
        "equal": is_equal,
        "columns": columns,
        "rows": rows,
        "values": _as_base64(_scale_to_unit(values), "<f4"),
        "star": of_star,
    }
    return grid, ""


def _ranges(drawn: Floats) -> tuple[list[float], list[float], bool]:
    """Return the horizontal and the vertical range of the grid, and whether both axes have the same scale.

    The ranges leave some space around the points. With equal scales, the horizontal range is wider, so that
    it fills a wide picture.
    """
    low, high = drawn.min(axis=0), drawn.max(axis=0)
    middle, half = (low + high) / 2.0, ROOM * (high - low) / 2.0
    longest = float(half.max()) or 1.0
    is_equal = bool(half.min() == 0.0 or longest <= STRETCHED * half.min())
    if is_equal:
        half = np.array([WIDER * longest, longest])
    x, y = ([float(middle[k] - half[k]), float(middle[k] + half[k])] for k in (0, 1))
    return x, y, is_equal


def _scale_to_unit(values: Floats) -> Floats:
    """Divide values by the largest absolute value, if it is not 0, so that single precision suffices."""
    largest = float(np.abs(values).max(initial=0.0))
    return values / largest if largest > 0.0 else values


def _as_base64(values: Floats, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")
