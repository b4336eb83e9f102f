"""`rosenblatt demo`: train on the breast cancer data and print a report."""

from __future__ import annotations

import click


@click.command()
@click.option("--seed", default=0, show_default=True, help="Random seed for the split and the shuffles.")
def demo(seed: int) -> None:
    """Train on the breast cancer data of scikit-learn and print a report.

    The data describe 569 tumours, malignant or benign, by 30 measurements each. A third of the rows is
    held out for evaluation.

    \b
    Example:
      rosenblatt demo --seed 1
    """
    from rosenblatt.reports.demonstration import run_demo

    run_demo(seed)
