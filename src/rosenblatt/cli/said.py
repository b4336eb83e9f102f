"""What a command did with the rows, said on standard error: columns, dropped rows, labels nobody knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click
import numpy as np

from rosenblatt.cli.exits import in_options
from rosenblatt.data.sources.labelled_table import listed
from rosenblatt.errors import counted


class Said:
    """What is to be said of a source from which a model is learned."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._columns = getattr(source, "columns", None)

    def at_first(self) -> None:
        """The table of columns, and what looks wrong about them."""
        if self._columns is None:
            return
        from rosenblatt.data.sources.described_fields import as_lines, described

        click.echo("\n".join([*as_lines(described(self._columns)), ""]), err=True)
        for doubt in self._columns.doubts:
            click.echo(f"Warning: {in_options(doubt)}.", err=True)

    def at_last(self) -> None:
        """What only those know who have read all rows."""
        for note in self.notes:
            click.echo(f"Note: {note}.", err=True)

    @property
    def notes(self) -> list[str]:
        notes = list(getattr(self._source, "notes", ()))
        if n_dropped := getattr(self._source, "n_dropped", 0):
            rows = counted(n_dropped, "row")
            notes.append(
                f"left out for a missing value: {rows} (--missing drop; --missing mark keeps them)"
            )
        return notes

    def as_dict(self) -> dict[str, Any]:
        """The same for machines."""
        columns, doubts = None, []
        if self._columns is not None:
            from rosenblatt.data.sources.described_fields import as_dicts, described

            columns = as_dicts(described(self._columns))
            doubts = [in_options(doubt) for doubt in self._columns.doubts]
        return {
            "columns": columns,
            "dropped_rows": getattr(self._source, "n_dropped", 0),
            "warnings": doubts,
            "notes": self.notes,
        }


class KnownLabels:
    """A source whose labels are compared with the classes of a model on the way."""

    def __init__(self, source: Any, classes: Sequence[Any]) -> None:
        self._source, self._classes = source, classes
        self._unknown: dict[Any, int] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Any]:
        """The chunks of the source."""
        known = set(self._classes)
        for chunk in self._source.chunks(order, skip):
            if chunk.y is not None:
                labels, counts = np.unique(chunk.y, return_counts=True)
                for label, count in zip(labels.tolist(), counts.tolist(), strict=True):
                    if label not in known:
                        self._unknown[label] = self._unknown.get(label, 0) + count
            yield chunk

    def warn(self) -> None:
        """Says which labels were unknown, and what the model knows."""
        if not self._unknown:
            return
        often = sorted(self._unknown, key=lambda label: -self._unknown[label])
        rows = counted(sum(self._unknown.values()), "row")
        classes = listed(list(self._classes), 4)
        click.echo(
            f"Warning: {self._source.name}: {rows} with labels that the model does not know, so no answer "
            f"is right for them: {listed(often, 4)}; it knows {classes}{self._nearly(often)}.",
            err=True,
        )

    def _nearly(self, unknown: list[Any]) -> str:
        """What would make them known."""
        known = {_bare(label): label for label in self._classes}
        for label in unknown:
            if (meant := known.get(_bare(label))) is not None:
                return f" (is {label!r} meant as {meant!r}? Write them alike)"
        return ""


def _bare(label: Any) -> str:
    """A label without what people add by accident: capitals, blanks, marks, .0 behind whole numbers."""
    text = str(label).lower().strip()
    return "".join(letter for letter in text.removesuffix(".0") if letter.isalnum() or letter in "<>=+-")
