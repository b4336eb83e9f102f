"""scikit-learn estimators over `training`."""

from rosenblatt.models.perceptron import Perceptron

__all__ = ["Perceptron"]
