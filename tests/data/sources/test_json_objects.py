"""A name that comes twice in an object of a JSON-lines file is reported with its line."""

import json

import pytest

from rosenblatt.data.sources import read
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
