"""GET /state: what the page shows."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np

from rosenblatt.serve.work import plain_x

MOST_FEATURES = 12
LONGEST = 120  # letters of an example
SINCE = 60.0  # seconds over which weights are seen to move


def shown(host: Any) -> dict[str, Any]:
    """Health, statistics, the last answers and the weights that moved most."""
    service = host.service

    def now() -> dict[str, Any]:
        return {
            "health": host.health(),
            "now": time.time(),
            "classes": [str(label) for label in service.served.classes][:50],
            **service.statistics.shown(),
            **service.served.counters(),
            "last": [{**each, "x": short(each["x"])} for each in reversed(service.last)],
            "moved": moved(host),
        }

    return service.call(now)


def short(x: Any) -> str:
    """An example as a line of a table has it."""
    text = x if isinstance(x, str) else json.dumps(plain_x(x), ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def moved(host: Any) -> dict[str, Any] | None:
    """The weights that changed most in the last minute, between two groups of examples."""
    served, at = host.service.served, time.monotonic()
    weights = served.weights()
    if weights is None:
        return None
    marks = [mark for mark in (host.marks or ()) if at - mark[0] <= SINCE][-4:]
    if not marks or at - marks[-1][0] >= SINCE / 3:
        marks.append((at, weights.copy()))
    host.marks = marks
    began, before = marks[0]
    change = weights.copy()
    rows, columns = (min(a, b) for a, b in zip(before.shape, weights.shape, strict=True))
    if before.shape[1] == weights.shape[1]:
        change[:rows, :columns] -= before[:rows, :columns]
    else:  # the offset stands last
        change[:rows, : before.shape[1] - 1] -= before[:rows, :-1]
        change[:rows, -1] -= before[:rows, -1]
    places = np.argsort(-np.abs(change), axis=None, kind="stable")[:MOST_FEATURES]
    classes = served.classes
    features = []
    for place in places.tolist():
        row, j = divmod(place, weights.shape[1])
        if change[row, j] == 0.0:
            break
        name = "offset" if j == weights.shape[1] - 1 else served.feature_name(j)
        of = str(classes[row]) if len(weights) > 1 else None
        features.append(
            {"name": name, "of": of, "weight": float(weights[row, j]), "change": float(change[row, j])}
        )
    return {"seconds": at - began, "features": features}
