"""`rosenblatt lab` and `rosenblatt demo`: interactive pages on the lecture notes, and a first report."""

from __future__ import annotations

import click


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Port; 0 for any free port.",
)
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open the page in a browser.")
def lab(port: int, browser: bool) -> None:
    """Open the lab in a browser: ten chapters on the lecture notes, and a page for your own data.

    Draw points and watch the perceptron learn them step by step, next to the proof of its mistake bound.
    The server accepts requests from this machine only. Ctrl-C stops it.

    \b
    Example:
      rosenblatt lab --port 9000 --no-browser
    """
    from rosenblatt.cli.quick_start import collect_as_ever
    from rosenblatt.course.lab.running import serve

    collect_as_ever()
    serve(port, open_browser=browser, say=click.echo)


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
