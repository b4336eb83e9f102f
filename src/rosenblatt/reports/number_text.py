"""Text and numbers for readers: short names, counts with their nouns, percentages, durations, sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rosenblatt.errors import plural

MOST_LETTERS = 80  # characters of a name; a hostile file may contain very long names
NO_BREAK = "\u00a0"
MINUS = "\u2212"
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def shorten(text: object, most: int = MOST_LETTERS) -> str:
    """Return the text, or only its beginning and end if it is long.

    Examples
    --------
    >>> shorten("a" * 30 + "z", 9)
    'aaaaa…aaz'
    """
    whole = str(text)
    if len(whole) <= most:
        return whole
    behind = most // 3
    return f"{whole[: most - behind - 1]}…{whole[len(whole) - behind :]}"


def count(number: int) -> str:
    """Return an integer as text with thousands separators.

    Examples
    --------
    >>> count(1234567)
    '1,234,567'
    """
    return f"{number:,}".replace("-", MINUS)


def about(number: float) -> str:
    """Return a number as text, rounded to three significant digits.

    Examples
    --------
    >>> about(1268663.2), about(12.6)
    ('1,270,000', '13')
    """
    whole = round(number)
    return count(round(whole, min(0, 3 - len(str(whole)))))


def with_noun(number: int, noun: str) -> str:
    r"""Return a number with its noun in the singular or plural.

    Examples
    --------
    >>> with_noun(1, "pass"), with_noun(2, "pass"), with_noun(1000, "row")
    ('1\xa0pass', '2\xa0passes', '1,000\xa0rows')
    """
    return f"{count(number)}{NO_BREAK}{plural(number, noun)}"


def percent(part: float) -> str:
    """Return a fraction as a percentage, with enough digits to distinguish it from 0 % and 100 %.

    Examples
    --------
    >>> [percent(part).replace(NO_BREAK, " ") for part in (0.0, 0.0579, 0.00012, 0.9999, 1.0)]
    ['0 %', '5.8 %', '0.012 %', '99.990 %', '100 %']
    """
    smaller = min(part, 1.0 - part)
    if smaller <= 0.0:
        return f"{100.0 * part:.4g}{NO_BREAK}%"
    digits = min(8, max(1, 1 - math.floor(math.log10(100.0 * smaller) + 1e-9)))
    return f"{100.0 * part:.{digits}f}{NO_BREAK}%"


def real(value: float, digits: int = 4) -> str:
    """Return a number with the given number of significant digits, in scientific notation if necessary.

    Examples
    --------
    >>> real(0.0013998), real(-12345.6), real(1.5), real(2.5e-7), real(float("inf"))
    ('0.0014', '−12,346', '1.5', '2.5×10⁻⁷', '∞')
    """
    if not math.isfinite(value):
        return "not a number" if math.isnan(value) else "∞" if value > 0.0 else f"{MINUS}∞"
    if value == 0.0:
        return "0"
    sign = MINUS if value < 0.0 else ""
    mantissa, exponent = f"{abs(value):.{digits - 1}e}".split("e")
    power = int(exponent)
    if -4 <= power < 6:
        places = max(0, digits - 1 - power)
        plain = f"{abs(value):,.{places}f}"
        return sign + (plain.rstrip("0").rstrip(".") if places else plain)
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{sign}{mantissa}×10{str(power).translate(SUPERSCRIPTS)}"


def signed(value: float) -> str:
    """Return a number with its sign.

    Examples
    --------
    >>> signed(0.31), signed(-2.0), signed(0.0)
    ('+0.31', '−2', '0')
    """
    return f"+{real(value, 3)}" if value > 0.0 else real(value, 3)


def align(values: Sequence[float], digits: int = 4) -> list[str]:
    """Return the numbers of a column as text, with the same number of decimal places.

    Examples
    --------
    >>> align([12.5, -0.25]), align([2e-9, 1e-9])
    (['12.50', '−0.25'], ['2×10⁻⁹', '1×10⁻⁹'])
    """
    largest = max((abs(value) for value in values), default=0.0)
    power = math.floor(math.log10(largest)) if 0.0 < largest < math.inf else 0
    places = max(0, digits - 1 - power)
    if not -4 <= power < 6 or any(0.0 < abs(value) < 0.5 * 10.0**-places for value in values):
        return [real(value, digits) for value in values]
    return [f"{value:,.{places}f}".replace("-", MINUS) for value in values]


def duration(seconds: float) -> str:
    """Return a duration in suitable units.

    Examples
    --------
    >>> [duration(s).replace(NO_BREAK, " ") for s in (0.00042, 0.25, 3.14159, 200, 7265)]
    ['0.42 ms', '250 ms', '3.14 s', '3 min 20 s', '2 h 1 min']
    """
    if seconds < 0.9995:
        return f"{real(1000.0 * seconds, 3)}{NO_BREAK}ms"
    if seconds < 60.0:
        return f"{seconds:.2f}{NO_BREAK}s"
    whole = round(seconds)
    large, small, units = (
        (whole // 60, whole % 60, "min s") if whole < 3600 else (whole // 3600, whole % 3600 // 60, "h min")
    )
    first, second = units.split()
    return f"{large}{NO_BREAK}{first} {small}{NO_BREAK}{second}"


def size(n_bytes: int) -> str:
    """Return a number of bytes in a suitable unit.

    Examples
    --------
    >>> size(812).replace(NO_BREAK, " "), size(1_234_567).replace(NO_BREAK, " ")
    ('812 bytes', '1.23 MB')
    """
    for unit, limit in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= limit:
            return f"{real(n_bytes / limit, 3)}{NO_BREAK}{unit}"
    return f"{n_bytes}{NO_BREAK}bytes"
