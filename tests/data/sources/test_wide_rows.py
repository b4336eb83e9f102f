"""Rows of many cells are read like rows of few cells."""

import random
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import settings

from rosenblatt import BadInput
from rosenblatt.data.sources import delimited_text
from rosenblatt.data.sources.delimited_inference import infer_delimited
from rosenblatt.data.sources.wide_rows import read_wide_rows

NUMBERS = [
    "1",
    "2.5",
    " 3",
    "4\t",
    "-0.0",
    "1e400",
    "inf",
    "0.1000000000000000055511151231257827",
    "+7",
    "1_0",
]
MISSING = ["", "NA", "n/a", "?", "null", "NaN", " "]
WORDS = ["red", " red ", "blue", "naïve", "a b", "1,5", "nab", "x\r", '"', '"quoted"', "\0", "\x85"]


def parse(text, is_wide, monkeypatch):
    """Return what is read, or the message of a refusal."""
    monkeypatch.setattr(delimited_text, "MANY", 1 if is_wide else 1 << 30)
    monkeypatch.setattr(delimited_text, "WIDE", 1)  # missing cells are blanked, as in wide tables
    block = np.frombuffer(text, np.uint8)
    try:
        form = infer_delimited(text, "rows.csv", missing="zero", bits=10)
        columns = form.columns.with_statistics([form.read(block, begins_file=True).batch])
        chunk = replace(form, columns=columns).parse(block, begins_file=True)
    except BadInput as error:
        return str(error)
    arrays = [np.asarray(each).tobytes() for each in chunk.rows]
    return form.columns.columns, arrays, np.asarray(chunk.y).tolist(), chunk.bad


@pytest.mark.hypothesis
def test_wide_and_narrow_tables_are_read_alike(monkeypatch, random_seed):
    draw, n_read = random.Random(random_seed or 0), 0
    for _ in range(20 * settings().max_examples):
        delimiter, end = draw.choice([",", ";", "\t"]), draw.choice(["\n", "\n", "\r\n"])
        kinds = [
            draw.choice([NUMBERS[:5], NUMBERS[:2], NUMBERS + MISSING, WORDS[:3], WORDS + MISSING])
            for _ in range(draw.randrange(1, 5))
        ]
        rows = [
            [draw.choice(kind) for kind in kinds] + [draw.choice("01")] for _ in range(draw.randrange(1, 9))
        ]
        if draw.random() < 0.1:
            del draw.choice(rows)[-1]
        names = [f"c{k}" for k in range(len(kinds) + 1)]
        lines = [delimiter.join(row) for row in [names, *rows]]
        if draw.random() < 0.1:
            lines.insert(draw.randrange(len(lines)), "")
        text = (end.join(lines) + end).encode(errors="replace")
        if draw.random() < 0.1:
            text = text.replace(b"red", b"\xff")
        wide, narrow = (parse(text, is_wide, monkeypatch) for is_wide in (True, False))
        assert wide == narrow, text
        n_read += isinstance(wide, tuple)
    assert n_read > 200


def test_lines_with_other_numbers_of_cells_are_not_read():
    kinds = {0: pa.float64()}
    assert read_wide_rows(b"1,2\r\n3,4\r\n", b",", 2, kinds)[0].to_pylist() == [1.0, 3.0]
    for text in (b"1,2\n3\n", b"1,2\n3,4,5\n", b"1,2\n\n3,4\n", b"1\n2,3,4\n", b"1,2\r3,4\n"):
        assert read_wide_rows(text, b",", 2, kinds) is None
