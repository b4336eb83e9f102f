"""`rosenblatt demo`: the main job on real data."""

from __future__ import annotations

import click


@click.command()
@click.option("--seed", default=0, show_default=True, help="Decides the split and the shuffles.")
def demo(seed: int) -> None:
    """Learn to tell malignant from benign tumours, and print the report.

    The data (569 tumours, 30 measurements) ships with scikit-learn. A third is held out.

    \b
    Example:
      rosenblatt demo --seed 1
    """
    from rosenblatt.sight.reports.demonstration import run_demo

    run_demo(seed)
