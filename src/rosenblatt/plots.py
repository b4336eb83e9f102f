"""Plots of models, runs and proofs, drawn with matplotlib (the extra `plots`)."""

from rosenblatt.sight.plots import (
    agreement,
    decision_regions,
    errors_by_pass,
    margins,
    mistakes_and_bound,
    order_lines,
    order_spread,
    separability,
)

__all__ = [
    "agreement",
    "decision_regions",
    "errors_by_pass",
    "margins",
    "mistakes_and_bound",
    "order_lines",
    "order_spread",
    "separability",
]
