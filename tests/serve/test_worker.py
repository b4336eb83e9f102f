"""One worker executes jobs in their order, whatever threads and event loops submit them."""

import asyncio
import json
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from rosenblatt import BadInput, Learner
from rosenblatt.models.loaded import LoadedLearner
from rosenblatt.serve import log
from rosenblatt.serve.jobs import Answer, Learn, Refusal, Reveal
from rosenblatt.serve.log_export import as_lines
from rosenblatt.serve.service import open_service
from rosenblatt.serve.worker import Worker
from tests.patience import HANGS
from tests.serve.serving import learner_bytes


def start(path):
    service = open_service(str(path), lambda: LoadedLearner(Learner()), "")
    service.start()
    return service


def submit_together(service, *jobs):
    """Return the results of jobs that wait in the queue at the same time."""

    async def wait():
        is_blocked, is_free = threading.Event(), threading.Event()

        def block():
            is_blocked.set()
            is_free.wait()

        blocked = asyncio.get_running_loop().run_in_executor(None, service.call, block)
        await asyncio.to_thread(is_blocked.wait)
        futures = [job.bind_to_loop() for job in jobs]
        for job in jobs:
            service.submit(job)
        is_free.set()
        await blocked
        return await asyncio.gather(*futures, return_exceptions=True)

    return asyncio.run(wait())


def learn(name, y=1):
    return Learn([{name: 1.0}], [y])


def saved_bytes(service, folder):
    service.model.save(str(folder / "model"))
    return (folder / "model").read_bytes()


def test_a_refused_or_failed_job_leaves_the_others_as_they_would_be(tmp_path, monkeypatch, capfd):
    service, twin = start(tmp_path / "log"), Learner()
    results = submit_together(
        service, learn("a"), learn("refused", "ham"), learn("b", -1), Answer([{"a": 1.0}], None, True)
    )
    assert isinstance(results[1], BadInput)
    assert [each.position for each in (results[0], results[2])] == [1, 2]
    assert results[3].ids == ["a1"]
    service.log._db.execute("PRAGMA query_only = ON")  # as on a full disk
    results = submit_together(service, learn("no room"), Answer([{"a": 1.0}], None, False))
    assert results[0].status == 507
    assert (results[1].answers, results[1].learned) == ([1], 2), "predictions continue"
    service.log._db.execute("PRAGMA query_only = OFF")
    assert submit_together(service, learn("c"))[0].position == 3
    monkeypatch.setattr(service.model, "learn", lambda *_: 1 / 0)  # after the commit: it is in the log
    assert isinstance(submit_together(service, learn("d"))[0], ZeroDivisionError)
    monkeypatch.setattr(service.log, "add_entry", lambda *_: 1 / 0)  # before it: it is not
    assert isinstance(submit_together(service, learn("e"))[0], ZeroDivisionError)
    monkeypatch.undo()
    monkeypatch.setattr(service.model, "read", lambda *_, **__: next(iter(())))  # StopIteration
    results = submit_together(service, Answer([{"a": 1.0}], None, False), learn("e"))
    assert [type(each) for each in results] == [RuntimeError] * 2, "each client gets a response"
    monkeypatch.undo()
    assert submit_together(service, learn("f", -1))[0].position == 5
    for name, y in (("a", 1), ("b", -1), ("c", 1), ("d", 1), ("f", -1)):
        twin.learn({name: 1.0}, y)
    assert saved_bytes(service, tmp_path) == learner_bytes(twin, tmp_path)
    names = [line["x"] for line in log_lines(service)]
    assert names == [{name: 1.0} for name in "abcdf"], "numbers of names that were not committed are free"
    service.stop()
    assert "ZeroDivisionError" in capfd.readouterr().err


def submit_in_threads(service, *groups):
    """Submit the jobs of each group in a thread with an event loop of its own; return their results."""

    async def submit(jobs):
        futures = [job.bind_to_loop() for job in jobs]
        for job in jobs:
            service.submit(job)
        return await asyncio.gather(*futures)

    with ThreadPoolExecutor(len(groups)) as pool:
        return list(pool.map(lambda jobs: asyncio.run(submit(jobs)), groups))


def check_log(service, folder):
    """Check that the model is that of the examples of the log in their order, and return its lines."""
    twin, lines = Learner(), list(log_lines(service))
    for line in lines:
        twin.learn(line["x"], line["y"])
    assert saved_bytes(service, folder) == learner_bytes(twin, folder)
    service.stop()
    return lines


