"""Sequences fit in the loop for two classes: an update is a difference of two feature vectors.

The structured perceptron (Collins 2002) answers a sentence x with the tags ŷ of the largest w·Φ(x, ŷ).
Where they are wrong, w ← w + Φ(x, y) − Φ(x, ŷ): a mistake of the perceptron for two classes on a positive
row. Where they are right there is no row to look at, and the clock goes on.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.arithmetic.examples import Batch, as_rows
from rosenblatt.arithmetic.next_row import Given
from rosenblatt.learning import begin, learn
from rosenblatt.learning.one_column import pass_by

TAGS = "DNV"
SENTENCES = [
    ("the dog barks", "DNV"), ("the barks end", "DNV"), ("dog barks end", "NNV"), ("end the end", "VDN"),
    ("the dog", "DN"), ("dog end", "NV"), ("barks the dog", "VDN"),
]  # fmt: skip
FEATURES = {
    name: j
    for j, name in enumerate(
        [
            *product(sorted({word for words, _ in SENTENCES for word in words.split()}), TAGS),
            *product(TAGS, TAGS),
        ]
    )
}


def phi(words, tags):
    """How often each word has each tag, and each tag follows another."""
    return Counter([*zip(words.split(), tags, strict=True), *pairwise(tags)])


def answer(w, words):
    """The tags of the largest score, the first of equals."""
    return max(
        map("".join, product(TAGS, repeat=len(words.split()))),
        key=lambda tags: sum(Fraction(w[FEATURES[f]]) * n for f, n in phi(words, tags).items()),
    )


def naive(epochs):
    """w after each look."""
    w, after = np.zeros(len(FEATURES)), []
    for _ in range(epochs):
        for words, tags in SENTENCES:
            found, w = answer(w, words), w.copy()
            for feature, n in phi(words, tags).items():
                w[FEATURES[feature]] += n * (found != tags)
            for feature, n in phi(words, found).items():
                w[FEATURES[feature]] -= n * (found != tags)
            after.append(w)
    return np.array(after)


def learned(epochs, keep):
    state = begin(len(FEATURES), keep=keep, offset=False)
    for _ in range(epochs):
        for words, tags in SENTENCES:
            found = answer(state.current(), words)
            if found == tags:
                pass_by(state)
                continue
            difference = np.zeros((1, len(FEATURES)))
            for sign, answered in ((1, tags), (-1, found)):
                for feature, n in phi(words, answered).items():
                    difference[0, FEATURES[feature]] += sign * n
            row = as_rows(sp.csr_array(difference))
            learn(state, Batch(row, np.ones(1, np.int8), np.empty(0)), Given(0, 1))
    return state


@pytest.mark.parametrize("keep", ["last", "averaged"])
def test_a_look_at_the_difference_is_the_structured_perceptron(keep):
    after, state = naive(epochs=6), learned(6, keep)
    wanted = after[-1] if keep == "last" else after.mean(axis=0)
    np.testing.assert_allclose(state.kept()[:-1], wanted, rtol=1e-12, atol=1e-15)
    assert state.examples_seen == len(after)
    assert (
        state.mistakes
        == state.updates
        == sum((now != then).any() for then, now in pairwise([0 * after[0], *after]))
    )
    assert all(answer(state.current(), words) == tags for words, tags in SENTENCES)


def test_the_pocket_holds_the_vector_of_the_longest_run_of_right_answers():
    state = learned(epochs=6, keep="pocket")
    assert (state.kept() == state.current()).all()
    assert state.keeper.best_run[0] >= len(SENTENCES)


def test_looks_that_pass_by_change_nothing_but_clocks():
    state = learned(epochs=1, keep="averaged")
    w, mistakes, seen = state.current(), state.mistakes, state.examples_seen
    pass_by(state, looks=5)
    assert (state.current() == w).all()
    assert (state.mistakes, state.examples_seen) == (mistakes, seen + 5)
