"""The settings that `fit` compares: candidates, and the stages in which they are compared."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from rosenblatt import rules
from rosenblatt.data.sources.arrow_cells import codes_in, field_in
from rosenblatt.data.sources.encoding import AUTO, RATIO, Encoding
from rosenblatt.data.sources.field_roles import ASKED, BY_FORMAT, CATEGORY, MOSTLY_DIFFERENT, NUMBER, TEXT
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.models.default_settings import default_rule

CHARACTERS = (2, 5)
MARGIN_OF_CHARACTERS = 2.0
"""Character n-grams take several times as long as words, and help less on all rows than on a sample."""

SMALL_C = 0.01
MANY_VALUES, MANY_VALUES_SHARE = 50, 0.2
"""A categorical column is doubtful if it has more values than this number and this share of its cells."""


@dataclass(frozen=True)
class Candidate:
    """Hold columns to drop, an encoding and a rule, and the options of the command that request them."""

    encoding: Encoding
    rule: Any
    options: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    margin: float = 1.0
    """The number of standard errors by which it must be better than a simpler candidate."""

    def __str__(self) -> str:
        return " ".join(f'"{word}"' if " " in word else word for word in self.options) or (
            "the default settings"
        )

    def with_encoding(self, *options: str, **encoding: Any) -> Candidate:
        """Return the candidate with changes of the encoding, which the options request."""
        return replace(self, encoding=replace(self.encoding, **encoding), options=(*self.options, *options))

    def with_rule(self, rule: Any) -> Candidate:
        """Return the candidate with another rule."""
        options = self.options
        if "--rule" in options:
            options = options[: options.index("--rule")]
        return replace(self, rule=rule, options=(*options, *words_of(rule)))

    def fields_of(self, fields: FieldFeatures) -> FieldFeatures:
        """Return the treatment of the columns by this candidate."""
        return replace(fields.without(self.left_out), encoding=self.encoding)


def words_of(rule: Any) -> tuple[str, ...]:
    """Return the options that request a rule.

    >>> words_of(rules.PassiveAggressive1(C=0.01))
    ('--rule', 'passive_aggressive_1', '--set', 'C=0.01')
    """
    usual = type(rule)()._asdict()
    given = {name: value for name, value in rule._asdict().items() if value != usual[name]}
    words = ["--rule", rules.name_of(rule)]
    return (*words, *(word for name, value in given.items() for word in ("--set", f"{name}={value:g}")))


@dataclass(frozen=True)
class Stages:
    """Make the candidates of each stage of the comparison, given the choice of the stage before.

    `fixed` holds the names of the options that are not compared, `doubtful` the columns that may be better
    dropped. `has_short_texts` states that character n-grams would not take too long.

    >>> import pyarrow as pa
    >>> from rosenblatt.data.sources.field_inference import infer_fields
    >>> fields = infer_fields(pa.table({"a": [1.5], "b": [2.5], "y": ["no"]}))
    >>> first = Candidate(fields.encoding, rules.PassiveAggressive1(C=0.1))
    >>> for candidate in Stages(fields).of_numbers(first):
    ...     print(candidate)
    the default settings
    --rule passive_aggressive_1 --set C=0.01
    --numbers piecewise
    --numbers piecewise --rule passive_aggressive_1 --set C=0.01
    --numbers piecewise --pairs auto
    --numbers piecewise --pairs auto --rule passive_aggressive_1 --set C=0.01
    """

    fields: FieldFeatures
    fixed: Collection[str] = ()
    is_thorough: bool = False
    doubtful: tuple[str, ...] = ()
    has_short_texts: bool = True
    has_two_classes: bool = True

    def __iter__(self) -> Any:
        """Iterate over the stages: functions of the best candidate that return candidates, simplest first.

        The best candidate is one of them, except if there are no others.
        """
        stages: tuple[Callable[[Candidate], list[Candidate]], ...] = (
            self.of_columns, self.of_texts, self.of_numbers, self.of_rules,
        )  # fmt: skip
        return iter(stages)

    def _count(self, candidate: Candidate, *roles: str) -> int:
        return len(self.fields.without(candidate.left_out).names(*roles))

    def of_columns(self, best: Candidate) -> list[Candidate]:
        """Return candidates without and with the doubtful columns."""
        if not self.doubtful or "leave_out" in self.fixed:
            return [best]
        words = ("--leave-out", ",".join(self.doubtful))
        dropped = replace(best, left_out=self.doubtful, options=(*words, *best.options))
        if "rule" not in self.fixed and not self._count(dropped, TEXT):
            dropped = replace(dropped, rule=default_rule(has_text=False))
        return [dropped, best]

    def of_texts(self, best: Candidate) -> list[Candidate]:
        """Return candidates with other values of words, and with character n-grams."""
        is_fixed = {"characters", "ngrams", "words"} & set(self.fixed)
        if is_fixed or not self._count(best, TEXT) or best.encoding.characters is not None:
            return [best]
        kinds: tuple[str, ...] = ("presence",)
        if self.is_thorough:
            kinds += ("log", RATIO) if self.has_two_classes else ("log",)
        candidates = [best, *(best.with_encoding("--words", words, words=words) for words in kinds)]
        if self.has_short_texts:
            words = ("--characters", f"{CHARACTERS[0]}-{CHARACTERS[1]}")
            given = candidates if self.is_thorough else [best]
            more = [each.with_encoding(*words, characters=CHARACTERS) for each in given]
            candidates += [replace(each, margin=MARGIN_OF_CHARACTERS) for each in more]
        return candidates

    def of_numbers(self, best: Candidate) -> list[Candidate]:
        """Return candidates with other features of numbers, with pairs of columns, and with a smaller C."""
        candidates = [best]
        if self._count(best, NUMBER) and "numbers" not in self.fixed:
            kinds = ("piecewise", "bins", "rank") if self.is_thorough else ("piecewise",)
            candidates += [best.with_encoding("--numbers", kind, numbers=kind) for kind in kinds]
        if (
            "pairs" not in self.fixed
            and not best.encoding.pairs
            and self._count(best, NUMBER, CATEGORY) > 1
        ):
            given = candidates if self.is_thorough else candidates[-1:]
            candidates += [each.with_encoding("--pairs", "auto", pairs=AUTO) for each in given]
        if "rule" in self.fixed or self._count(best, TEXT):
            return candidates
        small = rules.PassiveAggressive1(C=SMALL_C)
        return [each for one in candidates for each in (one, one.with_rule(small))]

    def of_rules(self, best: Candidate) -> list[Candidate]:
        """Return candidates with other rules."""
        if not self.is_thorough or "rule" in self.fixed:
            return [best]
        every: list[Any] = [rules.PassiveAggressive1(C=C) for C in (0.1, 1.0, SMALL_C, 0.001)]
        every += [rules.Arow(r=r) for r in (1.0, 10.0, 0.1)]
        others = [rule for rule in every if (type(rule), rule) != (type(best.rule), best.rule)]
        return [best, *map(best.with_rule, others)]


def doubtful_columns(table: Any, fields: FieldFeatures) -> tuple[str, ...]:
    """Return the columns whose values seldom repeat, such as surnames, if other features remain.

    >>> import pyarrow as pa
    >>> from rosenblatt.data.sources.field_inference import infer_fields
    >>> ticket = [f"PC {k}" for k in range(90)]
    >>> table = pa.table({"ticket": ticket, "sex": ["m", "f"] * 45, "y": [0, 1] * 45})
    >>> doubtful_columns(table, infer_fields(table))
    ('ticket',)
    """
    names, doubtful = table.schema.names, []
    for column, role in fields.columns:
        why = fields.reasons.get(column, "")
        if "," in column or column not in names or why in (ASKED, BY_FORMAT):
            continue
        if role == TEXT and why.endswith(MOSTLY_DIFFERENT):
            doubtful.append(column)
        elif role == CATEGORY:
            codes, _ = codes_in(field_in(table, names.index(column)))
            known = codes[codes >= 0]
            if len(set(known.tolist())) > max(MANY_VALUES, MANY_VALUES_SHARE * len(known)):
                doubtful.append(column)
    return tuple(doubtful) if fields.without(doubtful).names(NUMBER, CATEGORY, TEXT) else ()
