"""Names in objects of a JSON-lines file: one that comes twice is reported, and too many are refused."""

import json
from dataclasses import replace

import numpy as np
import pytest

from rosenblatt.data.sources import read
from rosenblatt.data.sources.json_lines import infer_json
from rosenblatt.errors import BadInput


@pytest.mark.parametrize("place", [0, 1, 200])
@pytest.mark.parametrize(
    "line",
    [
        '{"a": 1, "y": "ham", "y": "spam"}',
        '{"a": 1, "a": 2, "y": "ham"}',
        '{"a": 1, "y": null, "y": "spam"}',
        '{"a": 1, "\\u0061": 2, "y": "ham"}',
    ],
)
def test_a_name_that_comes_twice_is_reported_with_its_line(tmp_path, place, line):
    lines = [json.dumps({"a": k, "y": ("ham", "s:pam")[k % 2]}) for k in range(300)]
    lines[place] = line
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(BadInput, match=rf"line {place + 1}\b.*twice; give each name once"):
        for _ in read(path, target="y").chunks():
            pass


def test_a_block_of_almost_only_missing_values_is_refused():
    form = infer_json(json.dumps({**{f"k{i}": 1 for i in range(400)}, "y": 1}).encode())
    assert form.read(np.frombuffer(b'{"y": 0}\n' * 1_000, np.uint8), False).batch.num_rows == 1_000
    with pytest.raises(BadInput, match="80,000 objects with 401 different names are a table of 32,080,000"):
        form.read(np.frombuffer(b'{"y": 0}\n' * 80_000, np.uint8), False)


@pytest.mark.parametrize("extra", [b"", b',"b":{"c":1}'])
def test_a_number_beyond_the_range_of_doubles_is_infinite(extra):
    text = b'{"a":1%s,"y":1}\n{"a":-%s%s,"y":0}\n' % (extra, b"9" * 400, extra)
    form = infer_json(text, missing="mark")
    form = replace(
        form, columns=form.columns.with_statistics([form.read(np.frombuffer(text, "u1"), False).batch])
    )
    chunk = form.parse(np.frombuffer(text, "u1"), False)
    assert [(cell.line, cell.problem) for cell in chunk.infinite] == [(1, "column 'a' holds -inf")]
