"""The settings of the run, how to reproduce it, and its cost."""

from __future__ import annotations

import os
import platform
from typing import Any

import numpy as np

from rosenblatt import rules
from rosenblatt.numeric.examples import plain
from rosenblatt.reports.facts import Facts
from rosenblatt.reports.number_text import about, count, duration, real, size
from rosenblatt.reports.page_templates import Fact, Name
from rosenblatt.storage.perceptrons import PerceptronRecord
from rosenblatt.training.run import has_two_kinds
from rosenblatt.version import __version__

MOST_LETTERS = 200
ONLY_FOR_MANY = ("multiclass", "sharing")
ONLY_IN_PYTHON = ("callbacks", "progress", "warm_start", "n_jobs", "random_state")


def settings(facts: Facts) -> dict[str, Any]:
    """Return the settings of the learner and of the file, and what repeats the run."""
    record = facts.record
    rule = rules.as_rule(record.parameters.get("rule", "rosenblatt"))
    hidden = {"rule", *ONLY_IN_PYTHON, *(ONLY_FOR_MANY if record.n_columns == 1 else ())}
    return {
        "rule": rules.name_of(rule),
        "rule_parameters": ", ".join(
            f"{key} = {value if isinstance(value, str) else real(value)}"
            for key, value in rule._asdict().items()
        ),
        "chosen": [
            {"name": key, "value": _value(value), "of_file": of_file}
            for of_file, chosen in ((False, record.parameters), (True, record.reading or {}))
            for key, value in chosen.items()
            if key not in ({"feature_names"} if of_file else hidden)
        ],
        "command": facts.command,
        "is_fixed": rules.facts(rule).is_fixed,
        "versions": [
            ("rosenblatt", __version__),
            ("NumPy", np.__version__),
            ("Python", platform.python_version()),
        ],
        "seed": record.seed,
    }


def _value(value: Any) -> str | Name | None:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if value is None:
        return None
    if isinstance(value, (int, np.integer)):
        return count(int(value))
    return Name(value if isinstance(value, str) else repr(value), MOST_LETTERS)


def cost(facts: Facts) -> list[Fact]:
    """Return the facts of size and time."""
    record, seconds = facts.record, max(facts.seconds, 1e-9)
    tested: list[Fact] = []
    if facts.test is not None:
        name = Name(facts.test_name or "the test")
        tested.append(Fact("held-out rows", [f"{count(facts.test.examples)} of ", name]))
    found = [
        Fact("learned from", [Name(facts.source, MOST_LETTERS)]),
        Fact("rows", [count(record.history[0].examples_seen)]),
        Fact("features", [count(record.n_features)]),
        *tested,
        Fact(
            "bytes read per pass",
            [count(facts.n_bytes)],
            size(facts.n_bytes) if facts.n_bytes >= 1000 else "",
        ),
        Fact("malformed lines skipped", [count(facts.n_bad)]),
        Fact("examples seen", [count(record.examples_seen)]),
        Fact("mistakes", [count(record.mistakes)]),
        *_kinds(record),
        Fact("updates", [count(record.updates)]),
        Fact(
            "decisions too close for floating point, made in exact arithmetic",
            [count(record.exact_decisions)],
        ),
        Fact("time", [f"{duration(facts.seconds)}, {about(facts.looks / seconds)} rows per second"]),
    ]
    if facts.compiling:
        found.append(Fact("compilation time (once, not included above)", [duration(facts.compiling)]))
    if facts.model:
        written = size(os.path.getsize(facts.model)) if os.path.isfile(facts.model) else ""
        found.append(Fact("model", [Name(facts.model, MOST_LETTERS)], written))
    return found


def _kinds(record: PerceptronRecord) -> list[Fact]:
    """Return the counts of the two kinds of mistakes; of two classes, with their names."""
    if not has_two_kinds(record.history):
        return []
    numbers = {"false positives": record.false_positives, "false negatives": record.false_negatives}
    if len(record.classes) != 2:
        return [Fact(kind, [count(number)]) for kind, number in numbers.items()]
    first, second = (Name(str(plain(label))) for label in record.classes)
    directions = ((first, second), (second, first))
    return [
        Fact(kind, [f"{count(number)}, ", true, " predicted as ", predicted])
        for (kind, number), (true, predicted) in zip(numbers.items(), directions, strict=True)
    ]
