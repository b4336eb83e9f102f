"""The worked examples of the lecture notes, by key."""

from rosenblatt.course.lectures import EXAMPLES, Addition, Example, Line, Run

__all__ = [
    "EXAMPLES",
    "Addition",
    "Example",
    "Line",
    "Run",
]
