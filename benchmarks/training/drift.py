"""Concept drift: the share of rows that each rule misclassifies, each predicted before its label is known.

Two streams are made: twenty features, a tenth of the labels wrong, and a separator that is another one
every 2,000 rows, or that turns a little with each row. Two are real, in the order of time: the price of
electricity (up or down) and the weather (rain or not); their columns are scaled by their first thousand
rows. The peer is River's logistic regression, with the best of three rates for each stream.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

from benchmarks.data import folder_of
from benchmarks.results import Measured, record, slug
from rosenblatt import Learner, rules

ROWS, FEATURES, NOISE = 40_000, 20, 0.1
RATES = (0.01, 0.1, 1.0)
RULES = {
    "rosenblatt": rules.Rosenblatt(), "margin": rules.Margin(),
    "margin, tau = 10": rules.Margin(tau=10.0), "margin, tau = 30": rules.Margin(tau=30.0),
    "passive_aggressive": rules.PassiveAggressive(),
    **{f"passive_aggressive_1, C = {C:g}": rules.PassiveAggressive1(C=C) for C in (1.0, 0.1, 0.03, 0.01)},
    "passive_aggressive_2": rules.PassiveAggressive2(),
    "passive_aggressive_2, C = 0.01": rules.PassiveAggressive2(C=0.01), "alma": rules.Alma(),
    "romma": rules.Romma(), "aggressive_romma": rules.AggressiveRomma(), "forgetting": rules.Forgetting(),
    "forgetting, fade = 8": rules.Forgetting(fade=8.0),
}  # fmt: skip

Stream = tuple[np.ndarray, np.ndarray]


def abrupt() -> Stream:
    generator = np.random.default_rng(0)
    w = np.repeat(generator.standard_normal((ROWS // 2_000, FEATURES)), 2_000, axis=0)
    return _labelled(generator, w)


def gradual() -> Stream:
    """w turns in a plane, once round in 20,000 rows."""
    generator = np.random.default_rng(1)
    plane, _ = np.linalg.qr(generator.standard_normal((FEATURES, 2)))
    angles = 2 * np.pi * np.arange(ROWS) / 20_000
    return _labelled(generator, np.column_stack([np.cos(angles), np.sin(angles)]) @ plane.T)


def _labelled(generator: np.random.Generator, w: np.ndarray) -> Stream:
    X = generator.standard_normal((ROWS, FEATURES))
    y = np.where((X * w).sum(axis=1) > 0, 1, -1)
    return X, np.where(generator.random(ROWS) < NOISE, -y, y)


def recorded(name: str) -> Stream:
    frame = pd.read_csv(folder_of("streams") / f"{name}.csv.gz")
    X, y = frame.iloc[:, :-1].to_numpy(float), np.where(frame.iloc[:, -1] == 1, 1, -1)
    mean, spread = X[:1_000].mean(axis=0), X[:1_000].std(axis=0)
    return (X - mean) / np.where(spread > 0, spread, 1.0), y


def ours(stream: Stream, rule: Any) -> float:
    """The share of answers that were wrong."""
    learner, wrong = Learner(rule), 0
    for x, label in zip(stream[0], stream[1].tolist(), strict=True):
        wrong += learner.answer(x) != label
        learner.reveal(label)
    return wrong / len(stream[1])


def river(stream: Stream) -> float:
    from river import linear_model, optim

    rows = [dict(enumerate(row)) for row in stream[0].tolist()]
    errors = []
    for rate in RATES:
        model, wrong = linear_model.LogisticRegression(optim.SGD(rate), intercept_lr=rate), 0
        for x, label in zip(rows, (stream[1] > 0).tolist(), strict=True):
            wrong += model.predict_one(x) != label
            model.learn_one(x, label)
        errors.append(wrong / len(rows))
    return min(errors)


def compared(streams: dict[str, Stream]) -> dict[str, dict[str, float]]:
    """The error of each learner on each stream."""
    found = {
        name: {title: ours(stream, rule) for title, stream in streams.items()}
        for name, rule in RULES.items()
    }
    found["River, best of three rates"] = {title: river(stream) for title, stream in streams.items()}
    return found


def main() -> None:
    streams = {"abrupt": abrupt(), "gradual": gradual()}
    if "ROSENBLATT_DATA" in os.environ:
        streams |= {"electricity": recorded("elec"), "weather": recorded("weather")}
    found = compared(streams)
    table = Table(
        title="A target that moves: per cent of answers wrong, before each label", title_justify="left",
        box=None, pad_edge=False,
    )  # fmt: skip
    for title in ("", *streams, "mean"):
        table.add_column(title, justify="right" if title else "left")
    figures = {}
    for name, errors in found.items():
        mean = {"mean": sum(errors.values()) / len(errors)}
        for title, error in (errors | mean).items():
            figures[f"drift/{slug(name)}/{title}"] = Measured(100 * error, "%", job=name)
    record("drift", figures)
    for name, errors in sorted(found.items(), key=lambda each: sum(each[1].values())):
        cells = [*errors.values(), sum(errors.values()) / len(errors)]
        table.add_row(name, *(f"{100 * error:.2f}" for error in cells))
    Console(width=150).print(table, "")


if __name__ == "__main__":
    main()
