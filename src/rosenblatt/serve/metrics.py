"""GET /metrics: counters and gauges in the format of Prometheus."""

from __future__ import annotations

from typing import Any


def in_prometheus(host: Any) -> str:
    """Return all counters and gauges with their help texts."""
    lines = []
    for name, kind, meaning, value in measured(host):
        if value is not None:
            lines += [f"# HELP rosenblatt_{name} {meaning}", f"# TYPE rosenblatt_{name} {kind}"]
            lines.append(f"rosenblatt_{name} {float(value):.17g}")
    return "\n".join(lines) + "\n"


def measured(host: Any) -> list[tuple[str, str, str, float | None]]:
    """Return the name, kind, help text and value of each."""
    health, service = host.health(), host.service
    statistics, counters = service.statistics, service.served.counters()
    found: list[tuple[str, str, str, float | None]] = [
        ("learned_total", "counter", "Examples that the weights have learned.", health["learned"]),
        ("log_position", "gauge", "Examples in the log.", health["position"]),
        ("waiting_examples", "gauge", "Examples in the queue.", health["waiting"]),
        (
            "not_learned_total",
            "counter",
            "Examples skipped because the weights would overflow.",
            health["not_learned"],
        ),
        ("answers_total", "counter", "Answers since the start of the process.", service.answered),
        ("commits_total", "counter", "Transactions since the start of the process.", service.commits),
        ("mistakes_total", "counter", "Wrong answers.", statistics.mistakes),
        ("updates_total", "counter", "Updates of the weights.", counters["updates"]),
        ("progressive_error", "gauge", "Share of wrong answers.", statistics.error),
        (
            "recent_error",
            "gauge",
            "Share of wrong answers among the last thousand.",
            statistics.recent_error,
        ),
        ("drift_alarm", "gauge", "1 while the drift alarm is raised.", statistics.is_alarmed),
        ("start_time_seconds", "gauge", "Start of the process, seconds since 1970.", service.began),
    ]
    if "behind" in health:
        found.append(("behind_examples", "gauge", "Examples behind the leader.", health["behind"]))
    return found
