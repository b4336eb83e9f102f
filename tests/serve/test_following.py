"""A follower answers from the same bits; a client has the methods of a learner; a log can be replayed."""

import json
import socket

import numpy as np
import pytest
from click.testing import CliRunner

from rosenblatt import BadInput, Client, Learner, load, rules
from rosenblatt.cli.main import main
from rosenblatt.serve.follower import Follower
from rosenblatt.serve.statistics import PageHinkley, Statistics
from tests.serve.serving import leader, learner_bytes, listen, until
from tests.serve.test_learning import mails


def test_a_client_is_a_learner_and_a_follower_answers_from_the_same_bits(tmp_path):
    examples, twin = mails(60), Learner()
    with listen(lambda: leader(tmp_path / "log")) as url:
        client = Client(url)
        for each in examples[:30]:
            assert client.learn(each["x"], each["y"]) == twin.learn(each["x"], each["y"])
        with listen(lambda: Follower(url)) as other:
            follower = Client(other)
            client.learn_many([e["x"] for e in examples[30:]], [e["y"] for e in examples[30:]])
            for each in examples[30:]:
                twin.learn(each["x"], each["y"])
            x = {"word1": 1.0, "word2": 2.0}
            assert client.answer(x) == twin.answer(x)
            assert client.reveal(1) == twin.reveal(1)
            assert client.decide(x) == twin.decide(x)
            until(lambda: follower.health["behind"] == 0 and follower.health["learned"] == 61)
            assert follower.predict(x) == twin.predict(x)
            assert follower.decide(x) == twin.decide(x)
            models = [each.model(str(tmp_path / "model")) for each in (client, follower)]
            for model in models:
                assert learner_bytes(model, tmp_path) == learner_bytes(twin, tmp_path)
            with pytest.raises(BadInput, match="learns nothing itself"):
                follower.learn(x, 1)
            follower.close()
        assert len(list(client.log(first=31))) == 31
        assert (client.examples_seen, client.mistakes) == (61, twin.mistakes)
        half_open = [
            socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) for _ in range(50)
        ]
        for each in half_open:
            each.send(b"POST /learn HTTP/1.1\r\nhost: x\r\ncontent-le")
        assert client.predict(x) == twin.predict(x)  # who never finishes a request holds up nobody
        for each in half_open:
            each.close()
        with pytest.raises(BadInput, match="had names before"):
            client.learn([1.0, 2.0], 1)
        client.close()


@pytest.mark.parametrize(
    "settings", [{}, {"keep": "averaged"}, {"rule": rules.Arow(0.7), "multiclass": "one_vs_rest"}], ids=str
)
def test_replay_makes_the_model_of_any_position(settings, tmp_path):
    examples, words = mails(50), ["replay", str(tmp_path / "log")]
    with listen(lambda: leader(tmp_path / "log", Learner(**settings))) as url:
        client = Client(url)
        for first, last in ((0, 1), (1, 20), (20, 50)):
            some = examples[first:last]
            client.learn_many([e["x"] for e in some], [e["y"] for e in some])
        client.close()
    for upto in (0, 1, 13, 50):
        twin = Learner(**settings)
        mistakes = sum(twin.learn(each["x"], each["y"]) for each in examples[:upto])
        out = str(tmp_path / "model")
        reply = CliRunner().invoke(main, [*words, "--upto", str(upto), "--out", out, "--json"])
        assert reply.exit_code == 0, reply.output
        assert json.loads(reply.output)["mistakes"] == mistakes
        assert learner_bytes(load(out), tmp_path) == learner_bytes(twin, tmp_path)
    assert "11 … 12" in CliRunner().invoke(main, [*words, "--from", "11", "--upto", "30"]).output
    assert CliRunner().invoke(main, [*words, "--upto", "99"]).exit_code == 65


def test_page_hinkley_raises_an_alarm_after_a_rise_and_not_before():
    """The sums of one at a time, whatever the parts; no alarm on steady errors, one soon after a rise."""
    rng = np.random.default_rng(0)
    steady, risen = rng.random(20_000) < 0.1, rng.random(2_000) < 0.4
    stream = np.concatenate([steady, risen]).astype(float)
    naive, level, lowest, total = [], 0.0, 0.0, 0.0
    for t, wrong in enumerate(stream, 1):
        total += wrong
        level += wrong - total / t - 0.005
        lowest = min(lowest, level)
        if level - lowest > 50.0:
            naive.append(t - 1)
            break
    test, alarms, first = PageHinkley(), [], 0
    for size in (1, 2, 500, 19_000, 2_497):
        alarms += [first + place for place in test.add(stream[first : first + size])]
        first += size
    assert alarms[:1] == naive
    assert 20_000 < naive[0] < 20_400
    assert PageHinkley(threshold=1.0).add(np.ones(100) * (np.arange(100) > 5))[0] == 29, "not before 30"


def test_statistics_do_not_depend_on_how_examples_were_grouped():
    wrong = np.random.default_rng(1).random(5_000) < 0.2
    one, many = Statistics(), Statistics()
    for each in wrong:
        one.count([each], 60.0, 1)
    for first in range(0, 5_000, 700):
        some = wrong[first : first + 700]
        many.count(some, 60.0, len(some))
    assert one == many
    assert Statistics.parse(one.as_text()).as_dict() == {
        **one.as_dict(),
        "curve": [list(c) for c in one.curve],
    }
