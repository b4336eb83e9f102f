"""Margin reached and largest possible margin, the mistake bound, and the proof about the rows."""

from __future__ import annotations

import math
from typing import Any

from rosenblatt import rules
from rosenblatt.proof.verdict import Verdict, at_least, at_most, big, through_origin
from rosenblatt.reports.charts import Ruler
from rosenblatt.reports.facts import Facts
from rosenblatt.reports.number_text import count, duration, percent, real, with_noun
from rosenblatt.reports.page_templates import Fact


def separability(facts: Facts) -> dict[str, Any]:
    """Return whether a hyperplane separates the rows, and how near the run came to the best one."""
    verdict, margin = facts.verdict, facts.training.margin if facts.training else None
    found = [Fact("margin of the model's weights", [real(margin)])] if margin is not None else []
    if facts.test is not None and facts.test.margin is not None:
        found.append(Fact("smallest margin on the held-out rows", [real(facts.test.margin)]))
    if verdict is not None:
        found += [Fact(label, [value]) for label, value in _proof_facts(facts, verdict)]
    return {
        "sentences": _without_verdict(facts) if verdict is None else str(verdict).splitlines(),
        "ruler": _ruler(verdict, margin),
        "facts": found,
    }


def _without_verdict(facts: Facts) -> list[str]:
    record, last = facts.record, facts.record.history[-1]
    is_strict = record.parameters.get("tie", "mistake") == "mistake"  # else a row may lie on the hyperplane
    if record.converged and not last.updates and record.n_columns == 1 and is_strict:
        # no update in a whole pass: one and the same hyperplane had every row on its side
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


def _proof_facts(facts: Facts, verdict: Verdict) -> list[tuple[str, str]]:
    low, high = verdict.margin
    found = []
    if verdict.separable:
        place = through_origin(verdict.proof.offset)
        found.append((f"largest margin possible{place}, proved", _between(low, high)))
        margin = facts.training.margin if facts.training else None
        if margin is not None and margin > 0.0 and math.isfinite(high):
            found.append(("share of it reached", percent(min(1.0, margin / high))))
    found.append(("distance of the farthest row from the origin", real(verdict.radius)))
    if verdict.mistake_bound is not None:
        found.append(("bound on mistakes in any order, from w = 0", big(verdict.mistake_bound)))
        rule = rules.name_of(rules.as_rule(facts.record.parameters.get("rule", "rosenblatt")))
        note = "" if rule == "rosenblatt" else " (by another rule; the bound is for the Rosenblatt rule)"
        found.append(("mistakes made", count(facts.record.mistakes) + note))
    found.append(("rows that determine the margin", count(len(verdict.support))))
    found.append(("search time", duration(verdict.seconds)))
    return found


def _between(low: float, high: float) -> str:
    least, most = real(low, 6), real(high, 6)
    return least if least == most else f"{at_least(low)} to {at_most(high)}"
