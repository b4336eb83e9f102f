"""Error classes and messages: what is wrong, where, what was found, and the remedy.

Every error that a user of the package can cause is a `ValueError` or a `TypeError`, so code that follows
scikit-learn's conventions catches it; the subclasses only store details as attributes. `counted` joins
numbers and nouns in all messages of the package.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any


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


@contextmanager
def needs_extra(extra: str, what: str) -> Iterator[None]:
    """Raise an error that states how to install the packages if an import in the block fails.

    Parameters
    ----------
    extra : str
        The optional dependencies of this package, such as "plots".
    what : str
        What needs them.

    Yields
    ------
    None
        While the block imports the packages.

    Raises
    ------
    BadInput
        If an import fails.

    Examples
    --------
    >>> with needs_extra("plots", "a picture"):  # doctest: +ELLIPSIS
    ...     import missing
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: a picture needs the extra 'plots' (No module named 'missing'); pip...
    """
    try:
        yield
    except ImportError as error:
        raise BadInput(
            f"{what} needs the extra {extra!r} ({error}); pip install 'rosenblatt[{extra}]'"
        ) from error


def is_integer(value: object) -> bool:
    """Return whether a value is an integer of Python or NumPy, and not a bool.

    Parameters
    ----------
    value : object
        Any value.

    Returns
    -------
    bool
        True for an integer.

    Examples
    --------
    >>> is_integer(3), is_integer(3.0), is_integer(True)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def whole_number(
    parameter: str, value: Any, least: int, most: int | None = None, what: str = "a whole number"
) -> int:
    """Return a parameter as an int after checking that it is a whole number in a range.

    Parameters
    ----------
    parameter : str
        The name of the parameter.
    value : object
        The value that was passed.
    least : int
        The smallest number that is allowed.
    most : int or None, default=None
        The largest number that is allowed; None for no limit.
    what : str, default="a whole number"
        What the error message calls the number.

    Returns
    -------
    int
        The number.

    Raises
    ------
    BadInput
        If the value is not an integer, or outside the range.

    Examples
    --------
    >>> whole_number("degree", 3, 1)
    3
    >>> whole_number("folds", 1, 2, 10)
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: folds: expected a whole number from 2 to 10, got 1
    """
    if is_integer(value) and least <= value and (most is None or value <= most):
        return int(value)
    limits = f"of at least {least}" if most is None else f"from {least} to {most:,}"
    raise bad_value(parameter, value, f"{what} {limits}")


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
