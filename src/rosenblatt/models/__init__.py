"""scikit-learn estimators."""

from rosenblatt.models.kernel_perceptron import KernelPerceptron
from rosenblatt.models.perceptron import Perceptron
from rosenblatt.models.polynomial_threshold import PolynomialThreshold

__all__ = ["KernelPerceptron", "Perceptron", "PolynomialThreshold"]
