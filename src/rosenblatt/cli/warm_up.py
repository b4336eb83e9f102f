"""`rosenblatt warm-up`: compile the most common loops ahead of time."""

from __future__ import annotations

import os
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import click

NAMES = "size,colour,says,kind\n"
TWO = "1.5,red,no more of this please,a\n2.5,blue,more of it please do,b\n" * 4
FILES = {
    "two.csv": NAMES + TWO,
    "three.csv": NAMES + TWO + "3.5,green,nothing more of it today,c\n" * 4,
    "two.svm": "+1 1:0.5 3:1\n-1 2:1.5\n" * 4,
}
COMMANDS = {
    "a table with text, two classes": ["fit two.csv --out two", "predict two two.csv"],
    "a table with text, more classes": ["fit three.csv --out three", "predict three three.csv"],
    "svmlight text": ["fit two.svm --out svm", "predict svm two.svm"],
    "a proof": ["separate two.csv --leave-out says --leave-out colour"],
}


@click.command("warm-up")
def warm_up() -> None:
    """Compile the common training loops ahead of time, once per machine.

    Each combination of update rule, averaging strategy and row format has its own training loop. It is
    compiled when it is first used, which takes seconds, and then stored on disk. This command compiles the
    loops for the common commands and for `Perceptron().fit` on dense and sparse rows. Loops already on disk
    are skipped.

    \b
    Example:
      rosenblatt warm-up
    """
    from rosenblatt.training.compile_time import Stopwatch

    root = click.get_current_context().find_root().command
    whole, before = Stopwatch(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        for name, content in FILES.items():
            Path(folder, name).write_text(content, encoding="utf-8")
        os.chdir(folder)  # commands write files to the current folder
        try:
            for what, lines in COMMANDS.items():
                watch = Stopwatch()
                for line in lines:
                    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                        root.main(line.split(), standalone_mode=False)
                _say(what, watch)
        finally:
            os.chdir(before)
    watch = Stopwatch()
    _learn_in_python()
    _say("Perceptron().fit", watch)
    _say("total", whole)


def _learn_in_python() -> None:
    import numpy as np
    from scipy.sparse import csr_array

    from rosenblatt.models.perceptron import Perceptron

    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
    for rows in (X, X.astype(np.float32), csr_array(X)):
        for y in ([0, 1, 1], [0, 1, 2]):
            Perceptron(keep="averaged").fit(rows, y).predict(rows)
            Perceptron().fit(rows, y).predict(rows)


def _say(what: str, watch: Any) -> None:
    seconds = watch.compiling
    click.echo(f"{what:34}" + (f"compiled in {seconds:.1f} s" if seconds >= 0.05 else "ready"))
