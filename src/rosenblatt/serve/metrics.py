"""GET /metrics: what a service counts, as Prometheus reads it."""

from __future__ import annotations

from typing import Any


def in_prometheus(host: Any) -> str:
    """Counters and gauges, each with its meaning."""
    lines = []
    for name, kind, meaning, value in measured(host):
        if value is not None:
            lines += [f"# HELP rosenblatt_{name} {meaning}", f"# TYPE rosenblatt_{name} {kind}"]
            lines.append(f"rosenblatt_{name} {float(value):.17g}")
    return "\n".join(lines) + "\n"


def measured(host: Any) -> list[tuple[str, str, str, float | None]]:
    """Name, kind, meaning and value of each."""
    health, service = host.health(), host.service
    statistics, counters = service.statistics, service.served.counters()
    found: list[tuple[str, str, str, float | None]] = [
        ("learned_total", "counter", "Examples in the weights.", health["learned"]),
        ("log_position", "gauge", "Examples in the log.", health["position"]),
        ("waiting_examples", "gauge", "Examples in line.", health["waiting"]),
        ("not_learned_total", "counter", "Examples whose sums overflowed.", health["not_learned"]),
        ("answers_total", "counter", "Answers given since the start.", service.answered),
        ("commits_total", "counter", "Transactions since the start.", service.commits),
        ("mistakes_total", "counter", "Wrong answers, as they were given.", statistics.mistakes),
        ("updates_total", "counter", "Changes of the weights.", counters["updates"]),
        ("progressive_error", "gauge", "Wrong answers of all.", statistics.error),
        ("recent_error", "gauge", "Wrong answers of the last thousand.", statistics.recent_error),
        ("drift_alarm", "gauge", "1 while errors are more than they were.", statistics.is_alarmed),
        ("start_time_seconds", "gauge", "When the process began.", service.began),
    ]
    if "behind" in health:
        found.append(("behind_examples", "gauge", "Examples behind the leader.", health["behind"]))
    return found
