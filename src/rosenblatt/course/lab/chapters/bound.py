"""The mistake bound: margin and radius, a proof for the points on the page, and a run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import geometry
from rosenblatt.course.lab.chapters.chapter import Answer, Chapter
from rosenblatt.course.lab.page_states import State, both_classes
from rosenblatt.course.lab.proofs import decide
from rosenblatt.course.lab.python import arguments, assignment, literal
from rosenblatt.errors import BadInput, counted
from rosenblatt.proof.proof import Combination, Gordan
from rosenblatt.proof.verdict import Verdict, big, describe_run
from rosenblatt.proof.verify import verify
from rosenblatt.traces import Trace, trace
from rosenblatt.traces.claims import Claims

MOST = 200
"""Points that the page takes; Python has no such limit."""

MOST_LOOKS = 4000  # steps of a run, about a fifth of a second
MOST_DRAWN = 400  # points of a curve

START = {
    "points": [
        [0, 0.7], [1.4, 1.3], [1.4, 1.6], [3.2, -1], [2.5, 3], [2.3, 0.8], [3.7, -1.3], [2.8, 1.8],
        [-1.8, 0.3], [0.3, -0.5], [1.9, 0.9], [-1.7, 2.4], [2.4, -1], [3.5, 1.8], [-0.2, 3.3], [-0.1, 2.5],
    ],
    "labels": [-1, 1, 1, -1, 1, 1, -1, 1, -1, -1, 1, -1, -1, 1, 1, 1],
    "offset": True,
    "order": "given",
    "seed": 0,
    "ideal_radius": 4.0,
    "ideal_margin": 1.0,
    "ideal_distance": 0.0,
}  # fmt: skip

_CYCLE = [[0, 1], [0, -1], [-1, 0.5]]
EXAMPLES = {
    "Default points": {"points": START["points"], "labels": START["labels"]},
    "x = 0 (+) and x = 0.1 (−)": {"points": [[0, 0], [0.1, 0]], "labels": [1, -1]},
    "XOR": {"points": [[-1, -1], [-1, 1], [1, -1], [1, 1]], "labels": [-1, 1, 1, -1]},
    "Three points of the notes, no offset": {"points": _CYCLE, "labels": [1, 1, -1], "offset": False},
    "The same three with an offset": {"points": _CYCLE, "labels": [1, 1, -1]},
}
"""States of the page's buttons; settings that are not named have their initial values."""


def answer(state: State) -> Answer:
    """Return the bound for an idealised picture, the proof about the points, and a run over the points."""
    offset = state.flag("offset")
    radius, margin, distance = _ideal(state, offset)
    points = state.points(most=MOST)
    labels = state.labels(len(points))
    both_classes(labels)
    run: dict[str, Any] = {
        "offset": offset,
        "order": state.choice("order", ("given", "shuffled")),
        "random_state": state.whole("seed", 0, 10**6),
    }
    verdict = decide(points, labels, offset)
    steps = trace(points, labels, **run, until="separated", epochs=None, max_steps=MOST_LOOKS)
    numbers = {
        "expected": geometry.most_mistakes(radius, margin),
        "allowed": _most_mistakes(radius, margin, distance, offset),
        **_of_proof(verdict, points, labels),
        **_of_run(steps, points, labels),
    }
    picture = _picture(verdict, points, labels)
    if verdict.separable:
        best = _lift(points, labels, verdict)
        claims = _claims(steps, best)
        numbers |= _of_bound(best, claims)
        picture["curves"] = _curves(claims)
    else:
        numbers |= _cancelling(verdict, labels)
    python = _python(points, labels, (radius, margin, distance), run, numbers)
    return Answer(numbers, python, tuple(_sentences(verdict, steps, numbers)), picture)


# ---------------------------------------------------------------- idealised picture


def _ideal(state: State, offset: bool) -> tuple[float, float, float]:
    """Return the radius, the margin, and the distance of the line from the origin (0 without an offset)."""
    radius = state.number("ideal_radius", 1e-6)
    margin = state.number("ideal_margin", 1e-9)
    distance = state.number("ideal_distance", 0.0) if offset else 0.0
    if distance + margin > radius:
        raise BadInput(
            f"ideal_margin: a band up to {distance + margin:.4g} from the origin leaves no space outside "
            f"it in a circle of radius {radius:.4g}; make the margin smaller or the circle larger"
        )
    return radius, margin, distance


def _most_mistakes(radius: float, margin: float, distance: float, offset: bool) -> float:
    """Return the mistake bound, which is about the points (x, 1) if there is an offset.

    A line with ‖w‖ = 1 then has (w, b) of length √(1 + distance²).
    """
    if not offset:
        return geometry.most_mistakes(radius, margin)
    return geometry.most_mistakes(math.hypot(radius, 1), margin / math.hypot(1, distance))


# ---------------------------------------------------------------- the proof


def _lift(points: NDArray[np.float64], labels: NDArray[Any], verdict: Verdict) -> Verdict:
    """Return the verdict about the points of the theorem, which are (x, 1) if there is an offset."""
    if not verdict.proof.offset:
        return verdict
    lifted = np.column_stack([points, np.ones(len(points))])
    return decide(lifted, labels, offset=False)


