"""What waits in line, and what is done with those who wait together: read, write, commit, learn, tell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arithmetic.examples import Dense, Rows, stack
from rosenblatt.engine.one_by_one import NOT_LEARNED, WRONG
from rosenblatt.errors import BadInput
from rosenblatt.serve.entries import Lesson, packed
from rosenblatt.serve.log import LogFailed

if TYPE_CHECKING:
    from rosenblatt.serve.service import Service

MOST_INDICES = 1000  # mistakes that an answer lists


class Refused(Exception):
    """What a request gets instead: an HTTP status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Work:
    """Something in line. size: how many examples it has."""

    function: Any = None  # called between two groups

    def __init__(self, size: int) -> None:
        self.size = size
        self.future: Future[Any] = Future()
        self.result: Any = None
        self.error: BaseException | None = None

    def prepare(self, group: Group) -> None:
        """Look things up, and give the group what is to be written."""

    def write(self, group: Group) -> None:
        """Write what is not an example, in the transaction."""

    def finish(self, outcomes: Any, group: Group) -> None:
        """Make the result. outcomes: of the examples it gave, in their order."""


class Ask(Work):
    """POST /answer."""

    def __init__(self, examples: Sequence[Any], ids: Sequence[str | None] | None, remembers: bool) -> None:
        super().__init__(len(examples))
        self.examples, self.remembers = examples, remembers
        self.ids: list[str | None] = list(ids) if ids is not None else [None] * len(examples)

    def prepare(self, group: Group) -> None:
        log = group.service.log
        self._known = {}
        named = [name for name in self.ids if name is not None]
        if len(set(named)) < len(named):
            raise Refused(422, "ids: one comes twice in the request; give each challenge its own")
        for name in set(self.ids) - {None} if self.remembers else ():
            assert name is not None
            if (known := log.challenge(name)) is not None:
                self._known[name] = known
            elif (found := log.position_of(name)) is not None or name in group.fresh:
                place = found[0] if found else group.fresh[name][0]
                raise Refused(409, f"id {name!r}: its label was revealed before, at position {place}")
            elif name in group.asked:
                raise Refused(409, f"id {name!r}: is asked about twice at the same time; ask again")
        if self.remembers:
            group.asked.update(name for name in self.ids if name is not None)
        self.rows = group.service.served.read(self.examples, grows=False)
        group.questions.append(self)

    def take(self, answers: list[Any], scores: list[Any]) -> None:
        self.answers, self.scores = answers, scores

    def write(self, group: Group) -> None:
        if not self.remembers:
            return
        learned = group.service.learned
        rows = [
            (name, learned, json.dumps(_plain(x)), json.dumps(answer), json.dumps(score))
            for name, x, answer, score in zip(
                self.ids, self.examples, self.answers, self.scores, strict=True
            )
            if name not in self._known
        ]
        made = iter(group.service.log.add_challenges(rows))
        self.ids = [name if name in self._known else next(made) for name in self.ids]

    def finish(self, outcomes: Any, group: Group) -> None:
        for place, name in enumerate(self.ids):
            if name in self._known:
                self.answers[place], self.scores[place] = self._known[name].answer, self._known[name].score
        self.result = {"answers": self.answers, "scores": self.scores, "learned": group.service.learned}
        if self.remembers:
            self.result["ids"] = self.ids
        if self.scores and isinstance(self.scores[0], list):
            self.result["classes"] = group.service.served.classes
        group.service.answered += self.size
        x = self.examples[-1] if self.size else None
        group.service.last.append(
            {"kind": "answer", "id": self.ids[-1], "x": _short(x), "answer": self.answers[-1]}
        )


