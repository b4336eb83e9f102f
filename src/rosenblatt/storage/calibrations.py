"""Probability calibrations in a model file."""

from __future__ import annotations

import numpy as np

from rosenblatt.storage import fields
from rosenblatt.storage.fields import Found, Part, Schema, Section, decode, encode
from rosenblatt.training.calibration import METHODS, Calibration, Isotonic, Platt, method_of

PLATT: Schema = {"slope": fields.finite("n_columns"), "shift": fields.finite("n_columns")}
ISOTONIC: Schema = {
    "sizes": fields.counts("n_columns", least=1),
    "x": fields.finite(lambda found: int(found.sizes.sum())),
    "y": fields.finite(lambda found: len(found.x), least=0.0),
}


def _encode(calibration: Calibration) -> Part:
    if isinstance(calibration, Platt):
        part = encode(PLATT, calibration._asdict())
    else:
        x, y = np.concatenate(calibration.x), np.concatenate(calibration.y)
        part = encode(ISOTONIC, {"sizes": [len(each) for each in calibration.x], "x": x, "y": y})
    return Part({"method": method_of(calibration), **part})


def _decode(section: Section, found: Found) -> Calibration:
    """Read one curve for two classes, otherwise one curve per class.

    The number of classes must be known.
    """
    n_columns = 1 if found.n_classes == 2 else found.n_columns
    if section.text("method", METHODS) == "platt":
        sigmoid = decode(section, PLATT, n_columns=n_columns)
        return Platt(sigmoid.slope, sigmoid.shift)
    curves = decode(section, ISOTONIC, n_columns=n_columns)
    if curves.y.size and curves.y.max() > 1.0:
        raise section.wrong("y", "a probability is above 1")
    x, y = zip(*curves.shares(("x", "y"), curves.sizes), strict=True)
    if any((each[1:] <= each[:-1]).any() for each in x):
        raise section.wrong("x", "the points of a curve do not rise")
    return Isotonic(x, y)


CALIBRATION = fields.part(_encode, _decode)
