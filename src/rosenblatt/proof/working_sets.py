"""Search for a proof about rows that need not fit into memory.

The search alternates two steps. The first step searches a working set of rows in the same way as rows in
memory. If no hyperplane separates the working set, none separates all rows, and the same proof holds for
all rows. The second step reads all rows, block by block, and adds the rows with the smallest functional
margins to the working set. The search ends when the hyperplane separates all rows with a margin within the
tolerance of the upper bound.

The upper bound of the margin comes from the working set and holds for all rows. The lower bound is proved
by reading all rows in exact arithmetic. The choice of rows depends only on the rows and their order, so the
proof does not depend on the chunks of the source.

If the classes are not separable, quasi-separation and overlap are not distinguished, because that requires
all rows in memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.blocks import blocks
from rosenblatt.numeric.row_batches import Batch
from rosenblatt.proof.clock import Clock, TimeIsUp
from rosenblatt.proof.findings import Findings, as_floats
from rosenblatt.proof.labelled_rows import LabelledRows, RowsInMemory
from rosenblatt.proof.parts import Separator
from rosenblatt.proof.proof_search import search_margin

MORE = 500  # rows added to the working set after each pass


def search_working_sets(findings: Findings, tolerance: float, clock: Clock) -> None:
    """Search until the margin is known well enough, inseparability is proved, or no row can be added."""
    if findings.gordan is not None or (findings.separator and not findings.is_wider_than(tolerance)):
        return
    rows, working = findings.rows, np.union1d(findings.overview.first_rows, findings.last_rows)
    while True:
        clock.check()
        part = Findings(RowsInMemory(rows.choose(working), rows.classes), findings.offset)
        try:
            search_margin(part, tolerance / 2, clock)
        finally:
            _adopt(findings, part, working)
        if part.gordan is not None:
            return
        separator = next((each for each in part.parts() if isinstance(each, Separator)), None)
        if separator is None:
            raise TimeIsUp
        worst, is_near = _worst_rows(rows, separator, tolerance, clock)
        fresh = np.setdiff1d(worst, working)
        if is_near or not len(fresh):
            findings.add_separator(separator.w, separator.b, clock.check)
        if not len(fresh) or (findings.separator is not None and not findings.is_wider_than(tolerance)):
            return
        working = np.union1d(working, fresh)


def _adopt(findings: Findings, part: Findings, working: NDArray[np.int64]) -> None:
    """Copy to `findings` the facts about a working set that hold for all rows."""

    def among_all(found: Any) -> Any:
        return found._replace(rows=tuple(int(working[row]) for row in found.rows))

    if part.gordan is not None:
        findings.add_gordan(among_all(part.gordan), part.gordan_labels)
    if part.combination is not None:
        findings.combination = among_all(part.combination)  # never larger than the one before


def _worst_rows(
    rows: LabelledRows, separator: Separator, tolerance: float, clock: Clock
) -> tuple[NDArray[np.int64], bool]:
    """Return the rows with the smallest functional margins, and whether the separator is good enough.

    The separator is good enough if its smallest margin over all rows is within tolerance/2 of its margin on
    the working set. Floating point suffices here, since `Findings.add_separator` checks the result exactly.
    """
    w, b = as_floats(separator.w, separator.b)
    length = float(np.linalg.norm(w)) or 1.0
    worst, margins = np.empty(0, np.int64), np.empty(0)
    for some, agreements in rows.map(_worst_in_block, w, b, MORE):
        clock.check()
        worst, margins = np.concatenate([worst, some]), np.concatenate([margins, agreements / length])
        best = np.argsort(margins, kind="stable")[:MORE]
        worst, margins = worst[best], margins[best]
    return worst, bool(margins[0] >= separator.margin * (1.0 - tolerance / 2))


def _worst_in_block(
    first: int, batch: Batch, w: NDArray[np.float64], b: float, most: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the rows with the smallest functional margins under (w, b), and their functional margins."""
    made = np.concatenate([np.asarray(matrix @ w) for _, matrix in blocks(batch.rows)])
    agreements = batch.labels * (made + b)
    some = np.argsort(agreements, kind="stable")[:most]
    return first + some, agreements[some]