def _claims(steps: Trace, best: Verdict) -> Claims:
    assert best.hyperplane is not None
    star = best.hyperplane[0]
    if steps.settings["offset"]:
        return steps.check_claims(star[:-1], float(star[-1]))
    return steps.check_claims(star)


def _of_proof(verdict: Verdict, points: NDArray[np.float64], labels: NDArray[Any]) -> dict[str, Any]:
    return {
        "separable": verdict.separable,
        "kind": verdict.kind,
        "margin": list(verdict.margin),
        "radius": verdict.radius,
        "support": verdict.support.tolist(),
        "checked": str(verify(verdict.proof, points, labels)),
    }


def _of_bound(best: Verdict, claims: Claims) -> dict[str, Any]:
    return {
        "lifted_margin": list(best.margin),
        "lifted_radius": best.radius,
        "most": best.mistake_bound,
        "claims_hold": claims.holds,
        "smallest_progress": min(claim.progress for claim in claims.claims),
        "largest_growth": max(claim.growth for claim in claims.claims),
    }


def _of_run(steps: Trace, points: NDArray[np.float64], labels: NDArray[Any]) -> dict[str, Any]:
    w, b = steps.weights, steps.offset
    numbers: dict[str, Any] = {
        "mistakes": steps.mistakes,
        "passes": steps[-1].epoch,
        "separated": steps.separated,
        "w": w.tolist(),
        "b": b,
    }
    if steps.separated:
        signed = zip(points, labels.tolist(), strict=True)
        numbers["reached"] = min(label * geometry.signed_distance(x, w, b) for x, label in signed)
    return numbers


def _gordan(verdict: Verdict) -> Gordan | None:
    return next((part for part in verdict.proof.parts if isinstance(part, Gordan)), None)


def _cancelling(verdict: Verdict, labels: NDArray[Any]) -> dict[str, Any]:
    """Return the rows that prove inseparability, and the weight of each row within its class."""
    zero = _gordan(verdict)
    assert zero is not None
    weights = dict(sorted(zip(zero.rows, zero.weights, strict=True)))
    total = sum(weight for row, weight in weights.items() if labels[row] > 0 or not verdict.proof.offset)
    return {"cancelling": list(weights), "shares": [weight / total for weight in weights.values()]}


# ---------------------------------------------------------------- drawing


def _picture(verdict: Verdict, points: NDArray[np.float64], labels: NDArray[Any]) -> dict[str, Any]:
    hyperplane = verdict.hyperplane
    return {
        "offset": verdict.proof.offset,
        "hyperplane": None if hyperplane is None else [*hyperplane[0].tolist(), hyperplane[1]],
        "nearest": _nearest(verdict, points, labels),
        "meeting": _meeting(verdict, points, labels),
        "curves": None,
        "proof": verdict.proof.to_json(),
    }


def _mean(points: NDArray[np.float64], rows: list[int], weights: list[int]) -> list[float]:
    total = sum(weights)
    shares = np.array([weight / total for weight in weights])
    return (shares @ points[rows]).tolist()


def _of_class(part: Gordan | Combination, labels: NDArray[Any], label: int) -> tuple[list[int], list[int]]:
    chosen = [
        (row, weight) for row, weight in zip(part.rows, part.weights, strict=True) if labels[row] == label
    ]
    return [row for row, _ in chosen], [weight for _, weight in chosen]


def _nearest(
    verdict: Verdict, points: NDArray[np.float64], labels: NDArray[Any]
) -> list[list[float]] | None:
    """Return the nearest points of the two hulls; the line of largest margin is halfway between them."""
    part = next((part for part in verdict.proof.parts if isinstance(part, Combination)), None)
    if part is None or not verdict.proof.offset:
        return None
    return [_mean(points, *_of_class(part, labels, label)) for label in (-1, 1)]


def _meeting(verdict: Verdict, points: NDArray[np.float64], labels: NDArray[Any]) -> list[float] | None:
    """Return a point that lies in both hulls (without an offset, the origin), if the hulls intersect."""
    part = _gordan(verdict)
    if part is None:
        return None
    return _mean(points, *_of_class(part, labels, 1)) if verdict.proof.offset else [0.0, 0.0]


def _curves(claims: Claims) -> dict[str, Any]:
    """Return w·w*, ‖w‖ and their changes after each mistake (in long runs, after a sample of mistakes)."""
    count = len(claims.claims)
    shown = np.unique(np.linspace(0, count - 1, min(count, MOST_DRAWN)).astype(int))
    progress = np.array([claim.progress for claim in claims.claims])
    growth = np.array([claim.growth for claim in claims.claims])
    return {
        "t": (shown + 1).tolist(),
        "along": np.cumsum(progress)[shown].tolist(),
        "length": np.sqrt(np.maximum(np.cumsum(growth), 0.0))[shown].tolist(),
        "progress": progress[shown].tolist(),
        "growth": growth[shown].tolist(),
        "margin": claims.margin,
        "radius": claims.radius,
    }


