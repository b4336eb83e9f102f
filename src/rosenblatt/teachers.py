"""Teachers: opponents that choose the examples for a learner and know the labels."""

from rosenblatt.training.online.example_teachers import Adversarial, FromData, Game, Teacher, play

__all__ = [
    "Adversarial",
    "FromData",
    "Game",
    "Teacher",
    "play",
]
