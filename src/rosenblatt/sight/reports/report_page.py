"""The page of a run: one HTML file that needs nothing else, with its pictures as inline SVG."""

from __future__ import annotations

from importlib import resources

import numpy as np

from rosenblatt import rules
from rosenblatt.arithmetic.examples import plain
from rosenblatt.data.whole_files import replacing
from rosenblatt.learning.streams.evaluations import Evaluation
from rosenblatt.sight.reports.chapters.answers import answers
from rosenblatt.sight.reports.chapters.passes_made import learning
from rosenblatt.sight.reports.chapters.proved import separability
from rosenblatt.sight.reports.chapters.repeating import cost, repeating, settings
from rosenblatt.sight.reports.chapters.replaying import replaying
from rosenblatt.sight.reports.chapters.weights import weights
from rosenblatt.sight.reports.facts import Facts
from rosenblatt.sight.reports.markup import (
    about,
    count,
    counted,
    duration,
    escaped,
    name,
    percent,
    real,
    shortened,
)
from rosenblatt.sight.reports.measures import ranking
from rosenblatt.sight.viewer.classes import coloured

# what the page may load and run: nothing but the viewer of a replay, by its hash; a second lock, should a
# name ever get past `escaped`
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
    >>> from rosenblatt.learning.settings import StreamSettings
    >>> from rosenblatt.learning.streams.stream_run import StreamRun
    >>> run = StreamRun(read([([[0.0, 1.0], [2.0, 0.0]], ["ham", "spam"])]), StreamSettings(epochs=5))
    >>> run.go()
    >>> text = page(Facts(record_of(run), "mails", 32, 0, 0.1, run.progressive))
    >>> text.splitlines()[0], "Reproduce this run" in text
    ('<!DOCTYPE html>', True)
    """
    sentence = _sentence(facts)
    chapters = (learning, answers, weights, separability, settings, repeating, cost)
    replay, hashes = replaying(facts)
    body = replay + "".join(chapter(facts) for chapter in chapters)
    scripts = "; script-src " + " ".join(f"'{each}'" for each in hashes) if hashes else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}{scripts}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escaped(shortened(facts.source, 60))}: rosenblatt</title>\n"
        f"<style>\n{_style()}</style>\n</head>\n<body>\n<header>\n"
        f'<p class="from">rosenblatt · {name(facts.source, 60)}</p>\n'
        f"<h1>{sentence}</h1>\n<p>{_manner(facts)}</p>\n</header>\n"
        f"<main>\n{_key_numbers(facts)}{body}</main>\n</body>\n</html>\n"
    )


def _style() -> str:
    return coloured(
        resources.files("rosenblatt.sight.reports").joinpath("page.css").read_text(encoding="utf-8")
    )


# ---------------------------------------------------------------- the top of the page


def _sentence(facts: Facts) -> str:
    """Classes, rows and error in one sentence."""
    record = facts.record
    names = [name(plain(label), 40) for label in (record.label_names or record.classes.tolist())]
    tells = (
        f"distinguishes {names[0]} from {names[1]}"
        if len(names) == 2
        else f"distinguishes {counted(len(names), 'class')}"
    )
    rows = counted(record.history[0].examples_seen, "row")
    return f"Trained on {rows}, this perceptron {tells} and {_how_well(facts)}."


def _how_well(facts: Facts) -> str:
    """Return the measured error that is most informative about other rows."""
    if facts.measured is not None:
        found, _ = facts.measured
        return f"misclassifies {_strong(found.error)} of {counted(found.examples, 'held-out row')}"
    held_out = _kept_validation_error(facts)
    if held_out is not None:
        return f"misclassifies {_strong(held_out)} of the held-out rows"
    if facts.training is not None:
        return f"misclassifies {_strong(facts.training.error)} of these rows"
    return f"misclassified {_strong(facts.progressive.error)} of them before it was trained on them"


def _kept_validation_error(facts: Facts) -> float | None:
    history = facts.record.history
    kept = [epoch for epoch in history if epoch.epoch == facts.record.best_epoch]
    return (kept or history)[-1].validation_error


def _strong(error: float) -> str:
    return f"<strong>{percent(error)}</strong>"


def _manner(facts: Facts) -> str:
    """Training, in a few words."""
    record = facts.record
    rule = rules.name_of(rules.as_rule(record.parameters.get("rule", "rosenblatt"))).replace("_", " ")
    rule = "Rosenblatt’s" if rule == "rosenblatt" else f"The {rule}"
    keep = {"last": "the last weights", "averaged": "averaged weights", "voted": "a vote of all weights",
            "pocket": "the weights with the longest run of correct predictions"}  # fmt: skip
    kept = keep[record.parameters.get("keep", "last")]
    order = record.parameters.get("order", "shuffled")
    ordered = f", rows {'as given' if order == 'given' else order}" if isinstance(order, str) else ""
    return f"{escaped(rule)} rule, {kept}, {counted(len(record.history), 'pass')}{escaped(ordered)}."


def _key_numbers(facts: Facts) -> str:
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
        ("features", count(record.n_features), counted(len(record.classes), "class")),
        _margin_number(facts.training),
        ("time", duration(facts.seconds), f"{about(rate)} rows per second"),
    ]  # fmt: skip
    shown = "\n".join(
        f'<div><dt>{label}</dt><dd>{value}<span class="note">{note}</span></dd></div>'
        for label, value, note in (each for each in numbers if each is not None)
    )
    return f'<dl class="numbers">\n{shown}\n</dl>\n'


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
