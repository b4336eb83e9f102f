"""`learn_many` leaves the same bits as `learn` for one example after another, for every kind of learner."""

import numpy as np
import pytest

from rosenblatt import BadInput, Learner, kernels, save

WORDS = [f"w{i}" for i in range(300)]
KINDS = {
    "last": {},
    "averaged": {"keep": "averaged", "rule": "passive_aggressive_1"},
    "pocket": {"keep": "pocket"},
    "voted": {"keep": "voted"},
    "kernel": {"kernel": kernels.Polynomial(degree=2)},
    "classes": {"multiclass": "one_vs_rest"},
    "shared": {"multiclass": "ultraconservative", "keep": "averaged"},
}


def examples(n, seed=0):
    rng = np.random.default_rng(seed)
    # few words at first and more of them later, so that features come late
    X = [
        {
            WORDS[j]: float(v)
            for j, v in zip(rng.integers(0, 20 + 3 * i, 8), rng.normal(size=8), strict=True)
        }
        for i in range(n)
    ]
    return X, np.where(rng.random(n) < 0.5, -1, 1).tolist()


def same_file(one, other, folder):
    for name, learner in (("one", one), ("other", other)):
        save(learner, folder / name)
    return (folder / "one").read_bytes() == (folder / "other").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_many_at_once_are_the_same_bits_as_one_by_one(kind, tmp_path):
    X, y = examples(80)
    if kind in ("classes", "shared"):
        y = [f"class {i % (2 + i // 20)}" for i in range(80)]  # late classes too
    one, many = Learner(**KINDS[kind]), Learner(**KINDS[kind])
    mistakes = [one.learn(x, label) for x, label in zip(X, y, strict=True)]
    found = [
        wrong
        for first, last in ((0, 1), (1, 7), (7, 60), (60, 80))
        for wrong in many.learn_many(X[first:last], y[first:last]).tolist()
    ]
    assert found == mistakes
    assert same_file(one, many, tmp_path)
    unseen = [*X[:5], {"never": 1.0, WORDS[0]: 2.0}]
    assert many.predict_many(unseen) == [one.predict(x) for x in unseen]
    values = many.decide_many(unseen).tolist()
    expected = [one.decide(x) for x in unseen]
    expected = [list(v.values()) if isinstance(v, dict) else v for v in expected]
    if kind in ("kernel", "classes", "shared"):  # a matrix product, of which only the decision is exact
        assert np.allclose(values, expected, rtol=1e-12)
    else:
        assert values == expected


@pytest.mark.parametrize("kind", KINDS)
def test_examples_of_the_same_names_are_the_same_bits_too(kind, tmp_path):
    rng = np.random.default_rng(2)
    X = [dict(zip("badc", x, strict=True)) for x in rng.normal(size=(40, 4)).tolist()]
    y = np.where(rng.random(40) < 0.5, -1, 1).tolist()
    X[33]["late"], X[36]["city"], X[38] = 1, "Rome", dict(reversed(X[38].items()))
    one, many = Learner(**KINDS[kind]), Learner(**KINDS[kind])
    mistakes = [one.learn(x, label) for x, label in zip(X, y, strict=True)]
    parts = [many.learn_many(X[k : k + 5], y[k : k + 5]) for k in range(0, 40, 5)]
    assert np.concatenate(parts).tolist() == mistakes
    assert same_file(one, many, tmp_path)
    unseen = [{"a": 1.0, "never": 2.0, "c": x} for x in (-1.0, 0.5, 3)]
    assert many.predict_many(unseen) == [one.predict(x) for x in unseen]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 10**400, None])
def test_a_bad_value_among_examples_of_the_same_names_is_refused_by_its_name(bad):
    learner = Learner()
    X = [{"a": 1.0, "b": float(k)} for k in range(4)]
    X[2]["b"] = bad
    with pytest.raises(BadInput, match="'b'"):
        learner.learn_many(X, [1, -1, 1, -1])
    assert learner.examples_seen == 0


def test_rows_of_numbers_may_come_as_a_matrix(tmp_path):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 5)), rng.choice([0, 1], 60).tolist()
    one, many = Learner(), Learner()
    mistakes = [one.learn(x, label) for x, label in zip(X, y, strict=True)]
    assert many.learn_many(X[:10].tolist(), y[:10]).tolist() == mistakes[:10]
    assert many.learn_many(X[10:], y[10:]).tolist() == mistakes[10:]
    assert same_file(one, many, tmp_path)


def test_a_refused_example_changes_nothing(tmp_path):
    learner, twin = Learner(), Learner()
    for each in (learner, twin):
        each.learn_many([{"a": 1.0}, {"b": 1.0}], [-1, 1])
    for X, y in (
        ([{"c": 1.0}, {"d": float("nan")}], [-1, 1]),
        ([{"c": 1.0}, {"d": 1.0}], [-1, "ham"]),
        ([{"c": 1.0}, {"d": 1.0}], [-1]),
        ([{"c": 1.0}, [1.0, 2.0]], [-1, 1]),
    ):
        with pytest.raises(BadInput):
            learner.learn_many(X, y)
    assert same_file(learner, twin, tmp_path)
