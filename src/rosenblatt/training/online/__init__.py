"""Online learning, one example at a time: the learner, and the teachers that choose its examples."""

from rosenblatt.training.online.learner import Learner

__all__ = ["Learner"]
