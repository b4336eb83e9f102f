"""One example at a time, 35 features, against River's `learn_one`."""

from __future__ import annotations

import numpy as np
from river import linear_model

from benchmarks.timing import Figure, seconds, show
from rosenblatt import Learner

EXAMPLES, FEATURES, AT_ONCE = 20_000, 35, 1_000


def main() -> None:
    generator = np.random.default_rng(0)
    X = generator.standard_normal((EXAMPLES, FEATURES))
    w = generator.standard_normal(FEATURES)
    y = np.where((X @ w > 0) ^ (generator.random(EXAMPLES) < 0.05), 1, -1).tolist()
    truth = [label > 0 for label in y]
    rows = list(X)
    dicts = [{f"f{j}": value for j, value in enumerate(row)} for row in X.tolist()]

    def ours(examples):
        learner = Learner()
        for x, label in zip(examples, y, strict=True):
            learner.learn(x, label)

    def many():
        learner = Learner()
        for first in range(0, EXAMPLES, AT_ONCE):
            learner.learn_many(dicts[first : first + AT_ONCE], y[first : first + AT_ONCE])

    def river():
        model = linear_model.Perceptron()
        for x, label in zip(dicts, truth, strict=True):
            model.learn_one(x, label)

    *times, peer = seconds(lambda: ours(rows), lambda: ours(dicts), many, river, repeats=9)
    jobs = (
        ("array", "one example, array", 5.0),
        ("dict", "one example, dict", 3.0),
        ("dicts", "one of 1,000 dicts in one call", 3.0),
    )

    show(
        "Learner.learn with 35 features, against River's Perceptron.learn_one",
        [
            Figure(f"online/{key}", job, taken / EXAMPLES, peer / EXAMPLES, aim=aim, against="River")
            for (key, job, aim), taken in zip(jobs, times, strict=True)
        ],
    )


if __name__ == "__main__":
    main()
