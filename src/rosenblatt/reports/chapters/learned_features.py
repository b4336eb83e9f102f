"""The features with the largest weights, as `rosenblatt inspect` lists them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.explanations.model_terms import ModelTerms, learned_facts, summaries
from rosenblatt.reports.facts import Facts
from rosenblatt.reports.model_facts import summary_line
from rosenblatt.reports.number_text import align

MOST_FEATURES = 10  # on each side, of two classes
MOST_CLASSES = 12
MOST_EACH = 5  # on each side, of more classes


def learned_features(facts: Facts) -> dict[str, Any]:
    """Return the largest weights of each class: as bars for two classes, as a table for more."""
    state: Any = facts.record.state
    if state.is_committee:
        members = [len(each.survival()) for each in state.committees()]
        return {"members": sum(members), "committees": len(members), "summaries": []}
    terms = ModelTerms(facts.record)
    more = {"summaries": [summary_line(each) for each in summaries(terms)]}
    if terms.is_binary:
        (found,) = learned_facts(terms, None, MOST_FEATURES)
        bars = sorted(found["positive"] + found["negative"], key=lambda each: -abs(each["weight"]))
        weights = [each["weight"] for each in bars]
        return more | {
            "n_used": int(np.count_nonzero(terms.decision_weights[:-1])),
            "b": found["offset"],
            "low": min([0.0, *weights]),
            "high": max([0.0, *weights]),
            "bars": list(zip(bars, align(weights), strict=True)),
            "curves": [_curve(curve) for curve in found["curves"]],
        }
    names = terms.classes[:MOST_CLASSES]
    classes = [learned_facts(terms, name, MOST_EACH)[0] for name in names]
    offsets = align([each["offset"] for each in classes])
    return more | {
        "n_classes": len(terms.classes),
        "classes": list(zip(classes, offsets, strict=True)),
    }


def _curve(curve: dict[str, Any]) -> dict[str, Any]:
    """Return a curve with the points of its line, in a box of 100 × 28."""
    values = [point["adds"] for point in curve["points"]]
    low, span = min(values), (max(values) - min(values)) or 1.0
    last = max(1, len(values) - 1)
    line = " ".join(
        f"{100.0 * k / last:.1f},{26.0 - 24.0 * (value - low) / span:.1f}" for k, value in enumerate(values)
    )
    lowest, highest = (best(curve["points"], key=lambda point: point["adds"]) for best in (min, max))
    return {
        "column": curve["column"],
        "line": line,
        "points": curve["points"],
        "low": lowest,
        "high": highest,
    }
