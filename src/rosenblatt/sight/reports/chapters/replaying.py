"""The run itself, to be played, stepped through and scrubbed."""

from __future__ import annotations

from rosenblatt.sight.reports.facts import Facts
from rosenblatt.sight.reports.markup import chapter
from rosenblatt.sight.viewer.viewer_page import replay_section


def replaying(facts: Facts) -> tuple[str, list[str]]:
    """Return the chapter, and the hashes of its scripts, which the page must allow; nothing for a large
    run."""
    if facts.replay is None:
        return "", []
    section, hashes = replay_section(facts.replay.head, facts.replay.chunks())
    bound = ", with the proof of its mistake bound beside it" if facts.replay.head["proof"] else ""
    keep = facts.record.parameters.get("keep", "last")
    kept = (
        ""
        if keep == "last"
        else f" It shows the current w; the model predicts with other weights (keep={keep})."
    )
    said = (
        f"<p>Every step of this run{bound}. The run was repeated from the same rows, order and settings, "
        f"and ends in the same weights to the last bit.{kept}</p>\n"
    )
    return chapter("Replay", said, section), hashes
