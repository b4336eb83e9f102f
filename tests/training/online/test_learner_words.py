"""Labels of a Learner (bools, 0 and 1, names of classes) and features (categories, texts)."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from rosenblatt import Learner, load, save
from rosenblatt.data.sources import Encoding, words_of

PAIRS = [(False, True), (0, 1), (-1, 1), ("ham", "spam"), (2, 1)]
MAILS = [
    ({"subject": "sale", "n": 3, "mail": ["free", "money", "free"]}, 1),
    ({"subject": "lunch", "n": 1, "mail": ["hello", "you"]}, 0),
    ({"subject": "sale", "n": 0, "mail": ["hello", "money"]}, 0),
    ({"subject": "win", "n": 2, "mail": {"free"}}, 1),
]


def train(mails, pair, **settings):
    learner = Learner(classes=pair, **settings)
    for x, positive in mails * 3:
        learner.learn(x, pair[positive])
    return learner


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("kernel", [None, "linear"])
def test_any_two_labels_learn_as_minus_and_plus_one_do_and_are_answered(pair, kernel):
    plain, named = train(MAILS, (-1, 1), kernel=kernel), train(MAILS, pair, kernel=kernel)
    for x, _ in MAILS:
        assert named.decide(x) == plain.decide(x)
        for ask in ("answer", "predict"):
            answer = getattr(named, ask)(x)
            assert answer == pair[getattr(plain, ask)(x) == 1]
            assert type(answer) is type(pair[0])
    assert named.mistakes == plain.mistakes > 0
    assert named.classes == list(pair)


@pytest.mark.parametrize("pair", PAIRS[:3])
def test_the_first_negative_label_or_bool_determines_the_two_labels(pair):
    inferred, declared = Learner(), Learner(classes=pair)
    for positive in (1, 1, 0, 1, 0, 0):
        x = np.array([positive - 0.25, 1.0])
        assert inferred.learn(x, pair[positive]) == declared.learn(x, pair[positive])
        if positive == 0 or pair[0] is False:
            assert inferred.answer(x) is declared.answer(x)
    assert inferred.classes == list(pair)
    assert inferred.weights.tolist() == declared.weights.tolist()


def test_a_text_is_the_category_of_its_name_and_words_are_counted():
    learner = Learner(offset=False)
    learner.learn({"subject": "free money now", "mail": ["free", "lunch", "free"], "member": True}, True)
    assert learner.weights == {"subject=free money now": 1, "mail=free": 2, "mail=lunch": 1, "member": 1}
    assert learner.predict({"subject": "free money now"}) is True
    assert learner.decide({"subject": "free", "mail": "free"}) == 2.0  # of "mail=free"


def test_a_plain_text_is_its_words_and_so_is_a_list_of_them():
    text, listed, by_hand = Learner(), Learner(), Learner()
    text.learn("Free money, x FREE!", 1)
    listed.learn(words_of("Free money, x FREE!"), 1)
    by_hand.learn({"free": 2.0, "money": 1.0}, 1)
    assert text.weights == listed.weights == by_hand.weights
    assert text.decide("money") == by_hand.decide({"money": 1.0})
    text.learn("", 0)
    pairs = Learner()
    pairs.learn(words_of("not at all", Encoding(ngrams=2)), 1)
    assert list(pairs.weights) == ["not", "at", "all", "not at", "at all"]


def test_numbers_between_texts_of_the_same_names_go_to_features_of_their_own():
    # the short way for dicts of the same make goes by names: a text of a name is another feature
    one, other = Learner(offset=False), Learner(offset=False)
    values = ["a", "a", "a", 2.0, 2.0, 2.0, "b", 3, 3, "a", 1.5]
    for step, value in enumerate(values):
        y = 1 if step % 3 else -1
        expanded = {f"x={value}": 1.0} if isinstance(value, str) else {"x": value}
        assert one.learn({"x": value, "n": step}, y) == other.learn({**expanded, "n": step}, y)
    assert one.weights == other.weights
    assert list(one.weights) == ["x=a", "n", "x", "x=b"]


@pytest.mark.parametrize("pair", [*PAIRS, None])
@pytest.mark.parametrize("settings", [{}, {"keep": "averaged"}, {"kernel": "gaussian"}])
def test_a_learner_of_words_continues_from_its_file(pair, settings, tmp_path):
    learner = train(MAILS, pair, **settings) if pair else Learner(**settings)
    if pair is None:
        learner.learn(MAILS[0][0], True)
    save(learner, tmp_path / "words.safetensors")
    others = [load(tmp_path / "words.safetensors"), pickle.loads(pickle.dumps(learner)), copy.copy(learner)]
    negative = learner.classes[0]
    for x in ({"subject": "new", "n": 2}, {"mail": ["free", "new"], "n": 1}):
        made = learner.predict(x), learner.learn(x, negative), learner.decide(x)
        for other in others:
            assert (other.predict(x), other.learn(x, negative), other.decide(x)) == made
            assert other.classes == learner.classes
            assert [type(label) for label in other.classes] == [type(label) for label in learner.classes]
