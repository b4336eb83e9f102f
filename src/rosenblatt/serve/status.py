"""The status of a service or follower: JSON for the status page, metrics for Prometheus."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np

from rosenblatt.models.loaded import LoadedModel
from rosenblatt.serve.jobs import plain_x

MOST_FEATURES = 12
LONGEST = 120  # characters of an example
SINCE = 60.0  # seconds over which weight changes are measured


class WeightChanges:
    """Track the weights over the last minute to find the largest changes."""

    def __init__(self) -> None:
        self._copies: list[tuple[float, Any]] = []

    def largest(self, model: LoadedModel) -> dict[str, Any] | None:
        """Return the weights that changed most in the last minute; None if there are none or too many."""
        now, weights = time.monotonic(), model.weights()
        if weights is None:
            return None
        self._copies = [each for each in self._copies if now - each[0] <= SINCE][-4:]
        if not self._copies or now - self._copies[-1][0] >= SINCE / 3:
            self._copies.append((now, weights.copy()))
        began, before = self._copies[0]
        change = weights.copy()
        n, width = min(len(before), len(weights)), min(before.shape[1], weights.shape[1]) - 1
        change[:n, :width] -= before[:n, :width]
        change[:n, -1] -= before[:n, -1]  # the offset is the last entry
        places = np.argsort(-np.abs(change), axis=None, kind="stable")[:MOST_FEATURES]
        features = []
        for row, j in (divmod(place, weights.shape[1]) for place in places.tolist()):
            if change[row, j] == 0.0:
                break
            features.append(
                {
                    "name": "offset" if j == weights.shape[1] - 1 else model.feature_name(j),
                    "of": str(model.classes[row]) if len(weights) > 1 else None,
                    "weight": float(weights[row, j]),
                    "change": float(change[row, j]),
                }
            )
        return {"seconds": now - began, "features": features}


def page_state(host: Any, changes: WeightChanges) -> dict[str, Any]:
    """Return the data of the status page: health, statistics, recent answers and changed weights."""

    def collect() -> dict[str, Any]:
        return {
            "health": host.health(),
            "now": time.time(),
            "classes": [str(label) for label in host.model.classes][:50],
            **host.statistics.as_dict(),
            **host.model.counters(),
            "last": [{**each, "x": _abbreviate(each["x"])} for each in reversed(host.last)],
            "moved": changes.largest(host.model),
        }

    state: dict[str, Any] = host.call(collect)
    return state


def _abbreviate(x: Any) -> str:
    """Return an example as one short line of text."""
    text = x if isinstance(x, str) else json.dumps(plain_x(x), ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def prometheus_metrics(host: Any) -> str:
    """Return all metrics with their help texts in the format of Prometheus."""
    health, statistics = host.health(), host.statistics
    found: list[tuple[str, str, str, Any]] = [
        ("learned_total", "counter", "Examples that the model has learned.", health.learned),
        ("log_position", "gauge", "Examples in the log.", health.position),
        ("waiting_examples", "gauge", "Examples in the queue.", health.waiting),
        (
            "not_learned_total",
            "counter",
            "Examples skipped because the weights would overflow.",
            health.not_learned,
        ),
        ("answers_total", "counter", "Predictions since the start of the process.", host.answered),
        ("commits_total", "counter", "Transactions since the start of the process.", host.commits),
        ("mistakes_total", "counter", "Wrong predictions.", statistics.mistakes),
        ("updates_total", "counter", "Updates of the weights.", host.model.counters()["updates"]),
        ("progressive_error", "gauge", "Share of wrong predictions.", statistics.error),
        (
            "recent_error",
            "gauge",
            "Share of wrong predictions among the last thousand.",
            statistics.recent_error,
        ),
        ("drift_alarm", "gauge", "1 while the drift alarm is raised.", statistics.is_alarmed),
        ("start_time_seconds", "gauge", "Start of the process, seconds since 1970.", host.began),
    ]
    if host.role == "follower":
        found.append(("behind_examples", "gauge", "Examples behind the leader.", health.behind))
    lines = []
    for name, kind, meaning, value in found:
        if value is not None:
            lines += [f"# HELP rosenblatt_{name} {meaning}", f"# TYPE rosenblatt_{name} {kind}"]
            lines.append(f"rosenblatt_{name} {float(value):.17g}")
    return "\n".join(lines) + "\n"
