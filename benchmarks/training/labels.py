"""Labels as text, of six million rows of 28 features: a fit beside one whose labels are numbers."""

from __future__ import annotations

import numpy as np
import pyarrow

from benchmarks.timing import Figure, seconds, show
from rosenblatt import Perceptron

ROWS, FEATURES = 6_000_000, 28


def main() -> None:
    generator = np.random.default_rng(0)
    X = generator.standard_normal((ROWS, FEATURES), dtype=np.float32)
    numbers = (X @ generator.standard_normal(FEATURES, dtype=np.float32) > 0).astype(np.int8)
    words = np.array(["ham", "spam"])
    text = pyarrow.array(words).take(pyarrow.array(numbers))
    kinds = {
        "fixed width": ("fixed", words[numbers], 2.0),
        "Arrow": ("arrow", text, 2.0),
        "Arrow views, as polars has them": ("views", text.cast(pyarrow.string_view()), 2.0),
        "Python objects": ("objects", words.astype(object)[numbers], 8.0),
    }
    model = Perceptron(epochs=1, order="given", random_state=0)
    plain, *taken = seconds(
        lambda: model.fit(X, numbers), *(lambda y=y: model.fit(X, y) for _, y, _ in kinds.values())
    )
    show(
        "Labels of 6,000,000 rows as text",
        [
            Figure(f"labels/{key}", f"labels as text, {name}", time, plain, aim=1 / most, beside="numbers")
            for (name, (key, _, most)), time in zip(kinds.items(), taken, strict=True)
        ],
    )


if __name__ == "__main__":
    main()
