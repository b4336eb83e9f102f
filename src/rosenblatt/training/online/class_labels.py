"""The labels that users pass to `Learner`, and the classes that they determine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.labels import one_label
from rosenblatt.errors import BadInput

LABELS = {sign: np.array([sign], np.int8) for sign in (-1, 1)}


def _signs(pair: Iterable[Any]) -> dict[Any, NDArray[np.int8]]:
    return dict(zip(pair, LABELS.values(), strict=True))


class TwoClasses:
    """Map two labels to −1 and +1.

    `pair` holds the two labels, or None until a label determines them; `signs` maps each label to its sign.
    """

    def __init__(self, pair: list[Any] | None) -> None:
        self.pair = pair
        self.signs = {} if pair is None else _signs(pair)

    @property
    def custom_pair(self) -> list[Any] | None:
        """Return the pair of labels, or None if the labels are −1 and +1."""
        return None if self.pair == list(LABELS) else self.pair

    def sign(self, y: Any) -> NDArray[np.int8]:
        """Return the sign of a label, as an array of length 1."""
        try:
            return self.signs[y]
        except (KeyError, TypeError):
            return self.sign_of_new(y)

    def sign_of_new(self, y: Any) -> NDArray[np.int8]:
        """Return the sign of a label that is not in `signs` yet; it may determine the pair."""
        if self.pair is not None:
            negative, positive = self.pair
            raise BadInput(
                f"y: got {y!r}, where this Learner has the labels {negative!r} and {positive!r}; "
                "for two others, use Learner(classes=[negative, positive]) or serve --classes "
                "NEGATIVE,POSITIVE; for any number of classes, multiclass='one_vs_rest' or serve "
                "--multiclass one_vs_rest"
            )
        if (pair := pair_of(y)) is not None:
            self.pair, self.signs = list(pair), _signs(pair)
        return LABELS[1 if y == 1 else -1]


def as_classes(classes: Any, multiclass: str | None) -> list[Any] | None:
    """Return the classes announced to a learner as a list; for two classes, (negative, positive)."""
    if classes is None:
        return None
    if isinstance(classes, str) or not isinstance(classes, Iterable):
        raise BadInput(f"classes: got {classes!r}, expected a list of classes")
    named = list(classes)
    if multiclass is None:
        named = [one_label(label) for label in named]
        if len(named) != 2 or named[0] == named[1]:
            raise BadInput(
                f"classes: got {named!r}, expected two, the negative and the positive one; for more, use "
                "multiclass='one_vs_rest' or 'ultraconservative'"
            )
    return named


def pair_of(y: Any) -> tuple[Any, Any] | None:
    """Return (negative label, positive label) for a label; None for 1, which occurs in two pairs.

    Examples
    --------
    >>> pair_of(True), pair_of(0), pair_of(-1.0), pair_of(1)
    ((False, True), (0, 1), (-1, 1), None)
    """
    if isinstance(y, (bool, np.bool_)):
        return False, True
    if not isinstance(y, (int, float, np.number)) or y not in (-1, 0, 1):
        raise BadInput(
            f"y: got {y!r}, expected -1 or +1, 0 or 1, True or False; for two other labels, use "
            "Learner(classes=[negative, positive]) or serve --classes NEGATIVE,POSITIVE; for any "
            "number of classes, multiclass='one_vs_rest' or serve --multiclass one_vs_rest"
        )
    return None if y == 1 else (int(y), 1)
