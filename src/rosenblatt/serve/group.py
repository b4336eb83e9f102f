"""Those who wait together: read, written in one transaction, learned, and told."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import Rows
from rosenblatt.engine.one_by_one import NOT_LEARNED
from rosenblatt.errors import BadInput
from rosenblatt.serve.changes import LogFailed
from rosenblatt.serve.entries import Lesson, packed
from rosenblatt.serve.log import FORGOTTEN_AT_ONCE, Known
from rosenblatt.serve.work import Ask, Learns, Refused, Work

if TYPE_CHECKING:
    from rosenblatt.serve.service import Service


class Group:
    """Those who waited together: one transaction."""

    def __init__(self, service: Service, works: Sequence[Work]) -> None:
        self.service, self.works = service, works
        self.position = service.log.position
        self.distinct: dict[Any, Any] = {}  # labels, in the order in which they came
        self.teaching: list[Learns] = []
        self.fresh: dict[str, Known] = {}  # ids of this group
        self.named: dict[str, Known] = {}  # requests of this group
        self.asked: set[str] = set()
        self.size = sum(work.size for work in works)
        self.seconds = 0.0  # of the interpreter
        self.ready: list[Work] = []
        self.writes = False  # there is something to be committed
        self.is_split = False  # the model refuses some of it
        self._known = 0  # names before it
        self._rows: Rows | None = None  # what it teaches

    def run(self) -> None:
        """All of it."""
        if not self.is_split:
            self.begin()
        if self.writes:
            self.commit()
        self.end()

    def begin(self) -> None:
        """Read, answer, and gather what is to be written."""
        began, service = time.thread_time(), self.service
        for work in self.works:
            try:
                if work.function is not None:
                    work.result = work.function()
                else:
                    work.prepare(self)
                    self.ready.append(work)
            except Exception as error:  # of this one; nothing has been written
                work.error = error
        self._known = service.served.n_names
        asking = [work for work in self.ready if isinstance(work, Ask)]
        try:
            self._rows = self._read()
            self._answer(asking)
        except BadInput as error:
            service.served.forget_names(self._known)
            if len(self.ready) > 1:
                self.is_split = True
            else:
                self.ready.pop().error = error
        else:
            if self._rows is not None or any(ask.remembers for ask in asking):
                with service.log.gathering():
                    self._gather(self._rows)
                self.writes = True
        self.seconds += time.thread_time() - began

    def commit(self) -> None:
        """What was gathered is on the disk, or nothing of it, and those who wait will hear why."""
        service, log = self.service, self.service.log
        challenges = log.challenges_before
        try:
            log.commit()
            service.commits += 1
            if self._rows is not None:  # a few bytes may still fit on a full disk
                service.log_trouble = None
            if log.state.challenges // FORGOTTEN_AT_ONCE > challenges // FORGOTTEN_AT_ONCE:
                with suppress(LogFailed):
                    log.forget_challenges()
        except LogFailed as error:
            service.served.forget_names(self._known)
            service.log_trouble = error.strerror
            for work in self.ready:
                work.error = Refused(507, str(error.strerror))
            self.ready.clear()

    def end(self) -> None:
        """Learn what is on the disk, and make the answers. Who is refused by the model is found out one by
        one."""
        began = time.thread_time()
        if self.is_split:
            for work in self.ready:
                Group(self.service, [work]).run()
        elif self.ready:
            outcomes, first = self._learn(self._rows), 0
            for work in self.ready:
                n = len(work.labels) if isinstance(work, Learns) else 0
                work.finish(outcomes[first : first + n], self)
                first += n
        self.seconds += time.thread_time() - began

    def _read(self) -> Rows | None:
        served = self.service.served
        if not self.teaching:
            return None
        served.check_labels(list(self.distinct.values()))
        return served.read(together([work.examples for work in self.teaching]), grows=True)

    def _answer(self, asking: Sequence[Ask]) -> None:
        """All questions at once, by the weights as they are before this group is learned."""
        if not asking:
            return
        rows = self.service.served.read(together([ask.examples for ask in asking]), grows=False)
        answers, values = self.service.served.answer(rows)
        scores, first = values.tolist(), 0
        for ask in asking:
            ask.take(answers[first : first + ask.size], scores[first : first + ask.size])
            first += ask.size

    def _gather(self, rows: Rows | None) -> None:
        log, served = self.service.log, self.service.served
        if rows is not None:
            if served.n_names > self._known:
                log.add_names(served.names_from(self._known))
            labels = self._numbered({key: log.number_of(y) for key, y in self.distinct.items()})
            log.add_entry(len(labels), packed(Lesson(rows, labels)), self._notes())
            log.add_ids(
                [
                    (name, known.position, log.number_of(known.value), known.content)
                    for name, known in self.fresh.items()
                ]
            )
            for name, known in self.named.items():
                log.add_request(name, *known)
        asking = [work for work in self.ready if isinstance(work, Ask) and work.remembers]
        told = [ask.challenges(self.service.learned) for ask in asking]
        names = iter(log.add_challenges(list(chain.from_iterable(told))))
        for ask in asking:
            ask.take_ids(names)
        for work in self.ready:
            work.write(self)

    def _numbered(self, numbers: dict[Any, int]) -> NDArray[np.int32]:
        """The number of each label."""
        labels = self._labels()
        keys: Any = zip(map(type, labels), labels, strict=True)
        if len({kind for kind, _ in numbers}) == 1:  # then the label alone tells
            keys, numbers = labels, {label: number for (_, label), number in numbers.items()}
        return np.fromiter(map(numbers.__getitem__, keys), np.int32, len(labels))

    def _labels(self) -> list[Any]:
        """Those of all that teach, in order."""
        return list(chain.from_iterable(work.labels for work in self.teaching))

    def _notes(self) -> dict[str, Any] | None:
        if not self.fresh:
            return None
        ids: list[Any] = []
        answers: list[Any] = []
        for work in self.teaching:
            ids += work.ids if work.ids is not None else [None] * len(work.labels)
            answers += work.given if work.given is not None else [None] * len(work.labels)
        return {"ids": ids, **({"answers": answers} if any(answers) else {})}

    def _learn(self, rows: Rows | None) -> list[int]:
        if rows is None:
            return []
        service = self.service
        before = service.served.counters()["updates"]
        found = service.served.learn(rows, self._labels())
        updates = service.served.counters()["updates"] - before
        outcomes: list[int] = found.tolist()
        wrong, first = np.empty(len(outcomes), np.uint8), 0
        for work in self.teaching:
            last = first + len(work.labels)
            wrong[first:last] = work.find_wrong(found[first:last])
            first = last
        service.statistics.count(wrong, service.log.state.at, updates)
        service.end_learned = service.log.state.end
        service.not_learned += outcomes.count(NOT_LEARNED)
        return outcomes

    def tell(self, here: Any = None) -> None:
        """Those who wait hear what came of it; of one loop all at once, since to wake it takes a while.
        here: the loop of this thread."""
        by_loop: dict[Any, list[Work]] = {}
        for work in self.works:
            by_loop.setdefault(work.loop, []).append(work)
        for loop, works in by_loop.items():
            if loop is here or loop is None:
                _settle(works)
            else:
                with suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(_settle, works)

    def fail(self, error: BaseException) -> None:
        for work in self.works:
            work.error = error
        self.tell()


def _settle(works: Sequence[Work]) -> None:
    for work in works:
        work.settle()


def together(parts: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """Examples of several requests: a matrix of matrices, else a list."""
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, np.ndarray) for part in parts) and len({part.shape[1] for part in parts}) == 1:  # type: ignore[attr-defined]
        matrix: Any = np.concatenate(parts)
        return matrix
    return list(chain.from_iterable(parts))
