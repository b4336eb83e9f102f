"""The settings of the run, how to reproduce it, and its cost."""

from __future__ import annotations

import os
import platform
from typing import Any

import numpy as np

from rosenblatt import rules
from rosenblatt.arithmetic.examples import plain
from rosenblatt.learning.run import has_two_kinds
from rosenblatt.sight.reports.facts import Facts
from rosenblatt.sight.reports.markup import (
    about,
    chapter,
    count,
    duration,
    escaped,
    name,
    pairs,
    real,
    shortened,
    size,
)
from rosenblatt.storage.perceptrons import PerceptronRecord
from rosenblatt.version import __version__

MOST_LETTERS = 200
ONLY_FOR_MANY = ("multiclass", "sharing")
ONLY_IN_PYTHON = ("callbacks", "progress", "warm_start", "n_jobs", "random_state")


def settings(facts: Facts) -> str:
    """Return the chapter of the settings of the learner and of the file."""
    record = facts.record
    rule = rules.as_rule(record.parameters.get("rule", "rosenblatt"))
    told = [("rule", _rule(rule))]
    told += [
        (f"<code>{escaped(shortened(key, 40))}</code>", _value(value))
        for key, value in record.parameters.items()
        if key != "rule"
        and key not in ONLY_IN_PYTHON
        and (record.n_columns > 1 or key not in ONLY_FOR_MANY)
    ]
    told += [
        (
            f'<code>{escaped(shortened(key, 40))}</code> <span class="quiet">of the file</span>',
            _value(value),
        )
        for key, value in (record.reading or {}).items()
        if key != "feature_names"
    ]
    return chapter("Settings", pairs(told))


def _rule(rule: Any) -> str:
    given = ", ".join(
        f"{key} = {escaped(value) if isinstance(value, str) else real(value)}"
        for key, value in rule._asdict().items()
    )
    return f"{escaped(rules.name_of(rule))}" + (f' <span class="quiet">({given})</span>' if given else "")


def _value(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if value is None:
        return '<span class="quiet">none</span>'
    if isinstance(value, (int, np.integer)):
        return count(int(value))
    return name(value if isinstance(value, str) else repr(value), MOST_LETTERS)


def repeating(facts: Facts) -> str:
    """Return the chapter with the command, the versions and the seed."""
    command = (
        f'<pre tabindex="0"><code>{escaped(facts.command)}</code></pre>\n'
        if facts.command
        else "<p>The run was made from Python; the settings above are those of its "
        "<code>Settings</code>.</p>\n"
    )
    rule = rules.as_rule(facts.record.parameters.get("rule", "rosenblatt"))
    exact = (
        "The same rows in the same order give the same weights to the last bit on any machine."
        if rules.facts(rule).is_fixed
        else "The same rows in the same order give the same weights to the last bit on the same machine, "
        "and up to rounding on others."
    )
    drawn = ' <span class="quiet">(derived from <code>--seed</code>)</span>' if facts.command else ""
    versions = [
        ("rosenblatt", escaped(__version__)),
        ("NumPy", escaped(np.__version__)),
        ("Python", escaped(platform.python_version())),
        ("seed of the shuffles", str(facts.record.seed) + drawn),
    ]
    return chapter("Reproduce this run", command, f"<p>{exact}</p>\n", pairs(versions))


def cost(facts: Facts) -> str:
    """Size and time."""
    record, seconds = facts.record, max(facts.seconds, 1e-9)
    told = [
        ("learned from", name(facts.source, MOST_LETTERS)),
        ("rows", count(record.history[0].examples_seen)),
        ("features", count(record.n_features)),
        ("bytes read per pass", f"{count(facts.n_bytes)}{_rounded(facts.n_bytes)}"),
        ("malformed lines skipped", count(facts.n_bad)),
        ("examples seen", count(record.examples_seen)),
        ("mistakes", count(record.mistakes)),
        *_kinds(record),
        ("updates", count(record.updates)),
        ("decisions too close for floating point, made in exact arithmetic", count(record.exact_decisions)),
        ("time", f"{duration(facts.seconds)}, {about(facts.looks / seconds)} rows per second"),
    ]
    if facts.compiling:
        told.append(("compilation time (once, not included above)", duration(facts.compiling)))
    if facts.test is not None:
        told.insert(
            3, ("held-out rows", f"{count(facts.test.examples)} of {name(facts.test_name or 'the test')}")
        )
    if facts.model:
        told.append(("model", name(facts.model, MOST_LETTERS) + _file_size(facts.model)))
    return chapter("Size and time", pairs(told))


def _kinds(record: PerceptronRecord) -> list[tuple[str, str]]:
    """Return the counts of the two kinds of mistakes; of two classes, with their names."""
    if not has_two_kinds(record.history):
        return []
    taken, missed = count(record.false_positives), count(record.false_negatives)
    if len(record.classes) == 2:
        first, second = (name(str(plain(label))) for label in record.classes)
        taken += f", {first} predicted as {second}"
        missed += f", {second} predicted as {first}"
    return [("false positives", taken), ("false negatives", missed)]


def _rounded(n_bytes: int) -> str:
    return f' <span class="quiet">({size(n_bytes)})</span>' if n_bytes >= 1000 else ""


def _file_size(path: str) -> str:
    return f' <span class="quiet">({size(os.path.getsize(path))})</span>' if os.path.isfile(path) else ""
