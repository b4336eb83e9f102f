"""scikit-learn estimators over `training`."""

from rosenblatt.models.kernel_perceptron import KernelPerceptron
from rosenblatt.models.perceptron import Perceptron

__all__ = ["KernelPerceptron", "Perceptron"]
