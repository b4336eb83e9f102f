"""Every keeper once more, from the list of all weight vectors that a run goes through.

`looks` is what `naive_rules.looks` yields: each has the vector after it as `w`, the same list where
nothing changed, and says whether it was `updated`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

Vector = list[float]
Committee = list[tuple[Vector, int]]
ANSWER_TO_ZERO = {"mistake": -1, "negative": -1, "positive": 1}


def mean(looks: Iterable) -> Vector:
    """The mean of the vectors after every look."""
    vectors = [look.w for look in looks]
    return [math.fsum(column) / len(vectors) for column in zip(*vectors, strict=True)]


def committee(looks: Iterable, start: Vector) -> Committee:
    """Return each vector with the number of steps that it lasted, including the step that made it."""
    members = [(start, 0)]
    for look in looks:
        vector, survival = members[-1]
        if look.updated:
            members.append((look.w, 1))
        else:
            members[-1] = vector, survival + 1
    return members


def vote(members: Committee, z: Vector, dot: Callable, tie: str = "mistake") -> float:
    """Σ survival × sign(v·z); a score of 0 votes as `tie` says."""
    total = 0
    for vector, survival in members:
        score = dot(vector, z)
        total += survival * (ANSWER_TO_ZERO[tie] if score == 0 else 1 if score > 0 else -1)
    return float(total)


def pocket(looks: Iterable, start: Vector, errors: Callable[[Vector], int] | None) -> Vector:
    """The vector with the longest run of looks without an update. With the ratchet (`errors` counts them
    on all rows) it must also make fewer errors than the one in the pocket, from the start on."""
    best, best_run, run = start, 0, 0
    for look in looks:
        run = 0 if look.updated else run + 1
        if run > best_run and (errors is None or look.w is best or errors(look.w) < errors(best)):
            best, best_run = look.w, run
    return best


def errors_on(naive, X, y, offset: bool = True, tie: str = "mistake") -> Callable[[Vector], int]:
    """How many rows a vector gets wrong."""
    rows = naive.lifted(X, offset)
    return lambda w: sum(
        naive.is_mistake(naive.exact_dot(w, x), int(label), tie) for x, label in zip(rows, y, strict=True)
    )
