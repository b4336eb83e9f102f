"""The small pictures of the first page: what they show is what the chapters compute."""

from __future__ import annotations

import json

import numpy as np
import pytest
from starlette.testclient import TestClient

from rosenblatt.course.lab.chapters import CHAPTERS
from rosenblatt.course.lab.glimpses import glimpses
from rosenblatt.course.lab.server import make_app

DRAWN = {"regions", "halves", "band", "thin", "lines", "curve", "arrow", "points", "classes"}
RINGS = {"now", "wrong", "support"}


def test_every_chapter_has_a_glimpse_and_the_server_hands_them_out():
    with TestClient(make_app(8765), base_url="http://127.0.0.1:8765") as client:
        shown = client.get("/glimpses").json()
    assert list(shown) == list(CHAPTERS)
    assert shown == json.loads(json.dumps(glimpses(), allow_nan=False))


@pytest.mark.parametrize("key", CHAPTERS)
def test_a_glimpse_moves_and_names_only_what_the_page_draws(key):
    glimpse = glimpses()[key]
    frames = [{**glimpse["stays"], **frame} for frame in glimpse["frames"]]
    assert len({json.dumps(frame) for frame in frames}) >= 4
    for frame in frames:
        assert set(frame) <= DRAWN | RINGS
        assert len(frame["points"]) == len(frame["classes"]) > 0


def test_the_run_of_the_glimpse_is_the_run_of_the_chapter():
    found, glimpse = CHAPTERS["steps"].answer().numbers, glimpses()["steps"]
    assert len(glimpse["frames"]) == found["looks"]
    assert sum(len(frame["wrong"]) for frame in glimpse["frames"]) == found["mistakes"]
    assert glimpse["frames"][-1]["lines"] == [[*found["w"], found["b"]]]


def test_the_band_of_the_glimpse_ends_at_the_margin_of_the_chapter():
    start, last = CHAPTERS["bound"].start, glimpses()["bound"]["frames"][-1]
    (*w, b), half = last["band"]
    away = (np.array(start["points"]) @ w + b) * start["labels"] / np.linalg.norm(w)
    assert away.min() == pytest.approx(half)
