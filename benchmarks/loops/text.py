"""Hashed words of real texts, ten passes over float32 rows, against scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from benchmarks.data import mails, news
from benchmarks.loops.dense import passes, peer_passes
from benchmarks.timing import Figure, seconds, show

KINDS = ((20, 1, "words"), (22, 2, "words and pairs"))
AIM = 2.0


def sets() -> Iterator[tuple[str, list[str], np.ndarray]]:
    """Texts in a random order, and whether they are of the first kind."""
    for name, labelled, is_first in (
        (
            "20newsgroups, comp and sci",
            news("train") + news("test"),
            lambda label: label[:3] in ("com", "sci"),
        ),
        ("spamassassin", mails(), lambda label: label == "spam"),
    ):
        order = np.random.default_rng(0).permutation(len(labelled))
        yield name, [labelled[i][1] for i in order], np.array([is_first(labelled[i][0]) for i in order])


def main() -> None:
    figures = []
    for name, texts, y in sets():
        for bits, longest, what in KINDS:
            hashing = HashingVectorizer(n_features=2**bits, ngram_range=(1, longest), dtype=np.float32)
            X = hashing.transform(texts)
            for order in ("given", "shuffled"):
                model, peer = passes(10, order), peer_passes(10, order == "shuffled")
                ours, theirs = seconds(
                    lambda X=X, y=y, model=model: model.fit(X, y),
                    lambda X=X, y=y, peer=peer: peer.fit(X, y),
                    repeats=5,
                )
                note = f"{X.nnz / len(y):.0f} entries a row, {model.mistakes_ / 10 / len(y):.1%} mistakes"
                key = f"text/{name.split(',')[0]}-{bits}-{order}"
                job = f"{name}, {what} (2^{bits}), {order} order, 10 passes"
                figures.append(Figure(key, job, ours, theirs, "s", AIM, note, "scikit-learn"))
    show("Hashed texts, ten passes, against scikit-learn's Perceptron", figures)


if __name__ == "__main__":
    main()
