"""The report page of a run: a self-contained HTML file with charts as inline SVG.

Templates format the facts as numbers and sentences; the chapters compute the content of charts and tables.
"""

from __future__ import annotations

import os
import platform
from importlib import resources
from typing import Any

import numpy as np

from rosenblatt import rules
from rosenblatt.data.whole_files import replacing
from rosenblatt.numeric.row_batches import plain
from rosenblatt.reports.chapters.learned_features import learned_features
from rosenblatt.reports.chapters.pass_history import training
from rosenblatt.reports.chapters.predictions import predictions
from rosenblatt.reports.chapters.proof_facts import separability
from rosenblatt.reports.chapters.row_examples import row_examples
from rosenblatt.reports.facts import Facts
from rosenblatt.reports.measures import ranking
from rosenblatt.reports.number_text import size
from rosenblatt.reports.page_templates import render
from rosenblatt.traces.viewer.class_colours import insert_colours
from rosenblatt.traces.viewer.viewer_page import replay_section
from rosenblatt.training.run import has_two_kinds
from rosenblatt.version import __version__

# the page may run only the replay viewer, identified by its hash: a second defence if a name were
# ever inserted without escaping
POLICY = "default-src 'none'; style-src 'unsafe-inline'"

DEFAULTS = {"rule": "rosenblatt", "keep": "last", "order": "shuffled", "offset": True,
            "tie": "mistake", "multiclass": "one_vs_rest"}  # fmt: skip
"""Parameters that a record of an older run may lack."""

ONLY_FOR_MANY = ("multiclass", "sharing")
ONLY_IN_PYTHON = ("callbacks", "progress", "warm_start", "n_jobs", "random_state")


def write_page(facts: Facts, path: str) -> None:
    """Write the report page to a file; if that fails, an existing file stays unchanged.

    Any failure raises an `OSError` with the name of the file.
    """
    text = page(facts).encode("utf-8")
    try:
        with replacing(path) as fresh, open(fresh, "wb") as file:
            file.write(text)
    except OSError as error:
        raise OSError(error.errno, f"the report cannot be written ({error.strerror})", path) from error


def page(facts: Facts) -> str:
    """Return the page of a run, as HTML. The same facts give the same text.

    >>> from rosenblatt import read
    >>> from rosenblatt.storage.checkpoints import record_of
    >>> from rosenblatt.training.settings import StreamSettings
    >>> from rosenblatt.training.streams.stream_run import StreamRun
    >>> run = StreamRun(read([([[0.0, 1.0], [2.0, 0.0]], ["ham", "spam"])]), StreamSettings(epochs=5))
    >>> run.go()
    >>> text = page(Facts(record_of(run), "mails", 32, 0, 0.1, run.progressive))
    >>> text.splitlines()[0], "Reproduce this run" in text
    ('<!DOCTYPE html>', True)
    """
    record, history = facts.record, facts.record.history
    parameters = DEFAULTS | record.parameters
    rule = rules.as_rule(parameters["rule"])
    found = None if facts.held_out_evaluation is None else facts.held_out_evaluation[0]
    classes = [plain(label) for label in record.classes.tolist()]
    has_kinds = has_two_kinds(history)
    section, hashes = replay_section(facts.replay.head, facts.replay.chunks()) if facts.replay else ("", [])
    scripts = "; script-src " + " ".join(f"'{each}'" for each in hashes) if hashes else ""
    return render(
        "report.html",
        policy=POLICY + scripts,
        style=style(),
        facts=facts,
        record=record,
        history=history,
        parameters=parameters,
        rule_name=rules.name_of(rule),
        rule_parameters=rule._asdict(),
        classes=classes,
        labels=record.label_names or classes,
        n_rows=history[0].examples_seen,
        rate=facts.looks / max(facts.seconds, 1e-9),
        measured=found,
        ranked=None if found is None else ranking(found),
        has_kinds=has_kinds,
        kind_names=["false positives", "false negatives"] * has_kinds,
        model_size=size(os.path.getsize(facts.model))
        if facts.model and os.path.isfile(facts.model)
        else "",
        replay=section,
        training=training(facts),
        predictions=predictions(facts),
        weights=learned_features(facts),
        examples=row_examples(facts),
        separability=separability(facts),
        settings=_settings(facts, rules.facts(rule).is_fixed),
    )


def style() -> str:
    """Return the style sheet of the page."""
    sheet = resources.files("rosenblatt.reports").joinpath("templates", "page.css")
    return insert_colours(sheet.read_text(encoding="utf-8"))


def _settings(facts: Facts, is_fixed: bool) -> dict[str, Any]:
    """Return the settings of the learner and of the input, and the versions needed to repeat the run."""
    record = facts.record
    hidden = {"rule", *ONLY_IN_PYTHON, *(ONLY_FOR_MANY if record.n_columns == 1 else ())}
    reading = record.reading or {}
    return {
        "learner": [
            (name, plain(value)) for name, value in record.parameters.items() if name not in hidden
        ],
        "file": [(name, plain(value)) for name, value in reading.items() if name != "feature_names"],
        "is_fixed": is_fixed,
        "versions": {
            "rosenblatt": __version__,
            "NumPy": np.__version__,
            "Python": platform.python_version(),
        },
    }
