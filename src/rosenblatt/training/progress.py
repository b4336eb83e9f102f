"""The progress display of a run: silent for two seconds, then one line."""

from __future__ import annotations

import math
import sys
import time
from typing import Any

from rosenblatt.training.compile_time import CLOCK

PATIENCE = 2.0  # seconds


class Progress:
    """Show steps, mistakes and passes during a run.

    With show=None, progress is shown in a terminal or notebook after two seconds; with True it is always
    shown, with False never. Long compilation is reported in the same way.
    """

    def __init__(self, show: bool | None, total: int | None, what: str = "looks") -> None:
        self._show = show
        self._total = total
        self._what = what
        self._began = time.monotonic()
        wait = PATIENCE if show is None else math.inf if show is False else 0.0
        self.due = self._began + wait  # nothing is shown earlier
        self._printed = -math.inf
        self._bar: Any = None
        self._task: Any = None
        self._compiled = CLOCK.total

    def __enter__(self) -> Progress:
        CLOCK.speakers.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        CLOCK.speakers.remove(self)
        if self._bar is not None:
            self._bar.stop()

    def at(self, done: int, message: str) -> None:
        if self._bar is None and not self._is_wanted():
            return
        if not _on_a_screen():
            self._print_line(f"{done:,} {self._what}, {message}")
            return
        if self._bar is None:
            self._open()
        self._bar.update(self._task, completed=done, message=message)

    def compiling(self, seconds: float | None) -> None:
        """Report seconds spent compiling; None clears the message."""
        if not (_on_a_screen() if self._show is None else self._show):
            return
        message = (
            ""
            if seconds is None
            else f"compiling a training loop, once per machine: {seconds - self._compiled:.0f} s"
        )
        if self._bar is not None:
            self._bar.update(self._task, message=message)
        elif _on_a_screen():
            print(f"\r{message:56}" + "\r" * (not message), end="", file=sys.stderr, flush=True)
        elif message:
            self._print_line(message)

    def say(self, line: str) -> None:
        """Print a line that stays visible, above the progress bar if there is one."""
        if self._bar is None:
            print(line, file=sys.stderr, flush=True)
        else:
            self._bar.console.print(line, markup=False, highlight=False)

    def _print_line(self, line: str) -> None:
        """Print a plain line for a pipe or a log, at most one every two seconds."""
        now = time.monotonic()
        if now - self._printed > PATIENCE:
            self._printed = now
            print(line, file=sys.stderr)

    def _is_wanted(self) -> bool:
        if self._show is not None:
            return self._show
        return time.monotonic() - self._began > PATIENCE and _on_a_screen()

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.percentage:>3.0f} %" if self._total else "{task.completed:,} " + self._what),
            BarColumn(),
            TextColumn("{task.fields[message]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("", total=self._total, message="")
        self._bar.start()


def _on_a_screen() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules
