"""The run: state, orders, passes, stopping, history. Estimators, learner and traces share it."""

from rosenblatt.learning.run import Epoch, Plan, run
from rosenblatt.learning.scoring import decision_values, error_rate
from rosenblatt.learning.state import State, begin, learn

__all__ = ["Epoch", "Plan", "State", "begin", "decision_values", "error_rate", "learn", "run"]
