"""Process a batch of jobs: answer, append to the log, commit, learn, respond."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Rows
from rosenblatt.serve.example_bytes import pack
from rosenblatt.serve.jobs import Answer, Job, Lesson, Refusal
from rosenblatt.serve.log_files import LogFailed
from rosenblatt.serve.log_records import Challenge, Known

if TYPE_CHECKING:
    from rosenblatt.serve.service import Service


class Transaction:
    """Jobs whose examples are committed together, and their additions to the log."""

    def __init__(self, service: Service, jobs: Sequence[Job]) -> None:
        self.service, self.log, self.jobs = service, service.log, jobs
        self.position = service.log.position  # of the last example added so far
        self.lessons: list[Lesson] = []
        self.labels, self.ids = list[Any](), list[str | None]()  # of the examples of all lessons, in order
        self.answers: list[Any] = []  # [answer] for an example that was answered before, else None
        self.outcomes, self.wrong = np.zeros(0, np.int8), np.zeros(0, np.bool_)
        self.revealed: list[Challenge] = []
        self.new_ids: dict[str, Known] = {}
        self.new_requests: dict[str, Known] = {}
        self.new_challenges: set[str] = set()

    def find_id(self, name: str) -> Known | None:
        """Return the example with this id in the log or this transaction, or None."""
        return self.new_ids.get(name) or self.log.position_of(name)

    def execute(self) -> None:
        """Give each job a result or an error; raise an exception for errors that concern all jobs."""
        ready = [job for job in self.jobs if self._prepare(job)]
        if not ready:
            return
        model = self.service.model
        n_names = model.n_names
        try:
            rows = self._read_lessons()
            self._answer([job for job in ready if isinstance(job, Answer)])
        except BadInput as error:
            model.forget_names(n_names)
            if len(ready) == 1:
                ready[0].error = error
            else:  # find the jobs whose examples the model rejects
                for job in ready:
                    Transaction(self.service, [job]).execute()
            return
        try:
            self._commit(rows, [job for job in ready if isinstance(job, Answer) and job.remembers], n_names)
        except LogFailed as error:
            model.forget_names(n_names)
            self.service.log_trouble = error.strerror
            for job in ready:
                if isinstance(job, Answer) and not job.remembers:  # needs no room on the disk
                    job.finish(self)
                else:
                    job.error = Refusal(507, str(error.strerror))
            return
        if rows is not None:
            self._learn(rows)
        for job in ready:
            job.finish(self)

    def _prepare(self, job: Job) -> bool:
        try:
            job.prepare(self)
        except Exception as error:  # concerns only this job; nothing has been written
            job.error = error
        return job.error is None

    def _read_lessons(self) -> Rows | None:
        if not self.lessons:
            return None
        # in order of first appearance; the type distinguishes True from 1
        self._kinds_and_labels = list(zip(map(type, self.labels), self.labels, strict=True))
        self._distinct = list(dict.fromkeys(self._kinds_and_labels))
        model = self.service.model
        model.check_labels([label for _, label in self._distinct])
        return model.read(join_examples([lesson.examples for lesson in self.lessons]), grows=True)

    def _answer(self, jobs: Sequence[Answer]) -> None:
        """Answer the examples of all jobs with the weights as they are before this transaction."""
        if not jobs:
            return
        model = self.service.model
        answers, values = model.answer(
            model.read(join_examples([job.examples for job in jobs]), grows=False)
        )
        scores, first = values.tolist(), 0
        for job in jobs:
            job.set_answers(answers[first : first + job.size], scores[first : first + job.size])
            first += job.size

    def _commit(self, rows: Rows | None, remembered: Sequence[Answer], n_names: int) -> None:
        """Write the examples and challenges to disk, all or nothing."""
        if rows is None and not remembered and not self.new_requests:
            return
        log, service = self.log, self.service
        with log.transaction():
            if rows is not None:
                self._append(rows, n_names)
            log.insert("requests", [(key, *request) for key, request in self.new_requests.items()])
            # before the oldest are deleted, which may be among them
            log.delete("challenges", [challenge.row for challenge in self.revealed])
            new = [job.new_challenges(service.learned) for job in remembered]
            ids = iter(log.add_challenges(list(chain.from_iterable(new))))
            for job in remembered:
                job.set_ids(ids)
        service.commits += 1
        if rows is not None:  # challenges are small and may fit on a full disk
            service.log_trouble = None

    def _append(self, rows: Rows, n_names: int) -> None:
        log = self.log
        log.add_names(self.service.model.names_from(n_names))
        numbers = {key: log.number_of(key[1]) for key in self._distinct}
        n = len(self.labels)
        labels = np.fromiter(map(numbers.__getitem__, self._kinds_and_labels), np.int32, n)
        notes = {"ids": self.ids, **({"answers": self.answers} if any(self.answers) else {})}
        log.add_entry(n, pack(rows, labels), notes if self.new_ids else None)
        found = self.new_ids.items()
        log.insert("ids", [(name, k.position, log.number_of(k.value), k.content) for name, k in found])

    def _learn(self, rows: Rows) -> None:
        end = self.log.state
        times = [(len(self.labels), end.at)]
        self.outcomes, self.wrong = self.service.recovered.learn(rows, self.labels, self.answers, times)
        self.service.end = end.end


def join_examples(parts: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """Return the examples of several requests: a matrix if all are matrices of one width, else a list."""
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, np.ndarray) for part in parts) and len({part.shape[1] for part in parts}) == 1:  # type: ignore[attr-defined]
        matrix: Any = np.concatenate(parts)
        return matrix
    return list(chain.from_iterable(parts))
