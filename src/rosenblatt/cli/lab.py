"""`rosenblatt lab`: the lecture notes as pages that compute."""

from __future__ import annotations

import click


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Where; 0: any that is free.",
)
@click.option("--browser/--no-browser", default=True, help="Open the page, or only say where it is.")
def lab(port: int, browser: bool) -> None:
    """Open the lab: ten chapters and your own data in a browser, every figure computed on this machine.

    Draw points and watch the perceptron learn from them, step by step, with the proof of its mistake bound
    beside it. The server answers this machine only, until Ctrl-C.

    \b
    Example:
      rosenblatt lab --port 9000 --no-browser
    """
    from rosenblatt.cli.quick_start import collect_as_ever
    from rosenblatt.course.lab.running import serve

    collect_as_ever()
    serve(port, open_browser=browser, say=click.echo)
