"""The worked examples of the lecture notes, by key."""

from rosenblatt.lectures.examples import EXAMPLES
from rosenblatt.lectures.shape import Addition, Example, Line, Run

__all__ = ["EXAMPLES", "Addition", "Example", "Line", "Run"]
