"""The run: state, orders, passes, stopping, history. Estimators, learner and traces share it."""

from rosenblatt.learning.one_column import OneColumn, begin, learn
from rosenblatt.learning.run import Epoch, Plan, run
from rosenblatt.learning.scoring import decision_values, error_rate

__all__ = ["Epoch", "OneColumn", "Plan", "begin", "decision_values", "error_rate", "learn", "run"]
