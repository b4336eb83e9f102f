"""Messages about input rows on standard error: columns, dropped rows, unknown labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click
import numpy as np

from rosenblatt.cli.exits import in_options
from rosenblatt.data.sources.labelled_table import list_names
from rosenblatt.data.sources.source import Wrapped
from rosenblatt.errors import counted


class SourceMessages:
    """Print messages about a training source."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._columns = getattr(source, "columns", None)

    def show_columns(self) -> None:
        """Print how each column is treated."""
        if self._columns is None:
            return
        from rosenblatt.data.sources.described_fields import as_lines, describe_columns

        click.echo("\n".join(["", *as_lines(describe_columns(self._columns))]), err=True)

    def show_notes(self) -> None:
        """Print notes that are known only after all rows have been read."""
        for note in self.notes:
            click.echo(f"Note: {note}.", err=True)

    @property
    def notes(self) -> list[str]:
        notes = [in_options(note) for note in getattr(self._source, "notes", ())]
        if first := getattr(self._source, "first_bad", ""):
            n_bad = counted(self._source.n_bad, "malformed line")
            notes.append(in_options(f"{n_bad} skipped, the first in {first}"))
        if n_dropped := getattr(self._source, "n_dropped", 0):
            rows = counted(n_dropped, "row")
            if self._columns is not None and self._columns.missing == "mark":
                notes.append(f"{rows} without a label dropped")
            else:
                notes.append(
                    f"{rows} dropped for a missing value (--missing drop); --missing mark keeps such rows"
                )
        return notes

    def as_dict(self) -> dict[str, Any]:
        """Return the messages as a JSON object."""
        columns, doubts = None, []
        if self._columns is not None:
            from rosenblatt.data.sources.described_fields import as_dicts, describe_columns

            columns = as_dicts(describe_columns(self._columns))
            doubts = [in_options(doubt) for doubt in self._columns.doubts]
        return {
            "columns": columns,
            "dropped_rows": getattr(self._source, "n_dropped", 0),
            "warnings": doubts,
            "notes": self.notes,
        }


class KnownLabels(Wrapped):
    """Wrap a source, and count labels that are not classes of the model."""

    def __init__(self, source: Any, classes: Sequence[Any]) -> None:
        super().__init__(source)
        self._classes = classes
        self._unknown: dict[Any, int] = {}

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Any]:
        """Yield the chunks of the source unchanged, and count their unknown labels."""
        known = set(self._classes)
        for chunk in self._source.chunks(order, skip):
            if chunk.y is not None:
                labels, counts = np.unique(chunk.y, return_counts=True)
                for label, count in zip(labels.tolist(), counts.tolist(), strict=True):
                    if label not in known:
                        self._unknown[label] = self._unknown.get(label, 0) + count
            yield chunk

    def warn(self) -> None:
        """Print a warning that lists the unknown labels and the classes of the model."""
        if not self._unknown:
            return
        often = sorted(self._unknown, key=lambda label: -self._unknown[label])
        rows = counted(sum(self._unknown.values()), "row")
        classes = list_names(list(self._classes), 4)
        click.echo(
            f"Warning: {self._source.name}: {rows} with labels unknown to the model count as "
            f"misclassified: {list_names(often, 4)}; the model's classes are {classes}"
            f"{self._nearly(often)}.",
            err=True,
        )

    def _nearly(self, unknown: list[Any]) -> str:
        """Return a hint if an unknown label resembles a class, otherwise an empty string."""
        known = {_bare(label): label for label in self._classes}
        for label in unknown:
            if (meant := known.get(_bare(label))) is not None:
                return f" (did you mean {meant!r} instead of {label!r}?)"
        return ""


def _bare(label: Any) -> str:
    """Return a label in lower case, without a final .0 and most punctuation, for comparison."""
    text = str(label).lower().strip()
    return "".join(letter for letter in text.removesuffix(".0") if letter.isalnum() or letter in "<>=+-")
