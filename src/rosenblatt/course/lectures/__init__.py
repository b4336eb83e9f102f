"""The worked examples of the lecture notes, by key."""

from rosenblatt.course.lectures.parts import Addition, Example, Line, Run
from rosenblatt.course.lectures.worked import EXAMPLES

__all__ = ["EXAMPLES", "Addition", "Example", "Line", "Run"]
