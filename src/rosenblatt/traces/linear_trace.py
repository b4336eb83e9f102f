"""`Trace`: every step of a linear run, with a check of the mistake bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput
from rosenblatt.traces import claims
from rosenblatt.traces.claims import Claims
from rosenblatt.traces.step_sequence import PATIENCE, RunStep, StepSequence, vector_text

MOST_TO_SEPARATE = 20_000_000  # numbers in the points of a run whose bound is computed for a report


@dataclass(frozen=True, slots=True)
class Step(RunStep):
    """Record one step of a run: the example, the score before it, and the weights after it.

    Parameters
    ----------
    epoch : int
        The pass, counted from 1.
    index : int
        The row of the example.
    x : tuple of float
        The example.
    y : int
        Its label, −1 or +1.
    score : float
        The score w·x + b before the step.
    agreement : float
        The functional margin y(w·x + b) before the step.
    mistake : bool
        Whether the example was misclassified.
    updated : bool
        Whether the weights changed.
    weights : tuple of float
        The weight vector w after the step.
    offset : float
        The offset b after the step.
    agreement_after : float
        The functional margin of the example after the step.
    norm_squared : float
        The squared norm ‖w‖² after the step, plus b² if the run has an offset.
    covariance : tuple of float
        The covariances Σ₁₁, Σ₁₂ and Σ₂₂ of the weights after the step, for two features and a rule that
        stores a covariance.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> trace([[2, 1]], [1], epochs=1)[0].weights
    (2.0, 1.0)
    """

    weights: tuple[float, ...]
    offset: float
    agreement_after: float
    norm_squared: float
    covariance: tuple[float, ...] = ()


class Trace(StepSequence[Step]):
    """Hold the steps of a run in order, and the points and settings of the run.

    It is a sequence of `Step`; `trace` records it.

    Parameters
    ----------
    steps : sequence of Step
        The steps.
    points : ndarray of shape (n_rows, n_features), Dense or Sparse
        The points of the run.
    labels : ndarray of int8
        Their labels, −1 or +1.
    settings : dict
        The settings of the run.
    cycle : Cycle, default=None
        The cycle of a run that repeats itself.
    separated : bool, default=False
        Whether the last pass visited every row with a weight above 0 and made no mistake.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> steps = trace([[2, 1], [0, 2]], [1, -1], offset=False)
    >>> len(steps), steps.mistakes, steps.weights
    (20, 2, array([ 2., -1.]))
    """

    FORMAT = "rosenblatt-trace"
    STEP = Step
    VECTORS = ("x", "weights", "covariance")
    TITLES = ("w", "b")

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weight vector w after the last step; the initial weights if there are no steps."""
        return np.array(self.steps[-1].weights if self.steps else self.settings["start"][:-1])

    @property
    def offset(self) -> float:
        """Offset b after the last step."""
        return float(self.steps[-1].offset if self.steps else self.settings["start"][-1])

    def path(self) -> list[tuple[float, ...]]:
        """Return w at the start and after each update.

        Returns
        -------
        list of tuple of float
            The weight vectors.
        """
        start = tuple(float(weight) for weight in self.settings["start"][:-1])
        return [start, *(step.weights for step in self.steps if step.updated)]

    # ------------------------------------------------------------ the proof, step by step

    def check_claims(
        self,
        w_star: ArrayLike | None = None,
        b_star: float = 0.0,
        tolerance: float = 1e-9,
        time_limit: float | None = PATIENCE,
    ) -> Claims:
        """Check both claims of the mistake bound at each update, against the separator (w*, b*).

        The rule determines the claims (`rules.two_claims`); rules whose bound has a different proof raise
        an error. With an offset, the claims are about the points (x, 1) and the separator w* = (w*, b*). A
        row of weight c is the point c·x.

        Parameters
        ----------
        w_star : array-like of shape (n_features,), default=None
            The separator w*, of any length; by default the separator with the largest margin.
        b_star : float, default=0.0
            Its offset.
        tolerance : float, default=1e-9
            The tolerance, relative to the change by an update.
        time_limit : float or None, default=5.0
            The time limit of the search for the largest margin in seconds.

        Returns
        -------
        Claims
            The claims, with the progress and growth of each update.

        Raises
        ------
        BadInput
            If the rule has no such claims, w* does not fit the run, or no separator was found.

        Examples
        --------
        >>> from rosenblatt import trace
        >>> print(trace([[2, 1], [0, 2]], [1, -1], rule="margin", offset=False).check_claims([1, -1]))
        2 updates, margin 0.707107, radius 2.23607, bound 14: both claims hold at every update
        >>> print(trace([[2, 1], [0, 2]], [1, -1], offset=False).check_claims())
        2 mistakes, margin 1.1094, radius 2.23607, bound 4.0625: both claims hold at every mistake
        """
        if w_star is None:
            w_star, b_star = self._largest_margin(time_limit)
        star = claims.unit_separator(w_star, b_star, self.points.shape[1], bool(self.settings["offset"]))
        updates = (
            (number, np.array([*step.weights, step.offset]))
            for number, step in enumerate(self.steps)
            if step.updated
        )
        return claims.check_claims(self.points, self.labels, self.settings, updates, star, tolerance)

    def _largest_margin(self, time_limit: float | None) -> tuple[NDArray[np.float64], float]:
        """Return (w*, b*), the separator with the largest margin of the points that the bound is about."""
        from rosenblatt.proof.separation import separate

        has_offset = bool(self.settings["offset"])
        points, labels = claims.proof_points(self.points, self.labels, self.settings)
        rows = points if has_offset else points[:, :-1]
        verdict = separate(rows, labels, offset=False, time_limit=time_limit, progress=False)
        if verdict.hyperplane is None:
            decided = "no hyperplane separates the points" if verdict.separable is False else "time limit"
            raise BadInput(f"w_star: no separator was found ({decided}), so no bound follows")
        # `separate` treats a single class as +1
        w = verdict.hyperplane[0] * (-1.0 if (labels < 0).all() else 1.0)
        return (w[:-1], float(w[-1])) if has_offset else (w, 0.0)

    def bound_sentence(self, time_limit: float | None = PATIENCE) -> str:
        """Return text that compares the mistakes of the run with their bound.

        Parameters
        ----------
        time_limit : float or None, default=5.0
            The time limit of the search for w* in seconds.

        Returns
        -------
        str
            Sentences; empty if the theorem does not apply to the rule.

        Examples
        --------
        >>> from rosenblatt import trace
        >>> print(trace([[2, 1], [0, 2]], [1, -1], offset=False).bound_sentence())
        Largest margin γ = 1.1094, with w* = (0.83205, -0.5547); largest norm of x: R = 2.23607.
        At most (R/γ)² = 4.0625 mistakes in any order of the points; this run made 2.
        """
        return self._bound(time_limit)[1]

    def _bound(self, time_limit: float | None) -> tuple[Claims | None, str]:
        if isinstance(self.settings.get("claims", ""), str):
            return None, ""
        if len(self.labels) * len(self.settings["start"]) > MOST_TO_SEPARATE:
            return None, f"No bound is computed for more than {MOST_TO_SEPARATE:,} numbers."
        try:
            found = self.check_claims(time_limit=time_limit)
        except BadInput as error:
            return None, f"N{str(error).removeprefix('w_star: n')}."  # no separator was found (…)
        *w, b = found.w_star
        has_offset, from_zero = bool(self.settings["offset"]), not any(self.settings["start"])
        star = f"w* = {vector_text(w)}" + (f", b* = {b:g}" if has_offset else "")
        point = "(x, 1)" if has_offset else "x"
        if self.settings.get("sample_weight"):
            point = f"c·{point}"
        is_plain = from_zero and found.of_rule.threshold == 0.0
        made = self.updates if found.each == "update" else self.mistakes
        return found, (
            f"Largest margin γ = {found.margin:g}, with {star}; largest norm of {point}: "
            f"R = {found.radius:g}.\n"
            f"At most {'(R/γ)² = ' if is_plain else ''}{found.bound:g} {found.each}s in any order of the "
            f"points; this run made {made}."
        )

    def _cells(self, step: Step) -> list[str]:
        return [vector_text(step.weights), f"{step.offset:g}"]

    def _more_columns(self, most: int, claims: Claims | None) -> list[list[str]]:
        more = super()._more_columns(most, claims)
        if self.settings.get("keep") != "averaged":
            return more
        after = np.array([(*step.weights, step.offset) for step in self.steps[:most]])
        sums = np.cumsum(after, axis=0).reshape(len(after), -1)
        more.append(["sum of w", *(vector_text(total) for total in sums[:, :-1].tolist())])
        if self.settings["offset"]:
            more.append(["sum of b", *(f"{total:g}" for total in sums[:, -1].tolist())])
        return more
