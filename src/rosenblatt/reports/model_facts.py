"""The content of a model file as facts, for printing or for JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt import rules
from rosenblatt.explanations.model_terms import FEW_ROWS, NO_NAMES, ModelTerms, learned_facts, summaries
from rosenblatt.numeric.row_batches import plain
from rosenblatt.reports.number_text import align, count, real, shorten, signed, with_noun
from rosenblatt.reports.reading_text import reading_lines
from rosenblatt.storage.container import read_document
from rosenblatt.storage.perceptrons import KIND, load_perceptron
from rosenblatt.training.calibration import method_of

MOST_LETTERS, BAR = 200, 20
KINDS = ("false_positives", "false_negatives")
COUNTERS = ("examples_seen", "mistakes", *KINDS, "updates", "epochs", "exact_decisions")


def facts_of_file(path: str, top: int, label: str | None) -> dict[str, Any]:
    """Return the content of a model file; for a linear model, including the `top` largest weights."""
    document = read_document(path)
    if document.get("kind") == KIND:
        return _linear_facts(path, document, top, label)
    from rosenblatt.models.saving import load

    model: Any = load(path)
    found: dict[str, Any] = {
        "file": path,
        "kind": type(model).__name__,
        "written_by": document.get("written_by"),
        "parameters": {name: str(value) for name, value in _parameters(model).items()},
    }
    if hasattr(model, "classes_"):
        found["classes"] = [plain(name) for name in model.classes_]
    for name in ("n_features_in_", "n_support_", "mistakes_", "false_positives_", "false_negatives_",
                 "updates_", "examples_seen_", "epochs_", "mistakes", *KINDS, "updates",
                 "examples_seen"):  # fmt: skip
        value = getattr(model, name, None)
        if isinstance(value, (int, np.integer)):
            found[name.removesuffix("_")] = int(value)
    return found


def _parameters(model: Any) -> dict[str, Any]:
    if hasattr(model, "get_params"):
        parameters: dict[str, Any] = model.get_params(deep=False)
        return parameters
    return {name: getattr(model, name) for name in ("rule", "keep", "kernel", "budget", "multiclass")}


def _linear_facts(path: str, document: dict[str, Any], top: int, label: str | None) -> dict[str, Any]:
    record = load_perceptron(path)
    rule = record.parameters["rule"]
    rule = rules.as_rule(rule)
    found = {
        "file": path,
        "kind": "Perceptron" if record.run is None else "checkpoint of a Perceptron",
        "written_by": document.get("written_by"),
        "rule": rules.name_of(rule),
        "rule_parameters": rule._asdict(),
        "keep": record.parameters.get("keep", "last"),
        "classes": [plain(name) for name in record.classes],
        "features": record.n_features,
        **{name: getattr(record, name) for name in COUNTERS},
        "converged": record.converged,
        "history": [
            {"pass": e.epoch, "mistakes": e.mistakes, **{name: getattr(e, name) for name in KINDS}}
            for e in record.history
        ],
        "probabilities": None if record.calibration is None else method_of(record.calibration),
        "threshold": record.threshold,
        "reading": record.reading,
    }
    if record.run is not None:
        found["position"] = record.run.get("position")
    if record.state.is_committee:
        found["learned"] = None  # a committee has many weight vectors
        return found
    terms = ModelTerms(record)
    found["stored_names"] = None if record.vocabulary is None else len(record.vocabulary.hashes)
    found["learned"] = learned_facts(terms, label, top)
    found["many_levels"] = summaries(terms)
    found["names_missing"] = NO_NAMES if terms.names.are_missing else None
    return found


def facts_text(facts: dict[str, Any]) -> str:
    """Return the facts as text, with the weights as a table."""
    lines = [f"{facts['file']}: {facts['kind']}, written by {facts['written_by']}"]
    for name, value in facts.items():
        if name in (
            "file",
            "kind",
            "written_by",
            "history",
            "learned",
            "many_levels",
            "names_missing",
            "stored_names",
        ):
            continue
        if name in (*KINDS, "probabilities", "threshold", "reading") and value is None:
            continue  # written by an older version, or absent
        texts = reading_lines(value) if name == "reading" else [_short(value)]
        titles = [name.replace("_", " "), *[""] * (len(texts) - 1)]
        lines += [f"  {title:16} {text}" for title, text in zip(titles, texts, strict=True)]
    history = facts.get("history") or []
    if history:
        text = ", ".join(f"{each['mistakes']:,}" for each in history[:10])
        lines.append(f"  {'mistakes by pass':16} {text}{', …' if len(history) > 10 else ''}")
    if facts.get("learned"):
        lines += learned_lines(facts["learned"], is_brief=len(facts["learned"]) > 1)
    lines += [summary_line(each) for each in facts.get("many_levels") or ()]
    if facts.get("names_missing"):
        lines.append(f"Note: {facts['names_missing']}.")
    elif facts.get("stored_names"):
        lines.append(
            f"The file contains {with_noun(facts['stored_names'], 'word')} and categories of the training "
            "data; fit --names none stores none."
        )
    return "\n".join(lines)


def summary_line(summary: dict[str, Any]) -> str:
    """Return a sentence about the levels or words of a column that are not listed.

    >>> from rosenblatt.reports.number_text import NO_BREAK
    >>> summary_line({"column": "mail", "rare_words": 1, "fewer_rows_than": 5}).replace(NO_BREAK, " ")
    'mail: 1 word with a weight is in fewer than 5 rows, and not listed.'
    """
    column = shorten(summary["column"])
    if "levels" in summary:
        return (
            f"{column}: {count(summary['levels'])} levels have a weight, none with more than "
            f"{with_noun(summary['most_rows'], 'row')}; levels with fewer than {FEW_ROWS} rows are not "
            "listed."
        )
    words, fewest = summary["rare_words"], summary["fewer_rows_than"]
    return (
        f"{column}: {with_noun(words, 'word')} with a weight {'is' if words == 1 else 'are'} in fewer than "
        f"{with_noun(fewest, 'row')}, and not listed."
    )


def learned_lines(learned: list[dict[str, Any]], is_brief: bool = False) -> list[str]:
    """Return lines of text with the largest weights of each class; with `brief`, only the names."""
    lines = []
    for each in learned:
        sides = [
            ("positive", each["class"]),
            ("negative", each["against"] or f"other classes than {each['class']}"),
        ]
        if is_brief:
            names = [", ".join(shorten(one["feature"], 30) for one in each[side]) for side, _ in sides]
            lines += [f"{each['class']}:", f"  + {names[0] or 'nothing'}", f"  − {names[1] or 'nothing'}"]
            continue
        largest = max((abs(one["weight"]) for side, _ in sides for one in each[side]), default=0.0)
        for side, of in sides:
            if each[side]:
                lines.append(f"Largest weights for {of}:")
                lines += feature_lines(each[side], largest)
        if each["curves"]:
            lines.append(f"Curves, what a number adds to the score for {each['class']}:")
            lines += [curve_line(curve) for curve in each["curves"]]
        lines.append(f"Offset: {real(each['offset'])}")
    return lines


def feature_lines(features: list[dict[str, Any]], largest: float) -> list[str]:
    """Return one line for each feature: name, weight, bar, row count and units, if known."""
    width = min(40, max(len(shorten(one["feature"], 40)) for one in features))
    numbers = align([one["weight"] for one in features])
    lines = []
    for one, number in zip(features, numbers, strict=True):
        number = number if one["direction"] is not None else f"±{number}"
        more = [] if one["rows"] is None else [f"in {with_noun(one['rows'], 'row')}"]
        if "per_unit" in one:
            more.append(f"{one['unit']}: {signed(one['per_unit'])}")
        if "reference" in one:
            more.append(f"against {shorten(one['reference'], 20)}: {signed(one['against_reference'])}")
        bar = "█" * max(1, round(BAR * abs(one["weight"]) / (largest or 1.0)))
        name = shorten(one["feature"], 40)
        lines.append(f"  {name:{width}} {number:>9} {bar:{BAR}}  {', '.join(more)}".rstrip())
    return lines


def curve_line(curve: dict[str, Any]) -> str:
    """Return a curve as a line of text, with blocks whose height is the contribution.

    >>> curve_line({"column": "age", "points": [{"at": "18", "adds": 0.0}, {"at": "90", "adds": 0.5}]})
    '  age: 18 ▁█ 90, from 0 (at 18) to +0.5 (at 90)'
    """
    points = curve["points"]
    low, high = (best(points, key=lambda point: point["adds"]) for best in (min, max))
    span = (high["adds"] - low["adds"]) or 1.0
    blocks = "".join("▁▂▃▄▅▆▇█"[round(7 * (point["adds"] - low["adds"]) / span)] for point in points)
    return (
        f"  {curve['column']}: {points[0]['at']} {blocks} {points[-1]['at']}, from {signed(low['adds'])} "
        f"(at {low['at']}) to {signed(high['adds'])} (at {high['at']})"
    )


def _short(value: Any) -> str:
    if isinstance(value, dict):
        parts = {
            name: f"({_short(item)})" if isinstance(item, dict | list) else _short(item)
            for name, item in value.items()
        }
        text = ", ".join(f"{name}={part}" for name, part in parts.items())
        return text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS].rpartition(",")[0] + ", …"
    if isinstance(value, list):
        more = f" and {len(value) - 8} more" if len(value) > 8 else ""
        return ", ".join(str(item) for item in value[:8]) + more
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
