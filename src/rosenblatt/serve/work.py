"""What waits in line: questions, examples, labels. What is done with it `Group` says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.one_by_one import NOT_LEARNED, WRONG
from rosenblatt.serve.content import content_digest, request_digest
from rosenblatt.serve.log import Challenge, Known
from rosenblatt.serve.plain_json import dumped

if TYPE_CHECKING:
    from rosenblatt.serve.group import Group

MOST_INDICES = 1000  # mistakes that an answer lists
SHOWN = 120  # letters or numbers of an example that the page may show


class Refused(Exception):
    """What a request gets instead: an HTTP status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Busy(Exception):
    """No room in line: who comes is told to come again."""


class Work:
    """Something in line. size: how many examples it has."""

    function: Any = None  # called between two groups
    bytes = 0  # of the body that it came in
    loop: asyncio.AbstractEventLoop | None = None  # of the future, where it is one of asyncio

    def __init__(self, size: int) -> None:
        self.size = size
        self.future: Future[Any] | asyncio.Future[Any] = Future()
        self.result: Any = None
        self.error: BaseException | None = None

    @staticmethod
    def of(function: Any) -> Work:
        """A function that is called in its turn."""
        work = Work(0)
        work.function = function
        return work

    def in_loop(self) -> asyncio.Future[Any]:
        """Its future, to be awaited by this thread's loop."""
        self.loop = asyncio.get_running_loop()
        self.future = future = self.loop.create_future()
        return future

    def settle(self) -> None:
        """Who waits hears what came of it."""
        if self.future.done():  # the client went away
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)

    def prepare(self, group: Group) -> None:
        """Look things up, and give the group what is to be written."""

    def write(self, group: Group) -> None:
        """Write what is not an example, in the transaction."""

    def finish(self, outcomes: list[int], group: Group) -> None:
        """Make the result. outcomes: of the examples it gave, in their order."""


class Ask(Work):
    """POST /answer."""

    def __init__(self, examples: Sequence[Any], ids: Sequence[str | None] | None, remembers: bool) -> None:
        super().__init__(len(examples))
        self.examples, self.remembers = examples, remembers
        self._given: list[str | None] = list(ids) if ids is not None else [None] * len(examples)

    def prepare(self, group: Group) -> None:
        log = group.service.log
        self.ids, self._known = self._given, dict[str, Challenge]()
        named = [name for name in self.ids if name is not None]
        if not self.remembers or not named:
            return
        if len(set(named)) < len(named):
            raise Refused(422, "ids: one comes twice in the request; give each example its own")
        for name in named:
            if (known := log.challenge(name)) is not None:
                self._known[name] = known
            elif (found := group.fresh.get(name) or log.position_of(name)) is not None:
                raise Refused(
                    409, f"id {name!r}: its label was revealed before, at position {found.position}"
                )
            elif name in group.asked:
                raise Refused(409, f"id {name!r}: another request with it is in progress; send it again")
        for given, x in zip(self.ids, self.examples, strict=True):
            known = None if given is None else self._known.get(given)
            if known is not None and content_digest(known.x) != content_digest(x):
                raise Refused(409, f"id {given!r}: waits for the label of another example; give another id")
        group.asked.update(named)

    def take(self, answers: list[Any], scores: list[Any]) -> None:
        """Its answers; those that were given before stay as they were."""
        for place, name in enumerate(self.ids if self._known else ()):
            if name in self._known:
                answers[place], scores[place] = self._known[name].answer, self._known[name].score
        self.answers, self.scores = answers, scores

    def challenges(self, learned: int) -> list[tuple[str | None, int, str]]:
        """What the log is to remember: of those that it does not have yet."""
        told = zip(self.ids, self.examples, self.answers, self.scores, strict=True)
        return [
            (name, learned, dumped((plain_x(x), answer, score)).decode())
            for name, x, answer, score in told
            if name not in self._known
        ]

    def take_ids(self, made: Iterator[str]) -> None:
        """The names under which the log remembers its challenges."""
        self.ids = [name if name in self._known else next(made) for name in self.ids]

    def finish(self, outcomes: list[int], group: Group) -> None:
        service = group.service
        self.result = {"answers": self.answers, "scores": self.scores, "learned": service.learned}
        if self.remembers:
            self.result["ids"] = self.ids
        if isinstance(self.scores[0], list):
            self.result["classes"] = service.served.classes
        service.answered += self.size
        x, name = kept(self.examples[-1]), self.ids[-1]
        told = {"kind": "answer", "id": name, "x": x, "answer": self.answers[-1]}
        service.last.append(told)