# ---------------------------------------------------------------- sentences


def _sentences(verdict: Verdict, steps: Trace, numbers: dict[str, Any]) -> list[str]:
    lines_of_verdict = str(verdict).splitlines()
    proved = " ".join(lines_of_verdict[: 3 if verdict.separable else 2])
    checked = f"The proof, checked in exact arithmetic: {numbers['checked']}"
    if not steps.separated:
        return [proved, checked, _of_the_run(steps, numbers) + "."]
    share = 100 * numbers["reached"] / numbers["margin"][1]
    reached = f"{numbers['reached']:.4g} from the nearest point, {share:.3g} % of the best possible margin"
    return [proved, checked, f"{_of_the_run(steps, numbers)}.", f"Its line is {reached}."]


def _of_the_run(steps: Trace, numbers: dict[str, Any]) -> str:
    order = {"given": "the given order", "shuffled": "a shuffled order"}[steps.settings["order"]]
    mistakes = counted(steps.mistakes, "mistake")
    made = f"A run in {order} made {mistakes}"
    if steps.cycle is not None:
        return f"{made}, and {steps.cycle}"
    if not steps.separated:
        made += f" in its first {counted(len(steps), 'step')}; the page shows no more"
    else:
        made = f"A run in {order} made {describe_run(mistakes, numbers['passes'], converged=True)}"
    return made if "most" not in numbers else f"{made}; no order makes more than {big(numbers['most'])}"


# ---------------------------------------------------------------- Python text


def _python(
    points: NDArray[np.float64],
    labels: NDArray[Any],
    ideal: tuple[float, float, float],
    run: dict[str, Any],
    numbers: dict[str, Any],
) -> str:
    offset = run["offset"]
    lines = [
        "import math",
        "",
        "import numpy as np",
        "from rosenblatt import geometry, mistake_bound, separate, trace, verify",
        "",
        "# the idea: points within R of the origin, gamma or more from a line d away from it",
        f"R, gamma, d = {', '.join(literal(number) for number in ideal)}",
        "expected = geometry.most_mistakes(R, gamma)",
        "allowed = geometry.most_mistakes(math.hypot(R, 1), gamma / math.hypot(1, d))"
        if offset
        else "allowed = expected",
        "",
        "# what is proved about these points",
        assignment("X", points),
        assignment("y", labels),
        f"verdict = separate(X, y, offset={offset})",
        "separable, kind, radius = verdict.separable, verdict.kind, verdict.radius",
        "margin, support = list(verdict.margin), verdict.support.tolist()",
        "checked = str(verify(verdict.proof, X, y))",
        "",
        "# a run over them",
        f"run = dict({arguments(**run)}, max_steps={MOST_LOOKS})",
        'steps = trace(X, y, until="separated", epochs=None, **run)',
        "mistakes, passes, separated = steps.mistakes, steps[-1].epoch, steps.separated",
        "w, b = steps.weights.tolist(), steps.offset",
    ]
    if numbers["separated"]:
        lines.append("distances = [geometry.signed_distance(x, w, b) for x in X]")
        lines.append("reached = min(label * distance for label, distance in zip(y, distances))")
    if "most" in numbers:
        lines += _python_of_bound(offset)
    else:
        lines += _python_of_cancelling(offset)
    return "\n".join([*lines, "print(verdict)", "print(checked)", "print(steps.summary())"])


def _python_of_bound(offset: bool) -> list[str]:
    lifted = [
        "lifted = np.column_stack([X, np.ones(len(X))])",
        "best = separate(lifted, y, offset=False)",
    ]
    if not offset:
        lifted = ["best = verdict"]
    return [
        "",
        f"# the theorem{', which is about the points (x, 1)' if offset else ''}",
        *lifted,
        "lifted_margin, lifted_radius, most = list(best.margin), best.radius, best.mistake_bound",
        "star = best.hyperplane[0]",
        f"claims = steps.check_claims({'star[:-1], star[-1]' if offset else 'star'})",
        "claims_hold = claims.holds",
        "smallest_progress = min(claim.progress for claim in claims.claims)",
        "largest_growth = max(claim.growth for claim in claims.claims)",
        f"print(mistake_bound(X, y, offset={offset}, time_limit=1))  # in one call",
        "print(claims)",
    ]


def _python_of_cancelling(offset: bool) -> list[str]:
    which = " if y[row] > 0" if offset else ""
    return [
        "",
        "# the points that cancel each other, and the share of each in the sum of its class"
        if offset
        else "# the points that cancel each other, and the share of each in the sum",
        "zero = verdict.proof.parts[0]",
        "weights = dict(sorted(zip(zero.rows, zero.weights)))",
        f"total = sum(weight for row, weight in weights.items(){which})",
        "cancelling, shares = list(weights), [weight / total for weight in weights.values()]",
        "print(dict(zip(cancelling, shares)))",
    ]


BOUND = Chapter(
    "bound", "The bound", "The margin of your points, proved.", START, answer, {"examples": EXAMPLES}
)
