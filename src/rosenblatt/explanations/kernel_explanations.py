"""Why a kernel model predicts a class: the contributions of its support vectors, which sum to the score."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from rosenblatt.explanations.row_explanations import MOST_LISTED


@dataclass(frozen=True)
class KernelExplanation:
    """Hold why a kernel model predicts a class: what each support vector adds to its score.

    Parameters
    ----------
    row : int
        The number of the row, from 0.
    predicted, runner_up : class
        The class with the largest score, and the class with the next.
    margin : float
        The lead of the predicted class.
    support : list of (int, float)
        The number of each training row, and what it adds to the lead, the largest first.
    """

    row: int
    predicted: Any
    runner_up: Any
    margin: float
    support: list[tuple[int, float]]

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation for JSON.

        Returns
        -------
        dict
            The explanation.
        """
        listed = [{"training_row": row, "adds": value} for row, value in self.support]
        return {
            "row": self.row, "predicted": self.predicted, "runner_up": self.runner_up,
            "margin": self.margin, "support": listed,
        }  # fmt: skip

    def _repr_html_(self) -> str:
        """Return the explanation as HTML."""
        rows = "".join(
            f"<tr><th scope='row'>training row {row + 1}</th><td>{value:+.4g}</td></tr>"
            for row, value in self.support[:MOST_LISTED]
        )
        return (
            f"<p>Row {self.row + 1:,}, counted from 1: <b>{escape(str(self.predicted))}</b>, ahead of "
            f"{escape(str(self.runner_up))} by {self.margin:.4g}.</p><table><tbody>{rows}</tbody></table>"
        )


def explain_kernel(model: Any, X: Any) -> list[KernelExplanation]:
    """Return an explanation of each row: score = Σ αᵢ·(K(xᵢ, x) + 1) over the support vectors xᵢ."""
    X, vectors = (
        rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
        for rows in (X, model.support_vectors_)
    )
    coefficients = np.atleast_2d(model.dual_coef_)
    if len(coefficients) == 1:
        coefficients = np.vstack([np.zeros_like(coefficients), coefficients])
    answers = np.searchsorted(model.classes_, model.predict(X))
    found = []
    for i, predicted in enumerate(answers.tolist()):
        values = np.asarray(model.kernel_(vectors, X[i : i + 1])).reshape(-1) + model._state.offset
        scores = coefficients @ values
        margin = scores[predicted] - np.delete(scores, predicted).max()
        scores[predicted] = -np.inf
        rival = int(np.argmax(scores))
        adds = (coefficients[predicted] - coefficients[rival]) * values
        order = np.argsort(-np.abs(adds), kind="stable")
        support = [(int(model.support_[k]), float(adds[k])) for k in order if adds[k]]
        classes = model.classes_.tolist()
        found.append(KernelExplanation(i, classes[predicted], classes[rival], float(margin), support))
    return found
