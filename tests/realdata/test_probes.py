"""The example for probe users, on real pixels and real posts. Needs ROSENBLATT_DATA."""

from __future__ import annotations

import functools
import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import Perceptron, separate

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def example():
    place = Path(__file__).parents[2] / "examples" / "probe_labels.py"
    spec = importlib.util.spec_from_file_location("probe_labels", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def part(task, rows, held_out=2000):
    return task._replace(
        X=task.X[:rows], Y=task.Y[:rows], X_test=task.X_test[:held_out], Y_test=task.Y_test[:held_out]
    )


@functools.cache  # unpacking takes seconds
def read(load, folder):
    return load(folder)


@pytest.fixture
def pixels(example, data):
    return part(read(example.mnist, data), 4000)


@pytest.fixture
def posts(example, data):
    return read(example.newsgroups, data)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_probe_of_each_label_has_the_bits_of_a_probe_of_this_label_alone(pixels, n_jobs):
    assert pixels.X.dtype == np.float32
    together = Perceptron(keep="averaged", n_jobs=n_jobs, random_state=0).fit(pixels.X, pixels.Y)
    answers = together.predict(pixels.X_test)
    for column in range(len(pixels.names)):
        alone = Perceptron(keep="averaged", random_state=0).fit(pixels.X, pixels.Y[:, column])
        assert alone.coef_[0].tobytes() == together.coef_[column].tobytes()
        assert alone.intercept_[0] == together.intercept_[column]
        assert alone.mistakes_ == together.mistakes_per_class_[column]
        assert (alone.predict(pixels.X_test) == answers[:, column]).all()


def test_every_label_of_the_pixels_is_read_better_than_by_the_majority_and_no_control_is(example, pixels):
    figures = example.probe(pixels)
    frequency = pixels.Y_test.mean(axis=0)
    assert (figures["accuracy"] > np.maximum(frequency, 1 - frequency)).all()
    assert (figures["balanced"] > 0.75).all()
    assert (np.abs(figures["control"] - 0.5) < 0.05).all()
    np.testing.assert_array_equal(figures["selectivity"], figures["balanced"] - figures["control"])


def test_the_margin_reached_equals_that_of_the_worst_row_and_never_above_the_largest(example, pixels):
    few = part(pixels, 500)
    reached = example.probe(few)["reached"]
    for column in (0, 1, few.names.index("even")):
        alone = Perceptron(keep="averaged", random_state=0).fit(few.X, few.Y[:, column])
        w, b = alone.coef_[0], alone.intercept_[0]
        worst = min(
            (1 if y else -1) * (x.astype(float) @ w + b)
            for x, y in zip(few.X, few.Y[:, column], strict=True)
        )
        assert reached[column] == pytest.approx(worst / np.linalg.norm(w), rel=1e-9)
        assert reached[column] <= separate(few.X, few.Y[:, column]).margin[1]


def test_with_fewer_rows_than_columns_even_a_shuffled_label_is_separable(example, pixels):
    few = part(pixels, 500)
    shuffled = few._replace(Y=np.random.default_rng(0).permutation(few.Y))
    even = few.names.index("even")
    for task in (few, shuffled):
        margin, words = example.in_words(example.judge(task, even, 60))
        assert words == "separable"
        low, high = map(float, margin.split(" to "))
        assert 0 < low <= high


def test_with_many_rows_a_shuffled_label_is_proved_not_separable(example, pixels, tmp_path):
    middle = np.ascontiguousarray(pixels.X[:, 300:500:4])  # of every few pixels 50: soon decided
    shuffled = pixels._replace(X=middle, Y=np.random.default_rng(0).permutation(pixels.Y))
    even = pixels.names.index("even")
    verdict = example.judge(shuffled, even, 120, tmp_path / "proofs")
    assert verdict.separable is False
    assert example.in_words(verdict) == ("none", f"not separable: {len(verdict.support)} rows cancel")
    assert (tmp_path / "proofs" / "even.json").exists()


def test_a_post_sent_to_two_groups_proves_that_one_of_them_cannot_be_separated(example, posts):
    assert posts.X.any(axis=1).all()
    verdict = example.judge(posts, posts.names.index("misc.forsale"), 1)
    assert verdict.separable is False
    first, second = verdict.support
    np.testing.assert_array_equal(posts.X[first], posts.X[second])


def test_a_verdict_that_had_no_time_is_undecided_and_claims_nothing(example, posts):
    verdict = example.judge(posts, posts.names.index("sci.space"), 0)
    assert verdict.separable is None
    assert example.in_words(verdict)[1] == "undecided"


def test_topics_are_read_from_hashed_posts(example, posts):
    figures = example.probe(posts)
    topics = [posts.names.index(topic) for topic in example.TOPICS]
    frequency = posts.Y_test.mean(axis=0)[topics]
    assert (figures["accuracy"][topics] > 1 - frequency).all()
    assert (figures["balanced"][topics] > 0.65).all()


def test_the_script_prints_a_line_for_each_label(example, data, monkeypatch, capsys):
    small = part(read(example.mnist, data), 300, 200)
    monkeypatch.setitem(example.TASKS, "mnist", lambda folder: small)
    monkeypatch.setenv("ROSENBLATT_DATA", str(data))
    monkeypatch.setattr(sys, "argv", ["probe_labels.py", "--seconds", "60"])
    example.main()
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[0] == "300 rows to learn from, 200 held out, 784 columns"
    assert [line.split("  ")[0].strip() for line in lines[-14:]] == small.names
    assert all(line.endswith("separable") for line in lines[-14:])
    assert "verdict 14 of 14: closed loop" in printed.err
