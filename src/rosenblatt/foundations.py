"""The first lecture: curves through points, distributions, Bayes' rule.

`PolynomialCurve`, which needs scikit-learn, is imported when it is first used.
"""

from typing import Any

from rosenblatt.course import foundations as _foundations
from rosenblatt.course.foundations import __all__ as __all__
from rosenblatt.course.foundations import __dir__ as __dir__


def __getattr__(name: str) -> Any:
    return getattr(_foundations, name)