class Learns(Work):
    """What teaches: examples with labels that are not in the log yet."""

    examples: Sequence[Any]
    labels: Sequence[Any]
    repeated = 0
    at = 0  # the position of the last example, also of those that were there before
    ids: Sequence[str | None] | None = None
    given: Sequence[Any] | None = None  # the answers that were given before, each in a list of one
    name: str | None = None  # of the request

    def teach(self, group: Group) -> None:
        """Give the group the rows, which get the next positions."""
        self.first = group.position + 1
        if not len(self.labels):
            return
        served = group.service.served
        distinct = {**group.distinct, **{(type(label), label): label for label in self.labels}}
        if len(distinct) > len(group.distinct):
            served.check_labels(list(distinct.values()))
        known = served.n_names
        rows: Rows = served.read(self.examples, grows=True)
        if group.rows and (type(rows), _width(rows)) != (type(group.rows[0]), _width(group.rows[0])):
            served.forget_names(known)
            raise NextTime
        group.rows.append(rows)
        group.distinct = distinct
        group.labels.extend(self.labels)
        group.teaching.append(self)
        if self.ids is not None:
            fresh = zip(
                self.ids, range(self.first, self.first + len(self.labels)), self.labels, strict=True
            )
            group.fresh.update({name: (place, label) for name, place, label in fresh if name is not None})
        group.position += len(self.labels)
        self.at = max(self.at, group.position)

    def finish(self, outcomes: Any, group: Group) -> None:
        wrong = np.asarray(outcomes == WRONG)
        for place, answer in enumerate(self.given or ()):
            if answer is not None:
                wrong[place] = answer[0] != self.labels[place]
        self.result = {
            "learned": len(self.labels),
            "repeated": self.repeated,
            "mistakes": int(wrong.sum()),
            "wrong": np.flatnonzero(wrong)[:MOST_INDICES].tolist(),
            "position": self.at or group.service.log.position,
        }
        if lost := int((outcomes == NOT_LEARNED).sum()):
            self.result["not_learned"] = lost
        if len(self.labels):
            self.result["learned"] -= lost
            name = self.ids[-1] if self.ids is not None else None
            group.service.last.append(
                {
                    "kind": self.kind, "id": name, "x": _short(self.examples[-1]), "y": self.labels[-1],
                    "wrong": bool(wrong[-1]), "position": self.at,
                }
            )  # fmt: skip

    kind = "learn"


