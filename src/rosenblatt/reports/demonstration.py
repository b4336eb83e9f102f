"""The demonstration: train on the breast cancer data with four averaging strategies and print a report."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from rosenblatt.reports import tables
from rosenblatt.training.compile_time import Stopwatch, after_compiling


def run_demo(seed: int = 0) -> None:
    """Train on the breast cancer data and print the results next to those of scikit-learn's Perceptron."""
    import pyarrow as pa
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import Perceptron as Peer
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    from rosenblatt.models.perceptron import Perceptron
    from rosenblatt.proof.separation import separate
    from rosenblatt.proof.verify import verify

    console, whole = Console(), Stopwatch()
    data = load_breast_cancer()
    X, y = data.data, data.target_names[data.target]
    split = train_test_split(X, y, test_size=1 / 3, random_state=seed, stratify=y)
    X_train, X_test, y_train, y_test = split
    scaler = StandardScaler().fit(X_train)
    X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    named = pa.table(dict(zip(data.feature_names, X_train.T, strict=True)))
    console.print(
        f"[bold]Breast cancer, Wisconsin[/bold]: {len(X_train)} training rows, {len(X_test)} held "
        f"out, {X.shape[1]} measurements each.\n"
    )

    models: dict[str, Any] = {
        f"rosenblatt, keep={keep!r}": Perceptron(keep=keep, random_state=seed)
        for keep in ("last", "averaged", "voted", "pocket")
    }
    models["scikit-learn Perceptron"] = Peer(random_state=seed)
    table = Table(title="Error on the held-out rows", title_justify="left", box=None, pad_edge=False)
    table.add_column("model")
    table.add_column("held out", justify="right")
    table.add_column("training", justify="right")
    table.add_column("mistakes made", justify="right")
    for name, model in models.items():
        model.fit(X_train, y_train)
        made = f"{model.mistakes_:,}" if hasattr(model, "mistakes_") else "not counted"
        table.add_row(
            name,
            tables.percent(1 - model.score(X_test, y_test)),
            tables.percent(1 - model.score(X_train, y_train)),
            made,
        )
    console.print(table)

    console.print("\n[bold]The averaged perceptron in full[/bold]")
    averaged = Perceptron(keep="averaged", random_state=seed, track_error=True)
    watch = Stopwatch()
    averaged.fit(named, y_train)
    seconds, compiled = watch.learning, after_compiling(whole.compiling)
    console.print(tables.model_tables(averaged))
    console.print("\n[bold]Are these tumours separable? A proof[/bold]")
    verdict = separate(X_train, y_train)
    verify(verdict, X_train, y_train)
    console.print(f"{verdict}\nThe proof was checked in exact arithmetic.", highlight=False)
    console.print(
        f"\nFitted in {1000 * seconds:.1f} ms{f' ({compiled})' if compiled else ''}. The same in Python, "
        "with X scaled by StandardScaler:\n    from rosenblatt import Perceptron\n"
        f'    Perceptron(keep="averaged", random_state={seed}).fit(X, y)',
        highlight=False,
    )
