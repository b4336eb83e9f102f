"""Error classes and messages: what is wrong, where, what was found, and the remedy.

Every error that a user of the package can cause is a `ValueError` or a `TypeError`, so code that follows
scikit-learn's conventions catches it; the subclasses only store details as attributes. `counted` joins
numbers and nouns in all messages of the package.
"""

from __future__ import annotations

from collections.abc import Iterable


class BadInput(ValueError):
    """Report input or a parameter that cannot be used, with its location and the remedy.

    Examples
    --------
    >>> import rosenblatt
    >>> rosenblatt.Perceptron(epochs=0).fit([[1.0], [-1.0]], [1, 0])
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: epochs: expected a whole number of at least 1, got 0
    """


class UnknownClass(BadInput):
    """Report a label that is not one of the classes.

    Parameters
    ----------
    row : int
        The index of the row with this label.
    sentence : str
        The message.

    Examples
    --------
    >>> UnknownClass(3, "y: row 3 has an unknown class").row
    3
    """

    def __init__(self, row: int, sentence: str) -> None:
        super().__init__(sentence)
        self.row = row


class CommitteeHasNoWeights(AttributeError):
    """Report that a voted committee has many weight vectors, so that there is no single one to return.

    Examples
    --------
    >>> import rosenblatt
    >>> voted = rosenblatt.Perceptron(keep="voted").fit([[1.0], [-1.0]], [1, 0])
    >>> voted.coef_  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rosenblatt.errors.CommitteeHasNoWeights: a voted committee decides by many weight vectors, ...
    """


class ProofRejected(ValueError):
    """Report a proof that does not establish its claims about the given data, with the reason.

    Examples
    --------
    >>> import rosenblatt
    >>> proof = rosenblatt.separate([[1.0], [-1.0]], [1, 0]).proof
    >>> rosenblatt.verify(proof, [[1.0], [-1.0]], [0, 1])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rosenblatt.errors.ProofRejected: ...
    """


def bad_value(parameter: str, got: object, expected: str) -> BadInput:
    """Return the error for a parameter whose value is out of range.

    Parameters
    ----------
    parameter : str
        The name of the parameter.
    got : object
        The value that was passed.
    expected : str
        The values that are allowed, in words.

    Returns
    -------
    BadInput
        The error, to be raised by the caller.

    Examples
    --------
    >>> str(bad_value("epochs", 0, "a whole number of at least 1"))
    'epochs: expected a whole number of at least 1, got 0'
    """
    return BadInput(f"{parameter}: expected {expected}, got {got!r}")


def bad_choice(parameter: str, got: object, choices: Iterable[str]) -> BadInput:
    """Return the error for a name that is not one of the choices.

    Parameters
    ----------
    parameter : str
        The name of the parameter.
    got : object
        The value that was passed.
    choices : iterable of str
        The names that are allowed.

    Returns
    -------
    BadInput
        The error, to be raised by the caller.

    Examples
    --------
    >>> str(bad_choice("tie", "up", ["mistake", "negative", "positive"]))
    "tie: got 'up', expected one of 'mistake', 'negative', 'positive'"
    """
    listed = ", ".join(repr(choice) for choice in choices)
    return BadInput(f"{parameter}: got {got!r}, expected one of {listed}")


def plural(number: float, noun: str) -> str:
    """Return a noun in the form that follows a number.

    Parameters
    ----------
    number : float
        The number.
    noun : str
        The noun in the singular.

    Returns
    -------
    str
        The noun, in the plural unless the number is 1.

    Examples
    --------
    >>> plural(1, "pass"), plural(2, "pass"), plural(0, "row")
    ('pass', 'passes', 'rows')
    """
    return noun if number == 1 else f"{noun}es" if noun.endswith("s") else f"{noun}s"


def counted(number: float, noun: str) -> str:
    """Return a number together with its noun in the right form.

    Parameters
    ----------
    number : float
        The number.
    noun : str
        The noun in the singular.

    Returns
    -------
    str
        The number with thousands separators, and the noun.

    Examples
    --------
    >>> counted(1, "mistake"), counted(2000, "mistake"), counted(2.5, "pass")
    ('1 mistake', '2,000 mistakes', '2.5 passes')
    """
    return f"{number:{',g' if isinstance(number, float) else ','}} {plural(number, noun)}"
