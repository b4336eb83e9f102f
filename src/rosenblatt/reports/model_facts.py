"""The content of a model file as facts, for printing or for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.data.sources.naming import feature_names
from rosenblatt.data.sources.numbered_features import NUMBERS
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import plain
from rosenblatt.storage.container import read_document
from rosenblatt.storage.perceptrons import KIND, TWO_CLASSES, PerceptronRecord, load_perceptron
from rosenblatt.training.calibration import method_of

MOST_LETTERS = 200
KINDS = ("false_positives", "false_negatives")
COUNTERS = ("examples_seen", "mistakes", *KINDS, "updates", "epochs", "exact_decisions")


def facts_of_file(path: str, top: int, label: str | None, names_from: str | None) -> dict[str, Any]:
    """Return the content of a model file; for a linear model, including the `top` largest weights."""
    document = read_document(path)
    if document.get("kind") == KIND:
        return _linear_facts(path, document, top, label, names_from)
    from rosenblatt.models.saving import load

    model = load(path)
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


def _linear_facts(
    path: str, document: dict[str, Any], top: int, label: str | None, names_from: str | None
) -> dict[str, Any]:
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
        found["weights"] = None  # a committee has many weight vectors
        return found
    weights = record.state.returned_weights()
    column, is_binary = _column(record, label), record.target == TWO_CLASSES
    of = -1 if is_binary else column
    if is_binary and label == str(plain(record.classes[0])):
        weights, of = -weights, 0  # a weight for one class is a weight against the other
    found["offset"] = float(np.atleast_2d(weights)[column, -1])
    found["weights_of"] = plain(record.classes[of])
    found["weights"] = _largest(record, np.atleast_2d(weights)[column, :-1], top, names_from)
    return found


def _column(record: PerceptronRecord, label: str | None) -> int:
    names = [str(plain(name)) for name in record.classes]
    if record.target == TWO_CLASSES or label is None:
        if label is not None and label not in names:
            raise BadInput(f"of: got {label!r}, expected one of {', '.join(names)}")
        return 0
    if label not in names:
        raise BadInput(f"of: got {label!r}, expected one of {', '.join(names[:10])}")
    return names.index(label)


def _largest(
    record: PerceptronRecord, weights: NDArray[np.float64], top: int, names_from: str | None
) -> list[dict[str, Any]]:
    """Return the weights with the largest absolute values, each with the name of its feature.

    Hashing gives half of the features the sign −1. If the name of a feature is unknown, its sign is unknown
    too: then `weight` is the absolute value, and `direction` is None.
    """
    largest = np.argsort(-np.abs(weights), kind="stable")[:top]
    largest = largest[weights[largest] != 0.0]
    names = feature_names(record.reading or {}, record.feature_names, largest.tolist(), names_from)
    found = []
    for j in largest.tolist():
        name, sign = names[j]
        weight = float(sign * weights[j]) if sign else abs(float(weights[j]))
        found.append({"feature": name, "weight": weight, "direction": np.sign(weight) if sign else None})
    return found


def facts_text(facts: dict[str, Any]) -> str:
    """Return the facts as text, with the weights as a table."""
    lines = [f"{facts['file']}: {facts['kind']}, written by {facts['written_by']}"]
    for name, value in facts.items():
        if name in ("file", "kind", "written_by", "weights", "weights_of", "history", "offset"):
            continue
        if name in (*KINDS, "probabilities", "threshold") and value is None:
            continue  # written by an older version, or absent
        text = _reading_text(value or {}) if name == "reading" else _short(value)
        lines.append(f"  {name.replace('_', ' '):16} {text}")
    history = facts.get("history") or []
    if history:
        text = ", ".join(f"{each['mistakes']:,}" for each in history[:10])
        lines.append(f"  {'mistakes by pass':16} {text}{', …' if len(history) > 10 else ''}")
    if facts.get("weights"):
        lines.append(f"Largest weights (positive weights favour {facts['weights_of']!r}):")
        if any(each["direction"] is None for each in facts["weights"]):
            lines.append("  ±: hashing hides the sign; --names-from FILE shows names and signs")
        width = min(40, max(len(each["feature"]) for each in facts["weights"]))
        for each in facts["weights"]:
            written = f"{'±' if each['direction'] is None else ''}{each['weight']:.6g}"
            lines.append(f"  {each['feature']:{width}} {written:>14}")
        lines.append(f"  {'(offset)':{width}} {facts['offset']:>14.6g}")
    return "\n".join(lines)


def _reading_text(reading: Mapping[str, Any]) -> str:
    """Return the reading options without the statistics of the columns and the list of features.

    >>> _reading_text({"format": "csv", "columns": [["width", "number"], ["kind", "label"]]})
    'format=csv, columns=(width (number), kind (label))'
    >>> _reading_text({"bits": 18, "encoding": {"numbers": "standard", "words": "tfidf"}})
    'bits=18, encoding=(numbers=standard, words=tfidf)'
    """
    options = {name: value for name, value in reading.items() if name not in ("statistics", NUMBERS)}
    if "columns" in options:
        options["columns"] = [f"{name} ({role})" for name, role in options["columns"]]
    return _short(options)


def _in_quotes(text: str) -> str:
    """Return punctuation, such as a delimiter, in quotes; return other text unchanged."""
    return text if any(letter.isalnum() for letter in text) else repr(text)


def _short(value: Any) -> str:
    if isinstance(value, dict):
        parts = {
            name: f"({_short(item)})" if isinstance(item, dict | list) else _in_quotes(_short(item))
            for name, item in value.items()
        }
        text = ", ".join(f"{name}={part}" for name, part in parts.items())
        return text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS].rpartition(",")[0] + ", …"
    if isinstance(value, list):
        more = f" and {len(value) - 8} more" if len(value) > 8 else ""
        return ", ".join(str(item) for item in value[:8]) + more
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
