"""XOR: a line that never converges, and the remedies: polynomials, kernels, budgets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt import budgets
from rosenblatt.course.lab.chapters.chapter import Answer, Chapter
from rosenblatt.course.lab.grid_regions import half_of, regions
from rosenblatt.course.lab.page_states import State, both_classes
from rosenblatt.course.lab.python import arguments, assignment, call_text
from rosenblatt.errors import counted
from rosenblatt.kernels import Gaussian, Laplacian, Polynomial
from rosenblatt.models.kernel_perceptron import KernelPerceptron
from rosenblatt.models.polynomial_threshold import PolynomialThreshold
from rosenblatt.proof.clock import Clock
from rosenblatt.proof.feature_space import KernelBound, kernel_bound
from rosenblatt.proof.findings import label_in_memory
from rosenblatt.proof.separation import separate
from rosenblatt.proof.verdict import Verdict, describe_run, interval, row_list
from rosenblatt.traces import KernelTrace, Trace, trace
from rosenblatt.traces.kernel_replay import formula
from rosenblatt.traces.replay_data import Replay, replay
from rosenblatt.training.progress import Progress

MOST_POINTS = 100
MOST_PASSES = 50
WIDTHS = (0.05, 10.0)
MOST_STEPS = 2000
"""Steps of the plain line that are recorded; the cycles that occur are short."""

MOST_BOUNDED = 60
"""Largest number of points for the margin in feature space, which then takes hundredths of a second."""

PATIENCE = 1.0  # time limit of each proof in seconds
MOST_LINES = 12  # lines of a cycle that are drawn
MOST_TERMS = 4  # terms of a sum over the support that are written out
MOST_MONOMIALS = 15  # terms of a polynomial in a sentence
METHODS = ("line", "polynomial", "kernel")
KERNELS = ("homogeneous", "polynomial", "gaussian", "laplacian")
HIGHEST = 8  # degree

START = {
    "points": [[-1, -1], [-1, 1], [1, -1], [1, 1]],
    "labels": [-1, 1, 1, -1],
    "method": "line",
    "degree": 2,
    "kernel": "homogeneous",
    "c": 1.0,
    "gamma": 1.0,
    "keep": "last",
    "passes": 50,
    "budget": 0,
    "forgetting": "projectron",
    "replay": False,
    "step": 0,
}

Points = NDArray[np.float64]
Labels = NDArray[np.int64]


def answer(state: State) -> Answer:
    """Return the result of the chosen method on the points."""
    points = state.points(most=MOST_POINTS)
    labels = state.labels(len(points))
    both_classes(labels)
    method = state.choice("method", METHODS)
    state.whole("step", 0, MOST_PASSES * MOST_POINTS)
    if method == "line":
        return _line(state, points, labels)
    return _polynomial(state, points, labels) if method == "polynomial" else _kernel(state, points, labels)


# ---------------------------------------------------------------- the plain line


def _line(state: State, points: Points, labels: Labels) -> Answer:
    steps = trace(points, labels, epochs=None, until="separated", max_steps=MOST_STEPS)
    verdict = separate(points, labels, time_limit=PATIENCE, progress=False)
    w, b = steps.weights, steps.offset
    numbers = {
        "w": w.tolist(),
        "b": b,
        "mistakes": steps.mistakes,
        "cycle": list(steps.cycle) if steps.cycle else None,
        "wrong": np.flatnonzero(labels * (points @ w + b) <= 0).tolist(),
        "separable": verdict.separable,
        "support": verdict.support.tolist(),
    }
    lines = [
        "import numpy as np",
        "from rosenblatt import separate, trace",
        "",
        assignment("X", points),
        assignment("y", labels),
        call_text("steps = trace", "X", "y", epochs=None, until="separated", max_steps=MOST_STEPS),
        "w, b, mistakes = steps.weights, steps.offset, steps.mistakes",
        "cycle = list(steps.cycle) if steps.cycle else None",
        "wrong = np.flatnonzero(y * (X @ w + b) <= 0)",
        "verdict = separate(X, y)",
        "separable, support = verdict.separable, verdict.support",
        'print(steps.summary(), verdict, sep="\\n")',
    ]
    picture = {"half": half_of(points), "lines": _lines_of_cycle(steps)}
    sentences = (_run_of(steps), *_proof_of(verdict, steps))
    shown = replay(steps, time_limit=PATIENCE) if state.flag("replay") else None
    return Answer(numbers, "\n".join(lines), sentences, picture, shown)


def _lines_of_cycle(steps: Trace) -> list[list[float]]:
    """Return the distinct lines of one cycle, in order."""
    if steps.cycle is None:
        return []
    start, period = steps.cycle.start, steps.cycle.period
    found = dict.fromkeys((*step.weights, step.offset) for step in steps[start : start + period])
    return [list(line) for line in found if any(line[:2])][:MOST_LINES]


def _run_of(steps: Trace) -> str:
    if steps.cycle:
        return f"The run cycles: {steps.cycle}."
    if steps.separated:
        made = describe_run(counted(steps.mistakes, "mistake"), steps[-1].epoch, converged=True)
        return f"The run made {made}."
    return (
        f"The run made {counted(steps.mistakes, 'mistake')} in {counted(len(steps), 'step')} and has not "
        "ended; no state has recurred so far."
    )


def _proof_of(verdict: Verdict, steps: Trace) -> list[str]:
    if verdict.separable:
        bound = verdict.mistake_bound
        most = "" if bound is None else f", and no order makes more than {bound:,} mistakes"
        late = "" if steps.separated else "; the run ends, but after more steps than this page makes"
        return [f"A line separates these points: the margin is {interval(*verdict.margin)}{most}{late}."]
    if verdict.separable is None:
        return ["It is not decided whether a line separates them."]
    rows = row_list(verdict.support)
    return [
        "No line separates these points: the convex hulls of the two classes intersect, as "
        f"rows {rows} prove.",
        "A polynomial or a kernel may help: choose another method.",
    ]


# ---------------------------------------------------------------- polynomial threshold


def _polynomial(state: State, points: Points, labels: Labels) -> Answer:
    settings = {"degree": state.whole("degree", 1, HIGHEST), **_settings(state)}
    model = PolynomialThreshold(**settings, progress=False).fit(points, labels)
    kernel = Polynomial(settings["degree"], 1.0, 1.0)
    given = arguments(kernel="polynomial", degree=kernel.degree, gamma=1.0)
    bound = _bound(points, labels, kernel, given)
    steps = _steps(state, points, labels, kernel, given)
    numbers = {
        "polynomial": str(model.polynomial_).replace("x1", "x₂").replace("x0", "x₁"),
        "monomials": model.n_monomials_,
        **_counts(model, points, labels),
    }
    lines = [
        "import numpy as np",
        f"from rosenblatt import {', '.join(['PolynomialThreshold', *bound.imports, *steps.imports])}",
        "",
        assignment("X", points),
        assignment("y", labels),
        call_text("model = PolynomialThreshold", **settings) + ".fit(X, y)",
        "# the page counts the coordinates from 1",
        'polynomial = str(model.polynomial_).replace("x1", "x₂").replace("x0", "x₁")',
        "monomials = model.n_monomials_",
        *COUNTS,
        *bound.lines,
        *steps.lines,
        f'print({", ".join(["polynomial", "mistakes", "converged", *bound.numbers])}, sep="\\n")',
    ]
    sentences = [
        f"The answer is the sign of {_polynomial_text(numbers)}, a polynomial of degree {kernel.degree}: "
        f"{model.n_monomials_} monomials.",
        f"It made {_how_it_ended(numbers, model, points, settings['keep'])}.",
        *steps.sentences,
        *bound.sentences,
    ]
    numbers |= bound.numbers | steps.numbers
    return _draw(points, model, numbers, lines, sentences, steps.replay)


def _polynomial_text(numbers: dict[str, Any]) -> str:
    """Return the polynomial as text if it is short, else "p(x)"; the page also shows the full text."""
    return "p(x)" if numbers["monomials"] > MOST_MONOMIALS else f"p(x) = {numbers['polynomial']}"


# ---------------------------------------------------------------- kernels


def _kernel(state: State, points: Points, labels: Labels) -> Answer:
    kernel = _kernel_of(state)
    budget = _budget(state)
    settings = _settings(state)
    limited = {} if budget is None else {"budget": budget, "random_state": 0}
    model = KernelPerceptron(kernel=kernel, **limited, **settings, progress=False).fit(points, labels)
    bound = _bound(points, labels, kernel, "kernel=kernel") if budget is None else NOT_ASKED
    steps = _steps(state, points, labels, kernel, "kernel=kernel", budget)
    numbers = {
        "support": model.support_.tolist(),
        "coefficients": model.dual_coef_[0].tolist(),
        **_counts(model, points, labels),
    }
    given = [f"{name}={value!r}" for name, value in limited.items()]
    lines = [
        "import numpy as np",
        f"from rosenblatt import {', '.join(['KernelPerceptron', *bound.imports, *steps.imports])}",
        *([f"from rosenblatt.budgets import {type(budget).__name__}"] if budget is not None else []),
        f"from rosenblatt.kernels import {type(kernel).__name__}",
        "",
        assignment("X", points),
        assignment("y", labels),
        f"kernel = {kernel!r}",
        call_text("model = KernelPerceptron", "kernel=kernel", *given, **settings) + ".fit(X, y)",
        "support, coefficients = model.support_, model.dual_coef_[0]",
        *COUNTS,
        *bound.lines,
        *steps.lines,
        f'print({", ".join(["support", "coefficients", "mistakes", *bound.numbers])}, sep="\\n")',
    ]
    sentences = [
        f"The kernel perceptron with {formula(kernel)} made "
        f"{_how_it_ended(numbers, model, points, settings['keep'])}.",
        _score_of(numbers, points, budget),
        *_at_the_origin(kernel, points),
        *steps.sentences,
        *bound.sentences,
    ]
    numbers |= bound.numbers | steps.numbers
    return _draw(points, model, numbers, lines, sentences, steps.replay)


def _kernel_of(state: State) -> Any:
    name = state.choice("kernel", KERNELS)
    if name in ("homogeneous", "polynomial"):
        degree = state.whole("degree", 1, HIGHEST)
        return Polynomial(degree, 1.0, state.number("c", 0.01, 100.0) if name == "polynomial" else 0.0)
    gamma = state.number("gamma", *WIDTHS)
    return Gaussian(gamma) if name == "gaussian" else Laplacian(gamma)


def _budget(state: State) -> Any:
    size = state.whole("budget", 0, MOST_POINTS)
    kind = state.choice("forgetting", tuple(budgets.BUDGETS))
    return budgets.BUDGETS[kind](size=size) if size else None


def _score_of(numbers: dict[str, Any], points: Points, budget: Any) -> str:
    """Return a sentence with the score as a sum over the support rows, if that is short enough."""
    support, coefficients = numbers["support"], numbers["coefficients"]
    if len(support) > MOST_TERMS:
        limit = f" (the budget allows {budget.size})" if budget is not None else ""
        return f"{len(support)} of the {len(points)} points are support points{limit}; they are ringed."
    terms = [
        f"{'−' if part < 0 else '+'} {abs(part):.4g}·K(({points[row, 0]:g}, {points[row, 1]:g}), x)"
        for row, part in zip(support, coefficients, strict=True)
    ]
    return f"The score of x is {' '.join(terms).removeprefix('+ ').replace('-', '−')}."


def _at_the_origin(kernel: Any, points: Points) -> list[str]:
    zero = np.flatnonzero(~points.any(axis=1))
    if not (isinstance(kernel, Polynomial) and kernel.coef0 == 0.0 and len(zero)):
        return []
    return [
        f"Row {row_list(zero)} is the origin, where φ(0, 0) = 0: its score is always 0, a mistake "
        "in every pass. (x·z + c)^d with c > 0 has a constant coordinate, which helps."
    ]


# ---------------------------------------------------------------- shared by polynomials and kernels


def _settings(state: State) -> dict[str, Any]:
    return {
        "keep": state.choice("keep", ("last", "averaged")),
        "order": "given",
        "until": "separated",
        "epochs": state.whole("passes", 1, MOST_PASSES),
    }


def _counts(
    model: KernelPerceptron | PolynomialThreshold, points: Points, labels: Labels
) -> dict[str, Any]:
    return {
        "mistakes": int(model.mistakes_),
        "passes": int(model.epochs_),
        "converged": bool(model.converged_),
        "wrong": np.flatnonzero(labels * model.decision_function(points) <= 0).tolist(),
    }


COUNTS = (
    "mistakes, passes, converged = model.mistakes_, model.epochs_, model.converged_",
    "wrong = np.flatnonzero(y * model.decision_function(X) <= 0)",
)


def _how_it_ended(
    numbers: dict[str, Any], model: KernelPerceptron | PolynomialThreshold, points: Points, keep: str
) -> str:
    made = describe_run(counted(numbers["mistakes"], "mistake"), numbers["passes"], numbers["converged"])
    wrong = len(numbers["wrong"])
    by = " by the averaged w" if keep == "averaged" else ""
    now = f"{wrong} of {counted(len(points), 'point')} wrong{by}" if wrong else f"all points are right{by}"
    if not model.decision_function(points).all():
        now += " (a score of 0 counts as wrong)"
    return f"{made}; {now}"


class Part(NamedTuple):
    """Hold the answer to one question on the page: Python imports and lines, numbers, sentences."""

    imports: tuple[str, ...]
    numbers: dict[str, Any]
    lines: tuple[str, ...]
    sentences: tuple[str, ...]
    replay: Replay | None = None


NOT_ASKED = Part((), {}, (), ())


def _steps(
    state: State, points: Points, labels: Labels, kernel: Any, given: str, budget: Any = None
) -> Part:
    """Record the run that the state describes; `given` is the kernel's argument in the Python text.

    With more than `MOST_BOUNDED` points, w* is not computed, because that would take seconds.
    """
    if not state.flag("replay"):
        return NOT_ASKED
    if budget is not None:
        limit = "With a budget, a run has no replay on this page: remove the limit to see its steps."
        return Part((), {}, (), (limit,))
    settings: dict[str, Any] = {"epochs": int(state.number("passes")), "until": "separated"}
    steps: KernelTrace = trace(points, labels, kernel=kernel, **settings)
    return Part(
        ("trace",),
        {"looks": len(steps), "cycle": list(steps.cycle) if steps.cycle else None},
        (
            call_text("steps = trace", "X", "y", given, **settings),
            "looks, cycle = len(steps), list(steps.cycle) if steps.cycle else None",
        ),
        (f"The run cycles: {steps.cycle.sentence(settings['epochs'])}.",) if steps.cycle else (),
        replay(steps, time_limit=PATIENCE if len(points) <= MOST_BOUNDED else 0.0),
    )


def _bound(points: Points, labels: Labels, kernel: Any, given: str) -> Part:
    """Return the bound that `mistake_bound` proves, without running the perceptron a second time."""
    if len(points) > MOST_BOUNDED:
        return NOT_ASKED
    with Progress(False, None, "steps") as bar:
        batch = label_in_memory(points, labels).batch
        found = kernel_bound(batch, kernel, False, 1e-2, Clock(PATIENCE, bar), patience=0.0)
    return Part(
        ("mistake_bound",),
        {"bound": list(found.bound) if found.bound else None},
        (f"proved = mistake_bound(X, y, {given}).bound", "bound = list(proved) if proved else None"),
        (_bound_sentence(found),),
    )


def _bound_sentence(found: KernelBound) -> str:
    if found.separable is False:
        return (
            "In its feature space no hyperplane through the origin separates the points (proved). Because "
            "a score of 0 is a mistake here, no run on them ever ends."
        )
    if found.bound is None:
        return (
            "Whether a hyperplane through the origin separates the points in its feature space is not "
            f"decided; its margin there is at most {found.margin[1]:.3g}."
        )
    return (
        f"In its feature space the largest margin through the origin is {interval(*found.margin)} and the "
        f"radius {found.radius:.6g}: at most {counted(int(found.bound[1]), 'mistake')}, in any order of "
        "the points."
    )


def _draw(
    points: Points,
    model: KernelPerceptron | PolynomialThreshold,
    numbers: dict[str, Any],
    lines: list[str],
    sentences: list[str],
    shown: Replay | None,
) -> Answer:
    cells = regions(points, lambda cells: model.predict(cells) > 0)
    picture = {"half": half_of(points), "regions": cells}
    return Answer(numbers, "\n".join(lines), tuple(sentences), picture, shown)


XOR = Chapter("xor", "XOR and what helps", "No line separates them; a polynomial does.", START, answer)
