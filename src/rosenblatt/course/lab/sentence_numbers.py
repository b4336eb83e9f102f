"""Numbers in sentences: a true minus sign, few digits, powers of ten, short fractions."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LONGEST_FRACTION = 24


def number_text(value: float, digits: int = 4) -> str:
    """Return a number as text for a sentence.

    >>> number_text(-0.25), number_text(1e-5), number_text(123456.0), number_text(3e-7, 2)
    ('−0.25', '10⁻⁵', '1.235×10⁵', '3×10⁻⁷')
    """
    # an integer may exceed the largest double
    plain = Decimal(value) if isinstance(value, int) else value + 0.0
    mantissa, _, power = f"{plain:.{digits}g}".partition("e")
    if power:
        raised = str(int(power)).translate(SUPERSCRIPTS)
        mantissa = f"10{raised}" if mantissa == "1" else f"{mantissa}×10{raised}"
    return mantissa.replace("-", "−")


def fraction_text(share: Fraction) -> str:
    """Return a fraction as a/b, or as a decimal if that is too long to read.

    >>> fraction_text(Fraction(9, 13)), fraction_text(Fraction(2, 3) ** 30)
    ('9/13', '5.215×10⁻⁶')
    """
    return str(share) if len(str(share)) <= LONGEST_FRACTION else number_text(float(share))
