"""The chapters of the lab in the order of the notes, and the page for the user's own data."""

from rosenblatt.course.lab.chapters.bound import BOUND
from rosenblatt.course.lab.chapters.chapter import Answer, Chapter
from rosenblatt.course.lab.chapters.data import DATA
from rosenblatt.course.lab.chapters.line import LINE
from rosenblatt.course.lab.chapters.multiclass import CLASSES
from rosenblatt.course.lab.chapters.polynomial_curve import CURVE
from rosenblatt.course.lab.chapters.probability import PROBABILITY
from rosenblatt.course.lab.chapters.row_orders import ORDERS
from rosenblatt.course.lab.chapters.sure import SURE
from rosenblatt.course.lab.chapters.teacher import TEACHER
from rosenblatt.course.lab.chapters.training_steps import STEPS
from rosenblatt.course.lab.chapters.xor import XOR

CHAPTERS: dict[str, Chapter] = {
    chapter.key: chapter
    for chapter in (
        LINE,
        STEPS,
        BOUND,
        ORDERS,
        SURE,
        XOR,
        CLASSES,
        TEACHER,
        CURVE,
        PROBABILITY,
        DATA,
    )
}

__all__ = ["CHAPTERS", "Answer", "Chapter"]