class Teach(Learns):
    """POST /learn. name: what the client calls the request, so that it can be sent again."""

    def __init__(
        self,
        examples: Sequence[Any],
        labels: Sequence[Any],
        ids: Sequence[str | None] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(len(labels))
        self.examples, self.labels, self.ids, self.name = examples, labels, ids, name

    def prepare(self, group: Group) -> None:
        if self.name is not None:
            known = group.named.get(self.name) or group.service.log.request(self.name)
            if known is not None:
                self.repeated, self.at = known[1], known[0] + known[1] - 1
                self.examples, self.labels, self.ids = [], [], None
        if self.ids is not None and any(self.ids):
            self._leave_out_known(group)
        self.teach(group)
        if self.name is not None and len(self.labels):
            group.named[self.name] = self.first, len(self.labels)

    def _leave_out_known(self, group: Group) -> None:
        assert self.ids is not None
        kept, seen = [], set[str]()
        for place, name in enumerate(self.ids):
            if name is not None:
                known = group.fresh.get(name) or group.service.log.position_of(name)
                if known is not None or name in seen:
                    self.repeated += 1
                    self.at = max(self.at, known[0] if known else 0)
                    continue
                if group.service.log.challenge(name) is not None:
                    raise Refused(409, f"id {name!r}: waits for its label; send it to /reveal")
                seen.add(name)
            kept.append(place)
        if len(kept) < len(self.ids):
            self.examples = [self.examples[place] for place in kept]
            self.labels = [self.labels[place] for place in kept]
            self.ids = [self.ids[place] for place in kept]


class Reveal(Learns):
    """POST /reveal."""

    kind = "reveal"

    def __init__(self, ids: Sequence[str], labels: Sequence[Any]) -> None:
        super().__init__(len(ids))
        self._asked, self._labels = ids, labels

    def prepare(self, group: Group) -> None:
        log, found = group.service.log, []
        seen: dict[str, Any] = {}
        for name, label in zip(self._asked, self._labels, strict=True):
            known = group.fresh.get(name) or log.position_of(name)
            if known is None and name in seen:
                known = 0, seen[name]
            if known is not None:
                if known[1] != label or type(known[1]) is not type(label):
                    raise Refused(
                        409, f"id {name!r}: was revealed before as {known[1]!r}, and now as {label!r}"
                    )
                self.repeated += 1
                self.at = max(self.at, known[0])
                continue
            challenge = log.challenge(name)
            if challenge is None:
                raise Refused(404, f"id {name!r}: no challenge of that id waits for its label")
            seen[name] = label
            found.append((challenge, label))
        self.ids = [challenge.id for challenge, _ in found]
        self.examples = [challenge.x for challenge, _ in found]
        self.labels = [label for _, label in found]
        self.given = [[challenge.answer] for challenge, _ in found]
        self.teach(group)

    def write(self, group: Group) -> None:
        assert self.ids is not None
        group.service.log.drop_challenges([name for name in self.ids if name is not None])


class NextTime(Exception):
    """It does not go with the others of its group, whose rows are of another kind."""


class Group:
    """Those who waited together: one transaction."""

    def __init__(self, service: Service, works: Sequence[Work]) -> None:
        self.service, self.works = service, works
        self.position = service.log.position
        self.rows: list[Rows] = []
        self.labels: list[Any] = []
        self.distinct: dict[Any, Any] = {}  # labels of this group, in the order in which they came
        self.teaching: list[Learns] = []
        self.questions: list[Ask] = []
        self.fresh: dict[str, tuple[int, Any]] = {}  # ids of this group: position and label
        self.named: dict[str, tuple[int, int]] = {}
        self.asked: set[str] = set()

    def run(self) -> list[Work]:
        """Do all of it. Returns those who must wait for the next group."""
        service, left = self.service, []
        known = service.served.n_names
        for work in self.works:
            if work.function is not None:
                try:
                    work.result = work.function()
                except Exception as error:
                    work.error = error
                continue
            try:
                work.prepare(self)
            except NextTime:
                left.append(work)
            except (BadInput, Refused) as error:
                work.error = error
        self._answer()
        ready = [work for work in self.works if work.error is None and work not in left]
        outcomes = np.empty(0, np.int8)
        if self.rows or any(getattr(work, "remembers", False) for work in ready):
            try:
                lesson = self._write(known, ready)
            except LogFailed as error:
                service.served.forget_names(known)
                service.trouble = error.strerror
                for work in ready:
                    work.error = Refused(507, str(error.strerror))
                self.tell(left)
                return left
            service.trouble = None
            outcomes = self._learn(lesson)
        first = 0
        for work in ready:
            n = len(work.labels) if isinstance(work, Learns) else 0
            if work.function is None:
                work.finish(outcomes[first : first + n], self)
            first += n
        self.tell(left)
        return left

    def _answer(self) -> None:
        """All questions at once, by the weights as they are before this group is learned."""
        asked: dict[Any, list[Ask]] = {}
        for ask in self.questions:
            asked.setdefault((type(ask.rows), _width(ask.rows)), []).append(ask)
        for same in asked.values():
            try:
                answers, values = self.service.served.answer(stack([ask.rows for ask in same]))
            except BadInput as error:
                for ask in same:
                    ask.error = error
                continue
            scores, first = values.tolist(), 0
            for ask in same:
                ask.take(answers[first : first + ask.size], scores[first : first + ask.size])
                first += ask.size

    def _write(self, known: int, ready: Sequence[Work]) -> Lesson | None:
        log = self.service.log
        lesson = None
        with log.transaction():
            if self.rows:
                if self.service.served.n_names > known:
                    log.add_names(self.service.served.names_from(known))
                numbers = np.fromiter(map(log.number_of, self.labels), np.int32, len(self.labels))
                lesson = Lesson(self.rows[0] if len(self.rows) == 1 else stack(self.rows), numbers)
                log.add_entry(len(lesson), packed(lesson), self._notes())
                log.add_ids(
                    (name, place, log.number_of(label)) for name, (place, label) in self.fresh.items()
                )
                for name, (first, n) in self.named.items():
                    log.add_request(name, first, n)
            for work in ready:
                if work.error is None:
                    work.write(self)
        self.service.commits += 1
        return lesson

    def _notes(self) -> dict[str, Any] | None:
        if not self.fresh and not any(work.given for work in self.teaching):
            return None
        ids: list[Any] = []
        answers: list[Any] = []
        for work in self.teaching:
            ids += work.ids if work.ids is not None else [None] * len(work.labels)
            answers += work.given if work.given is not None else [None] * len(work.labels)
        notes: dict[str, Any] = {"ids": ids} if any(ids) else {}
        return {**notes, "answers": answers} if any(answers) else notes

    def _learn(self, lesson: Lesson | None) -> Any:
        if lesson is None:
            return np.empty(0, np.int8)
        service = self.service
        before = service.served.counters()["updates"]
        outcomes = service.served.learn(lesson.rows, self.labels)
        updates = service.served.counters()["updates"] - before
        wrong, first = outcomes == WRONG, 0
        for work in self.teaching:
            for place, answer in enumerate(work.given or ()):
                wrong[first + place] = answer[0] != work.labels[place]
            first += len(work.labels)
        service.statistics.count(wrong, service.log.last_at, updates)
        service.learned += len(lesson)
        service.not_learned += int((outcomes == NOT_LEARNED).sum())
        return outcomes

    def tell(self, left: Sequence[Work] = ()) -> None:
        """Those who wait hear what came of it."""
        for work in self.works:
            if work in left or work.future.done():
                continue
            if work.error is not None:
                work.future.set_exception(work.error)
            else:
                work.future.set_result(work.result)

    def fail(self, error: BaseException) -> None:
        for work in self.works:
            if not work.future.done():
                work.future.set_exception(error)


def _width(rows: Rows) -> int:
    return rows.values.shape[1] if isinstance(rows, Dense) else 0


def _plain(x: Any) -> Any:
    return x.tolist() if isinstance(x, np.ndarray) else x


def _short(x: Any) -> str:
    text = x if isinstance(x, str) else json.dumps(_plain(x), ensure_ascii=False)
    return text if len(text) <= 120 else f"{text[:119]}…"
