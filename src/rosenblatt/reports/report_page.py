"""The page of a run: one HTML file that needs nothing else, with its pictures as inline SVG."""

from __future__ import annotations

from importlib import resources
from typing import Any

import numpy as np

from rosenblatt import rules
from rosenblatt.data.whole_files import replacing
from rosenblatt.numeric.examples import plain
from rosenblatt.reports.chapters.largest_weights import weights
from rosenblatt.reports.chapters.pass_history import training
from rosenblatt.reports.chapters.predictions import predictions
from rosenblatt.reports.chapters.proof_facts import separability
from rosenblatt.reports.chapters.run_facts import cost, settings
from rosenblatt.reports.facts import Facts
from rosenblatt.reports.measures import ranking
from rosenblatt.reports.number_text import about, count, duration, percent, real, with_noun
from rosenblatt.reports.page_templates import Name, render
from rosenblatt.traces.viewer.classes import coloured
from rosenblatt.traces.viewer.viewer_page import replay_section
from rosenblatt.training.streams.evaluations import Evaluation

# what the page may load and run: nothing but the viewer of a replay, by its hash; a second lock, should a
# name ever get past the escaping
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def write_page(facts: Facts, path: str) -> None:
    """Write the page of a run to a file, or leave what was there as it was.

    What goes wrong is an `OSError` with the name of the file.
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
    replay, hashes = _replay(facts)
    scripts = "; script-src " + " ".join(f"'{each}'" for each in hashes) if hashes else ""
    return render(
        "report.html",
        policy=POLICY + scripts,
        style=style(),
        source=facts.source,
        n_rows=facts.record.history[0].examples_seen,
        classes=_classes(facts),
        error=_error(facts),
        manner=_manner(facts),
        numbers=_key_numbers(facts),
        replay=replay,
        training=training(facts),
        predictions=predictions(facts),
        weights=weights(facts),
        separability=separability(facts),
        settings=settings(facts),
        cost=cost(facts),
    )


def style() -> str:
    """Return the style sheet of the page."""
    sheet = resources.files("rosenblatt.reports").joinpath("templates", "page.css")
    return coloured(sheet.read_text(encoding="utf-8"))


def _replay(facts: Facts) -> tuple[dict[str, Any] | None, list[str]]:
    """Return the replay of a small run, and the hashes of its scripts, which the page must allow."""
    if facts.replay is None:
        return None, []
    section, hashes = replay_section(facts.replay.head, facts.replay.chunks())
    has_proof = bool(facts.replay.head["proof"])
    keep = facts.record.parameters.get("keep", "last")
    return {"section": section, "has_proof": has_proof, "keep": keep}, hashes


# ---------------------------------------------------------------- the top of the page


def _classes(facts: Facts) -> list[str | Name]:
    """Return the classes that the model distinguishes."""
    record = facts.record
    names = [plain(label) for label in (record.label_names or record.classes.tolist())]
    if len(names) == 2:
        return [Name(names[0], 40), " from ", Name(names[1], 40)]
    return [with_noun(len(names), "class")]


def _error(facts: Facts) -> dict[str, Any]:
    """Return the measured error that is most informative about other rows."""
    verb, rows = "misclassifies", "these rows"
    if facts.measured is not None:
        part, rows = facts.measured[0].error, with_noun(facts.measured[0].examples, "held-out row")
    elif (held_out := _kept_validation_error(facts)) is not None:
        part, rows = held_out, "the held-out rows"
    elif facts.training is not None:
        part = facts.training.error
    else:
        verb, part, rows = "misclassified", facts.progressive.error, "them before it was trained on them"
    return {"verb": verb, "part": part, "rows": rows}


def _kept_validation_error(facts: Facts) -> float | None:
    history = facts.record.history
    kept = [epoch for epoch in history if epoch.epoch == facts.record.best_epoch]
    return (kept or history)[-1].validation_error


def _manner(facts: Facts) -> str:
    """Return the training in a few words."""
    record = facts.record
    rule = rules.name_of(rules.as_rule(record.parameters.get("rule", "rosenblatt"))).replace("_", " ")
    rule = "Rosenblatt’s" if rule == "rosenblatt" else f"The {rule}"
    keep = {"last": "the last weights", "averaged": "averaged weights", "voted": "a vote of all weights",
            "pocket": "the weights with the longest run of correct predictions"}  # fmt: skip
    kept = keep[record.parameters.get("keep", "last")]
    order = record.parameters.get("order", "shuffled")
    ordered = f", rows {'as given' if order == 'given' else order}" if isinstance(order, str) else ""
    return f"{rule} rule, {kept}, {with_noun(len(record.history), 'pass')}{ordered}."


def _key_numbers(facts: Facts) -> list[tuple[str, str, str]]:
    record = facts.record
    rate = facts.looks / max(facts.seconds, 1e-9)
    lately = "none" if record.converged else count(record.history[-1].mistakes)
    numbers = [
        _error_number("held-out error", facts.measured[0] if facts.measured else None),
        _area_number(facts),
        _error_number("training error", facts.training),
        ("progressive error", percent(facts.progressive.error),
         f"{count(facts.progressive.errors)} of {count(facts.progressive.examples)}"),
        ("mistakes made", count(record.mistakes), f"{lately} in the last pass"),
        ("features", count(record.n_features), with_noun(len(record.classes), "class")),
        _margin_number(facts.training),
        ("time", duration(facts.seconds), f"{about(rate)} rows per second"),
    ]  # fmt: skip
    return [each for each in numbers if each is not None]


def _error_number(label: str, found: Evaluation | None) -> tuple[str, str, str] | None:
    if found is None:
        return None
    wrong = found.examples - int(np.trace(found.confusion))
    return label, percent(found.error), f"{count(wrong)} of {count(found.examples)} misclassified"


def _area_number(facts: Facts) -> tuple[str, str, str] | None:
    ranked = None if facts.measured is None else ranking(facts.measured[0])
    if ranked is None:
        return None
    return "AUC", f"{ranked.roc.area:.4f}", f"average precision {ranked.precision.area:.4f}"


def _margin_number(found: Evaluation | None) -> tuple[str, str, str] | None:
    if found is None or found.margin is None:
        return None
    whose = "of the nearest row" if found.margin > 0.0 else "a training row is misclassified"
    return "margin reached", real(found.margin), whose
