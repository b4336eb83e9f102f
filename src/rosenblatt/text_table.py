"""Text tables with aligned columns."""

from __future__ import annotations

from collections.abc import Sequence


def aligned_lines(rows: Sequence[Sequence[str]], names_rows: bool = True) -> list[str]:
    """Return one line of text for each row of cells, with all columns padded to equal width.

    Cells are aligned to the right. With `names_rows` the first column holds row names and is aligned to the
    left.

    Examples
    --------
    >>> aligned_lines([["", "mean"], ["margin", "0.5"]])
    ['        mean', 'margin   0.5']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if names_rows and column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