def test_jobs_of_many_threads_and_loops_are_learned_in_the_order_of_the_log(tmp_path):
    service, draw = start(tmp_path / "log"), random.Random(0)
    groups = [[learn(f"w{draw.randrange(9)}", draw.choice((-1, 1))) for _ in range(20)] for _ in range(4)]
    positions = [[each.position for each in some] for some in submit_in_threads(service, *groups)]
    assert all(some == sorted(some) for some in positions), "jobs of one client keep their order"
    assert sorted(place for some in positions for place in some) == list(range(1, 81))
    check_log(service, tmp_path)


def test_requests_that_come_again_in_any_order_are_learned_once(tmp_path):
    service, draw = start(tmp_path / "log"), random.Random(1)
    examples = [(f"e{k}", f"w{draw.randrange(9)}", draw.choice((-1, 1))) for k in range(40)]
    orders = [draw.sample(examples, 40) for _ in range(3)]
    groups = [[Learn([{x: 1.0}], [y], [name]) for name, x, y in some] for some in orders]
    results = submit_in_threads(service, *groups)
    replies = [each for some in results for each in some]
    assert (sum(each.learned for each in replies), sum(each.repeated for each in replies)) == (40, 80)
    positions = {line["id"]: line["position"] for line in check_log(service, tmp_path)}
    for some, found in zip(orders, results, strict=True):
        assert [positions[name] for name, *_ in some] == [each.position for each in found]


def log_lines(service):
    return map(json.loads, as_lines(service.log, 1, service.learned).splitlines())


def test_jobs_of_an_event_loop_that_has_ended_are_learned(tmp_path):
    service = start(tmp_path / "log")

    async def go_away():
        job = learn("b")
        job.bind_to_loop()
        service.submit(job)

    asyncio.run(go_away())
    service.stop()
    with pytest.raises(Refusal, match="too many examples"):
        service.submit(learn("c"))
    again = start(tmp_path / "log")
    assert again.learned == again.log.position == 1
    again.stop()


def test_a_challenge_may_be_revealed_in_the_transaction_that_would_forget_it(tmp_path, monkeypatch):
    monkeypatch.setattr(log, "MOST_CHALLENGES", 2)
    service, two = start(tmp_path / "log"), [{"a": 1.0}, {"b": 1.0}]
    submit_together(service, Answer(two, None, True))
    revealed, answered = submit_together(service, Reveal(["a1"], [1]), Answer(two, None, True))
    assert (revealed.learned, answered.ids) == (1, ["a3", "a4"])
    service.stop()
    start(tmp_path / "log").stop()  # which checks all rows


@pytest.mark.parametrize("error", [BadInput("the model cannot be saved"), MemoryError()])
def test_the_log_is_closed_even_if_the_last_snapshot_cannot_be_written(tmp_path, monkeypatch, error):
    def fail(path):
        raise error

    service = start(tmp_path / "log")
    submit_together(service, learn("a"))
    monkeypatch.setattr(service.model, "save", fail)
    with pytest.raises(type(error)):
        service.stop()
    again = start(tmp_path / "log")  # the log is no longer locked
    assert again.learned == 1
    again.stop()


def test_jobs_in_the_queue_are_executed_before_the_worker_stops(monkeypatch):
    sizes = []

    class CountingWorker(Worker):
        def handle(self, jobs):
            sizes.append(len(jobs))

    worker = CountingWorker(None, None)
    jobs = [Learn([{"a": 1.0}] * 1500, [1] * 1500) for _ in range(13)]
    with monkeypatch.context() as patch:
        patch.setattr(worker._thread, "is_alive", lambda: True)
        for job in jobs:
            worker.submit(job)
        with pytest.raises(Refusal, match="too many examples"):
            worker.submit(Learn([{"a": 1.0}] * 1500, [1] * 1500))
    worker.start()
    worker.stop()
    assert sum(sizes) == 13
    assert max(sizes) == 3, "about 4,000 examples share a commit"
    assert all(job.future.done() for job in jobs)
    assert worker.waiting == 0


def test_clients_that_wait_for_examples_take_little_time_of_the_others(tmp_path, monkeypatch):
    n_checks, sleep = 0, asyncio.sleep

    async def count(seconds):
        nonlocal n_checks
        n_checks += 1
        await sleep(seconds)

    async def wait_together(service, n):
        waiting = [asyncio.create_task(service.wait_for(1, HANGS)) for _ in range(n)]
        await sleep(1.0)
        assert not any(each.done() for each in waiting)
        service.submit(learn("a"))
        await asyncio.wait_for(asyncio.gather(*waiting), HANGS)

    service = start(tmp_path / "log")
    monkeypatch.setattr(asyncio, "sleep", count)
    began = time.monotonic()
    asyncio.run(wait_together(service, 300))
    seconds = time.monotonic() - began
    service.stop()
    assert n_checks < 500 * (seconds + 2), "at most 400 each second; each client alone checks 50 times"
