"""Errors are sentences: what, where, what was got, and the remedy.

Every error of the package that a user can cause is a `ValueError` or a `TypeError`, so code written
against scikit-learn's conventions catches it; the subclasses only carry the facts as attributes. Numbers
in sentences, here and wherever something is said, have their nouns by `counted`.
"""

from __future__ import annotations

from collections.abc import Iterable


class BadInput(ValueError):
    """Input that cannot be learned from, with the place where it went wrong."""


class UnknownClass(BadInput):
    """A label that is none of the classes, and its row among those given."""

    def __init__(self, row: int, sentence: str) -> None:
        super().__init__(sentence)
        self.row = row


class CommitteeHasNoWeights(AttributeError):
    """A voted committee decides by many weight vectors, so there is no one vector to show."""


class ProofRejected(ValueError):
    """A proof that does not prove what it claims about these data, with the reason."""


def bad_value(parameter: str, got: object, expected: str) -> BadInput:
    """The one sentence for every bad parameter.

    >>> str(bad_value("epochs", 0, "a whole number of at least 1"))
    'epochs: expected a whole number of at least 1, got 0'
    """
    return BadInput(f"{parameter}: expected {expected}, got {got!r}")


def bad_choice(parameter: str, got: object, choices: Iterable[str]) -> BadInput:
    """A name that is not in the list, with the list.

    >>> str(bad_choice("tie", "up", ["mistake", "negative", "positive"]))
    "tie: got 'up', expected one of 'mistake', 'negative', 'positive'"
    """
    listed = ", ".join(repr(choice) for choice in choices)
    return BadInput(f"{parameter}: got {got!r}, expected one of {listed}")


def plural(number: float, noun: str) -> str:
    """A noun as it stands behind a number.

    >>> plural(1, "pass"), plural(2, "pass"), plural(0, "row")
    ('pass', 'passes', 'rows')
    """
    return noun if number == 1 else f"{noun}es" if noun.endswith("s") else f"{noun}s"


def counted(number: float, noun: str) -> str:
    """A number and its noun.

    >>> counted(1, "mistake"), counted(2000, "mistake"), counted(2.5, "pass")
    ('1 mistake', '2,000 mistakes', '2.5 passes')
    """
    return f"{number:{',g' if isinstance(number, float) else ','}} {plural(number, noun)}"
