"""The first lecture: curve fitting, probability distributions and Bayes' rule.

Names are imported when they are first used, because only `PolynomialCurve` needs scikit-learn.
"""

from rosenblatt.course.foundations import __all__ as __all__
from rosenblatt.course.foundations import __dir__ as __dir__
from rosenblatt.course.foundations import __getattr__ as __getattr__
