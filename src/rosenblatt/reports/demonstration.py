"""The demonstration: train on the breast cancer data with four averaging strategies and print a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rosenblatt.text_table import aligned_lines
from rosenblatt.training.compile_time import Stopwatch, after_compiling

LONGEST_BAR = 24  # characters
MOST_WEIGHTS = 10


def run_demo(seed: int = 0) -> None:
    """Print results on the breast cancer data, and the results of scikit-learn's Perceptron."""
    import pyarrow as pa
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import Perceptron as Peer
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    from rosenblatt.models.perceptron import Perceptron
    from rosenblatt.proof.separation import separate
    from rosenblatt.proof.verify import verify

    whole = Stopwatch()
    data = load_breast_cancer()
    X, y = data.data, data.target_names[data.target]
    split = train_test_split(X, y, test_size=1 / 3, random_state=seed, stratify=y)
    X_train, X_test, y_train, y_test = split
    scaler = StandardScaler().fit(X_train)
    X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    named = pa.table(dict(zip(data.feature_names, X_train.T, strict=True)))
    print(
        f"Breast cancer, Wisconsin: {len(X_train)} training rows, {len(X_test)} held out, {X.shape[1]} "
        "measurements each.\n\nError on the held-out rows"
    )

    models: dict[str, Any] = {
        f"rosenblatt, keep={keep!r}": Perceptron(keep=keep, random_state=seed)
        for keep in ("last", "averaged", "voted", "pocket")
    }
    models["scikit-learn Perceptron"] = Peer(random_state=seed)
    compared = [["model", "held out", "training", "mistakes made"]]
    for name, model in models.items():
        model.fit(X_train, y_train)
        mistakes = f"{model.mistakes_:,}" if hasattr(model, "mistakes_") else "not counted"
        errors = [_error(1 - model.score(*rows)) for rows in ((X_test, y_test), (X_train, y_train))]
        compared.append([name, *errors, mistakes])
    print("\n".join(aligned_lines(compared)))

    averaged = Perceptron(keep="averaged", random_state=seed, track_error=True)
    watch = Stopwatch()
    averaged.fit(named, y_train)
    seconds, compiled = watch.learning, after_compiling(whole.compiling)
    print("\nThe averaged perceptron in full", *_model_lines(averaged), sep="\n")
    verdict = separate(X_train, y_train)
    verify(verdict, X_train, y_train)
    print(
        f"\nAre these tumours separable? A proof\n{verdict}\nThe proof was checked in exact arithmetic.\n\n"
        f"Training took {1000 * seconds:.1f} ms{f' ({compiled})' if compiled else ''}. "
        "To train the same model in Python, scale X with StandardScaler, then:\n"
        "    from rosenblatt import Perceptron\n"
        f'    Perceptron(keep="averaged", random_state={seed}).fit(X, y)'
    )


def _model_lines(model: Any) -> list[str]:
    """Return the counters, the passes and the largest weights of a model of two classes."""
    first, second = model.classes_
    counters = {
        "examples seen": model.examples_seen_,
        "mistakes": model.mistakes_,
        f"of them false positives: {first} predicted as {second}": model.false_positives_,
        f"of them false negatives: {second} predicted as {first}": model.false_negatives_,
        "updates": model.updates_,
        "signs uncertain in floating point, computed exactly": model.exact_decisions_,
    }
    ended = "the last pass made no mistake" if model.converged_ else "the last pass still made mistakes"
    passes = [["pass", "false pos.", "false neg.", "training error", "mistakes"]]
    passes += [
        [
            f"{e.epoch}",
            f"{e.false_positives}",
            f"{e.false_negatives}",
            _error(e.training_error),
            f"{e.mistakes}",
        ]
        for e in model.history_
    ]
    largest = list(model.weights_by_name().items())[:MOST_WEIGHTS]
    weights = [["feature", "weight"], *([name, f"{weight:.4g}"] for name, weight in largest)]
    return [
        f"{model.epochs_} passes; {ended}",
        *(f"{number:5,}  {name}" for name, number in counters.items()),
        "\nMistakes in each pass",
        *_with_bars(passes, [e.mistakes for e in model.history_]),
        "\nLargest weights",
        *_with_bars(weights, [abs(weight) for _, weight in largest]),
    ]


def _with_bars(rows: Sequence[Sequence[str]], sizes: Sequence[float]) -> list[str]:
    """Return a table as lines of text, with a bar at the end of each line except the titles."""
    titles, *lines = aligned_lines(rows)
    most = max(sizes) or 1
    bars = ("█" * round(LONGEST_BAR * size / most) for size in sizes)
    return [titles, *(f"{line}  {bar}" for line, bar in zip(lines, bars, strict=True))]


def _error(part: float) -> str:
    return f"{100 * part:.1f} %"
