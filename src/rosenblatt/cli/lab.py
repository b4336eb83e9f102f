"""`rosenblatt lab` and `rosenblatt demo`: interactive pages on the lecture notes, and a first report."""

from __future__ import annotations

from pathlib import Path

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
@click.option(
    "--build",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the lab to this folder as a static site, and exit.",
)
def lab(port: int, browser: bool, build: Path | None) -> None:
    """Open the lab in a browser: 16 chapters on the lecture notes, and a page for your own data.

    Draw points and watch the perceptron learn them step by step, next to the proof of its mistake bound.
    Everything is computed in the browser. The server accepts requests from this machine only; Ctrl-C stops
    it. The folder written by --build can be published by any web server.

    \b
    Examples:
      rosenblatt lab --port 9000 --no-browser
      rosenblatt lab --build public/lab
    """
    from rosenblatt.course.lab.static_site import build_site, serve

    if build is not None:
        click.echo(
            f"Wrote {build_site(build)} files to {build}; open {build / 'index.html'} through a server."
        )
        return
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
