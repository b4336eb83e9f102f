"""Whoever takes the turn, the loop or the thread beside it, what comes of a group is the same."""

import asyncio
import threading
import time

import pytest

from rosenblatt import BadInput, Learner
from rosenblatt.serve.group import Group
from rosenblatt.serve.served import OfLearner
from rosenblatt.serve.service import open_service
from rosenblatt.serve.turns import Turns
from rosenblatt.serve.work import Ask, Busy, Teach
from tests.serve.serving import learner_bytes


def opened(path):
    service = open_service(str(path), lambda: OfLearner(Learner()), "")
    service.start()
    return service


def done(service, *works):
    """What comes of works that wait together."""

    async def wait():
        futures = [work.in_loop() for work in works]
        for work in works:
            service.submit(work)
        return await asyncio.gather(*futures, return_exceptions=True)

    return asyncio.run(wait())


def teach(name, y=1):
    return Teach([{name: 1.0}], [y])


def saved(service, folder):
    service.served.save(str(folder / "served"))
    return (folder / "served").read_bytes()


@pytest.mark.parametrize("is_quick", [True, False])
def test_what_is_refused_fails_or_finds_no_room_leaves_the_others_as_they_would_be(
    tmp_path, monkeypatch, is_quick, capfd
):
    monkeypatch.setattr(Turns, "_is_quick", lambda *_: is_quick)
    service, twin = opened(tmp_path / "log"), Learner()
    told = done(service, teach("a"), teach("refused", "ham"), teach("b", -1), Ask([{"a": 1.0}], None, True))
    assert isinstance(told[1], BadInput)
    assert [each["position"] for each in (told[0], told[2])] == [1, 2]
    assert told[3]["ids"] == ["a1"]
    service.log._db.execute("PRAGMA query_only = ON")
    told = done(service, teach("no room"), Ask([{"a": 1.0}], None, False))
    assert [each.status for each in told] == [507, 507]
    service.log._db.execute("PRAGMA query_only = OFF")
    assert done(service, teach("c"))[0]["position"] == 3
    monkeypatch.setattr(service.served, "learn", lambda *_: 1 / 0)  # after the commit: it is in the log
    assert isinstance(done(service, teach("d"))[0], ZeroDivisionError)
    monkeypatch.setattr(Group, "_gather", lambda *_: 1 / 0)  # before it: it is not
    assert isinstance(done(service, teach("e"))[0], ZeroDivisionError)
    monkeypatch.undo()
    assert done(service, teach("f", -1))[0]["position"] == 5
    for name, y in (("a", 1), ("b", -1), ("c", 1), ("d", 1), ("f", -1)):
        twin.learn({name: 1.0}, y)
    assert saved(service, tmp_path) == learner_bytes(twin, tmp_path)
    service.end()
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_what_is_quick_is_done_by_the_loop_and_the_rest_beside_it(tmp_path, monkeypatch):
    by = []
    end = Group.end
    monkeypatch.setattr(Group, "end", lambda self: (by.append(threading.current_thread().name), end(self)))
    service = opened(tmp_path / "log")
    for _ in range(3):
        done(service, teach("a"))
    assert by[0] == "learning", "what was never done may have to be compiled first"
    assert by[-1] == "MainThread"
    large = teach("a")
    large.bytes = 2_000_000
    done(service, large)
    service.copy()
    assert by[-2:] == ["learning"] * 2
    service.end()


def test_a_loop_that_ends_leaves_the_turn_to_the_thread(tmp_path):
    service = opened(tmp_path / "log")
    done(service, teach("a"))
    while service.turns._is_taken:  # who waited is told before the turn is over
        time.sleep(0.001)

    async def go_away():
        work = teach("b")
        work.in_loop()
        service.submit(work)
        await asyncio.sleep(0)  # the turn is taken, and nobody waits for the end of it

    asyncio.run(go_away())
    service.end()
    with pytest.raises(Busy):
        service.submit(teach("c"))
    again = opened(tmp_path / "log")
    assert again.learned == again.log.position == 2
    again.end()
