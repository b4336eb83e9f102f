"""The model's margin compared with the largest possible margin, and the proof about the rows."""

from __future__ import annotations

import math
from typing import Any

from rosenblatt.proof.verdict import Verdict, through_origin
from rosenblatt.reports.charts import Ruler
from rosenblatt.reports.facts import Facts
from rosenblatt.reports.number_text import count, percent, real, with_noun


def separability(facts: Facts) -> dict[str, Any]:
    """Return the verdict in sentences, the two margins, and a ruler that shows them."""
    verdict, margin = facts.verdict, facts.training.margin if facts.training else None
    share = None
    if verdict is not None and margin is not None and margin > 0.0 and math.isfinite(verdict.margin[1]):
        share = min(1.0, margin / verdict.margin[1])
    return {
        "sentences": _without_verdict(facts) if verdict is None else str(verdict).splitlines(),
        "place": "" if verdict is None else through_origin(verdict.proof.offset),
        "margin": margin,
        "share": share,
        "ruler": _ruler(verdict, margin),
    }


def _without_verdict(facts: Facts) -> list[str]:
    record, last = facts.record, facts.record.history[-1]
    is_strict = record.parameters.get("tie", "mistake") == "mistake"  # else a row may be on w·x + b = 0
    if record.converged and not last.updates and record.n_columns == 1 and is_strict:
        # without an update in a whole pass, a single hyperplane had every row on its side
        rows = with_noun(last.examples_seen, "row")
        return [
            f"Yes: pass {count(last.epoch)} made no mistake and no update on {rows}, so its weights "
            "separate them."
        ]
    return []


def _ruler(verdict: Verdict | None, margin: float | None) -> Ruler | None:
    if verdict is None or margin is None or not verdict.separable or not math.isfinite(verdict.margin[1]):
        return None
    low, high = verdict.margin
    place = through_origin(verdict.proof.offset)
    part = f"; {percent(margin / high)} of it" if 0.0 < margin <= high else ""
    description = (
        f"Reached {real(margin)}. The best possible{place} is between {real(low)} and {real(high)}{part}."
    )
    return Ruler(f"Margin reached and largest possible margin{place}", description, verdict.margin, margin)
