"""Plots of models, runs and proofs with matplotlib (the extra `plots`); each function returns its axes."""

from rosenblatt.plots.agreement_lines import agreement
from rosenblatt.plots.heat_map import separability
from rosenblatt.plots.margin_histogram import margins
from rosenblatt.plots.mistakes import mistakes_and_bound
from rosenblatt.plots.order_pictures import order_lines, order_spread
from rosenblatt.plots.passes import errors_by_pass
from rosenblatt.plots.regions import decision_regions

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
