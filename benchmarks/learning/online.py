"""One example at a time, 35 features, against River's `learn_one`."""

from __future__ import annotations

import numpy as np
from river import linear_model

from benchmarks.timing import Figure, seconds, show
from rosenblatt import Learner

EXAMPLES, FEATURES = 20_000, 35


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

    def river():
        model = linear_model.Perceptron()
        for x, label in zip(dicts, truth, strict=True):
            model.learn_one(x, label)

    array, named, peer = seconds(lambda: ours(rows), lambda: ours(dicts), river, repeats=9)
    scale = 1e6 / EXAMPLES
    show(
        "Learner.learn with 35 features, against River's Perceptron.learn_one",
        [
            Figure(
                "one example, array",
                f"{array * scale:.2f} µs",
                f"{peer * scale:.2f} µs",
                peer / array,
                5.0,
                "",
                "River",
            ),
            Figure(
                "one example, dict",
                f"{named * scale:.2f} µs",
                f"{peer * scale:.2f} µs",
                peer / named,
                3.0,
                "",
                "River",
            ),
        ],
    )


if __name__ == "__main__":
    main()
