"""The chapters of the lab, in the order of the notes."""

from rosenblatt.lab.chapters.bound import BOUND
from rosenblatt.lab.chapters.classes import CLASSES
from rosenblatt.lab.chapters.curve import CURVE
from rosenblatt.lab.chapters.line import LINE
from rosenblatt.lab.chapters.orders import ORDERS
from rosenblatt.lab.chapters.probability import PROBABILITY
from rosenblatt.lab.chapters.shape import Answer, Chapter
from rosenblatt.lab.chapters.steps import STEPS
from rosenblatt.lab.chapters.teacher import TEACHER
from rosenblatt.lab.chapters.xor import XOR

CHAPTERS: dict[str, Chapter] = {
    chapter.key: chapter
    for chapter in (
        LINE,
        STEPS,
        BOUND,
        ORDERS,
        XOR,
        CLASSES,
        TEACHER,
        CURVE,
        PROBABILITY,
    )
}

__all__ = ["CHAPTERS", "Answer", "Chapter"]
