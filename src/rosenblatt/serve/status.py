"""The status of a service or follower: JSON for the status page, metrics for Prometheus."""

from __future__ import annotations

import time
from typing import Any


def page_state(host: Any) -> dict[str, Any]:
    """Return the data of the status page: health, statistics and recent answers."""
    state: dict[str, Any] = host.call(
        lambda: {
            "health": host.health(),
            "now": time.time(),
            "classes": [str(label) for label in host.model.classes][:50],
            **host.statistics.as_dict(),
            **host.model.counters(),
            "last": list(reversed(host.last)),
        }
    )
    return state


def prometheus_metrics(host: Any) -> str:
    """Return all metrics with their help texts in the format of Prometheus."""
    health, statistics, updates = host.health(), host.statistics, host.model.counters()["updates"]
    found: list[tuple[str, str, Any]] = [
        ("learned_total", "Examples that the model has learned.", health.learned),
        ("log_position", "Examples in the log.", health.position),
        ("waiting_examples", "Examples in the queue.", health.waiting),
        ("not_learned_total", "Examples skipped because the weights would overflow.", health.not_learned),
        ("answers_total", "Predictions since the start of the process.", host.answered),
        ("commits_total", "Transactions since the start of the process.", host.commits),
        ("mistakes_total", "Wrong predictions.", statistics.mistakes),
        ("updates_total", "Updates of the weights.", updates),
        ("progressive_error", "Share of wrong predictions.", statistics.error),
        ("recent_error", "Share of wrong predictions among the last thousand.", statistics.recent_error),
        ("drift_alarm", "1 while the drift alarm is raised.", statistics.is_alarmed),
        ("start_time_seconds", "Start of the process, seconds since 1970.", host.began),
    ]
    if host.role == "follower":
        found.append(("behind_examples", "Examples behind the leader.", health.behind))
    lines = []
    for name, meaning, value in found:
        if value is not None:
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP rosenblatt_{name} {meaning}", f"# TYPE rosenblatt_{name} {kind}"]
            lines.append(f"rosenblatt_{name} {float(value):.17g}")
    return "\n".join(lines) + "\n"