class Learns(Work):
    """What teaches: examples with labels that are not in the log yet."""

    kind = "learn"
    examples: Sequence[Any] = ()
    labels: Sequence[Any] = ()
    ids: Sequence[str | None] | None = None
    contents: Sequence[str] = ()  # digests of the examples that have ids
    given: Sequence[Any] | None = None  # the answers that were given before, each in a list of one
    repeated = 0
    at = 0  # the position of the last example, also of those that were there before
    wrong: Sequence[int] = ()  # which answers were

    def take_positions(self, group: Group) -> None:
        """The next positions are those of its examples."""
        first = group.position + 1
        if not len(self.labels):
            return
        group.teaching.append(self)
        kinds = set(map(type, self.labels))
        for kind in kinds:  # true is not 1 in the log, though they are equal
            same: Iterable[Any] = self.labels
            if len(kinds) > 1:
                same = [label for label in self.labels if type(label) is kind]
            group.distinct.update({(kind, label): label for label in dict.fromkeys(same)})
        contents = iter(self.contents)
        for place, name in enumerate(self.ids or ()):
            if name is not None:
                group.fresh[name] = Known(first + place, self.labels[place], next(contents))
        group.position += len(self.labels)
        self.at = max(self.at, group.position)

    def finish(self, outcomes: list[int], group: Group) -> None:
        wrong, lost = self.wrong, outcomes.count(NOT_LEARNED)
        self.result = {
            "learned": len(outcomes) - lost, "repeated": self.repeated, "mistakes": len(wrong),
            "wrong": list(wrong[:MOST_INDICES]), "position": self.at or group.service.log.position,
        }  # fmt: skip
        if lost:
            self.result["not_learned"] = lost
        if outcomes:
            told = {
                "kind": self.kind, "id": self.ids[-1] if self.ids is not None else None,
                "x": kept(self.examples[-1]), "y": self.labels[-1], "position": self.at,
                "wrong": bool(wrong) and wrong[-1] == len(outcomes) - 1,
            }  # fmt: skip
            group.service.last.append(told)

    def find_wrong(self, outcomes: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Which answers were wrong: those given before, else those of the learner on the way."""
        is_wrong = outcomes == WRONG
        if self.given is not None:
            pairs = zip(self.given, self.labels, strict=True)
            is_wrong = np.array([answer[0] != label for answer, label in pairs], bool)
        self.wrong = np.flatnonzero(is_wrong).tolist()
        return is_wrong


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
        self._sent, self._name = (examples, labels, ids), name

    def prepare(self, group: Group) -> None:
        self.examples, self.labels, self.ids = self._sent
        self.repeated = self.at = 0
        content = ""
        if self._name is not None:
            content = request_digest(*self._sent)
            known = group.named.get(self._name) or group.service.log.request(self._name)
            if known is not None:
                if known.content != content:
                    raise Refused(
                        409,
                        f"Idempotency-Key {self._name!r}: came before with other examples; give another",
                    )
                self.repeated, self.at = known.value, known.position + known.value - 1
                self.examples, self.labels, self.ids = (), (), None
        if self.ids is not None and any(self.ids):
            self._leave_out_known(group, self.ids)
        if self._name is not None and len(self.labels):
            group.named[self._name] = Known(group.position + 1, len(self.labels), content)
        self.take_positions(group)

    def _leave_out_known(self, group: Group, ids: Sequence[str | None]) -> None:
        kept, seen = [], dict[str, str]()
        for place, name in enumerate(ids):
            if name is not None:
                content = content_digest(self.examples[place], self.labels[place])
                known = group.fresh.get(name) or group.service.log.position_of(name)
                before = known.content if known is not None else seen.get(name)
                if before is not None and before != content:
                    where = f"at position {known.position}" if known else "earlier in this request"
                    raise Refused(
                        409, f"id {name!r}: came {where} with another example or label; give another id"
                    )
                if known is not None or name in seen:
                    self.repeated += 1
                    self.at = max(self.at, known.position if known else 0)
                    continue
                if group.service.log.challenge(name) is not None:
                    raise Refused(409, f"id {name!r}: waits for its label; send it to /reveal")
                seen[name] = content
            kept.append(place)
        self.contents = list(seen.values())
        if len(kept) < len(ids):
            self.examples = [self.examples[place] for place in kept]
            self.labels = [self.labels[place] for place in kept]
            self.ids = [ids[place] for place in kept]


class Reveal(Learns):
    """POST /reveal."""

    kind = "reveal"

    def __init__(self, ids: Sequence[str], labels: Sequence[Any]) -> None:
        super().__init__(len(ids))
        self._sent = ids, labels

    def prepare(self, group: Group) -> None:
        self.repeated = self.at = 0
        log, found, seen = group.service.log, [], dict[str, Any]()
        for name, label in zip(*self._sent, strict=True):
            known = group.fresh.get(name) or log.position_of(name)
            if known is None and name in seen:
                known = Known(0, seen[name], "")
            if known is not None:
                if known.value != label or type(known.value) is not type(label):
                    raise Refused(
                        409, f"id {name!r}: was revealed before as {known.value!r}, and now as {label!r}"
                    )
                self.repeated += 1
                self.at = max(self.at, known.position)
                continue
            challenge = log.challenge(name)
            if challenge is None:
                raise Refused(404, f"id {name!r}: no example with that id waits for its label")
            seen[name] = label
            found.append((challenge, label))
        self._challenges = [challenge for challenge, _ in found]
        self.ids = [challenge.id for challenge, _ in found]
        self.contents = [content_digest(challenge.x, label) for challenge, label in found]
        self.examples = [challenge.x for challenge, _ in found]
        self.labels = [label for _, label in found]
        self.given = [[challenge.answer] for challenge, _ in found]
        self.take_positions(group)

    def write(self, group: Group) -> None:
        group.service.log.drop_challenges(self._challenges)


def kept(x: Any) -> Any:
    """The beginning of an example, which keeps nothing else in memory.

    >>> kept({"says": "free " * 1000, "sizes": [1, 2]})["says"][:14], kept(np.arange(100.0)).base
    ('free free free', None)
    """
    if isinstance(x, dict):
        return {name[:SHOWN]: kept(value) for name, value in islice(x.items(), SHOWN)}
    if isinstance(x, np.ndarray):
        return x[:SHOWN].copy()
    return x[:SHOWN] if isinstance(x, (str, list)) else x


def plain_x(x: Any) -> Any:
    return x.tolist() if isinstance(x, np.ndarray) else x
