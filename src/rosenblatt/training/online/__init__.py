"""One example at a time: the learner, and the teachers it plays against."""

from rosenblatt.training.online.learner import Learner

__all__ = ["Learner"]
