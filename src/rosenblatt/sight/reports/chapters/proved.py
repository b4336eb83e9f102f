"""Margin reached and largest possible margin, the mistake bound, and the proof about the rows."""

from __future__ import annotations

import math

from rosenblatt import rules
from rosenblatt.proof.verdict import Verdict, at_least, at_most, big, through_origin
from rosenblatt.sight.reports.facts import Facts
from rosenblatt.sight.reports.markup import chapter, count, counted, duration, escaped, pairs, percent, real
from rosenblatt.sight.reports.svg import ruler


def separability(facts: Facts) -> str:
    """Whether a hyperplane separates the rows, and how near the run came to the best one."""
    verdict, margin = facts.verdict, facts.training.margin if facts.training else None
    said = _sentences(verdict) if verdict else _without_verdict(facts)
    told = [("margin of the model's weights", real(margin))] if margin is not None else []
    if facts.test is not None and facts.test.margin is not None:
        told.append(("smallest margin on the held-out rows", real(facts.test.margin)))
    if verdict is not None:
        told += _proved(facts, verdict)
    return chapter("Separability", said, _picture(verdict, margin), pairs(told) if told else "")


def _sentences(verdict: Verdict) -> str:
    first, *others = str(verdict).splitlines()
    more = f"<p>{' '.join(escaped(line) for line in others)}</p>\n" if others else ""
    return f'<p class="verdict">{escaped(first)}</p>\n{more}'


def _without_verdict(facts: Facts) -> str:
    record, last = facts.record, facts.record.history[-1]
    is_strict = (
        record.parameters.get("tie", "mistake") == "mistake"
    )  # otherwise a row may lie on the hyperplane
    if record.converged and not last.updates and record.n_columns == 1 and is_strict:
        # no update in a whole pass: one and the same hyperplane had every row on its side
        return (
            f'<p class="verdict">Yes: pass {count(last.epoch)} made no mistake and '
            f"no update on {counted(last.examples_seen, 'row')}, so its weights separate them.</p>\n"
        )
    return (
        '<p class="verdict">Not decided.</p>\n'
        "<p>The question was not asked, or the time limit was too short. <code>rosenblatt "
        "separate</code> decides it and proves the answer.</p>\n"
    )


def _picture(verdict: Verdict | None, margin: float | None) -> str:
    if verdict is None or margin is None or not verdict.separable or not math.isfinite(verdict.margin[1]):
        return ""
    low, high = verdict.margin
    place = through_origin(verdict.proof.offset)
    title = f"Margin reached and largest possible margin{place}"
    part = f"; {percent(margin / high)} of it" if 0.0 < margin <= high else ""
    description = (
        f"Reached {real(margin)}. The best possible{place} is between {real(low)} and {real(high)}{part}."
    )
    return (
        f"<figure><figcaption>{title}</figcaption>\n"
        f"{ruler(title, description, verdict.margin, margin)}</figure>\n"
    )


def _proved(facts: Facts, verdict: Verdict) -> list[tuple[str, str]]:
    low, high = verdict.margin
    told = []
    if verdict.separable:
        place = through_origin(verdict.proof.offset)
        told.append((f"largest margin possible{place}, proved", _between(low, high)))
        margin = facts.training.margin if facts.training else None
        if margin is not None and margin > 0.0 and math.isfinite(high):
            told.append(("share of it reached", percent(min(1.0, margin / high))))
    told.append(("distance of the farthest row from the origin", real(verdict.radius)))
    if verdict.mistake_bound is not None:
        told.append(("bound on mistakes in any order, from w = 0", big(verdict.mistake_bound)))
        rule = rules.name_of(rules.as_rule(facts.record.parameters.get("rule", "rosenblatt")))
        note = "" if rule == "rosenblatt" else " (by another rule; the bound is for the Rosenblatt rule)"
        told.append(("mistakes made", count(facts.record.mistakes) + note))
    told.append(("rows that determine the margin", count(len(verdict.support))))
    told.append(("search time", duration(verdict.seconds)))
    return told


def _between(low: float, high: float) -> str:
    least, most = real(low, 6), real(high, 6)
    return least if least == most else f"{at_least(low)} to {at_most(high)}"
