"""A replay as one HTML file: it holds the run, allows its own script only, and takes no name for markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import BadInput
from rosenblatt.traces.viewer.viewer_page import json_in_html, replay_page, replay_section

POINTS, LABELS = [[2, 1], [0, 2], [-0.5, -2]], [1, -1, 1]
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!-- <script>",
    "a'b\"c&amp;",
    "\u202eevil",
    "x\x00y",
    "</title><b>",
    "]]>",
    "\u2028",
    "\\u003c/script>",
    "\ud800",
]


class Reader(HTMLParser):
    """The elements of a page, and what stands inside title, h1 and the scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.inside = ""
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.texts: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.inside = tag
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        tag = self.inside
        if tag == "script":
            attributes, before = self.scripts[-1]
            self.scripts[-1] = attributes, before + data
        self.texts[tag] = self.texts.get(tag, "") + data


@pytest.fixture(scope="module")
def example_run(load: Callable[[Path], Any]) -> Callable[..., Any]:
    return load(Path(__file__).with_name("naive_replay.py")).example_run


def test_the_policy_allows_the_script_of_the_page_and_no_other(example_run: Callable[..., Any]) -> None:
    text = replay_page(*example_run(POINTS, LABELS), "Three points")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    running = [inside for attributes, inside in Reader(text).scripts if attributes.get("type") == "module"]
    assert len(running) == 1
    digest = base64.b64encode(hashlib.sha256(running[0].encode("utf-8")).digest()).decode("ascii")
    assert policy[1].startswith("default-src 'none';")
    assert policy[1].endswith(f"script-src 'sha256-{digest}'")


def test_the_page_holds_the_run_byte_for_byte(example_run: Callable[..., Any]) -> None:
    head, chunks = example_run(POINTS, LABELS, passes=4, chunk=5)
    scripts = Reader(replay_page(head, chunks, "Three points")).scripts
    stored = [
        json.loads(inside) for attributes, inside in scripts if attributes.get("type") == "application/json"
    ]
    assert stored == [{**head, "title": ""}]
    packed = {
        attributes["data-chunk"]: inside for attributes, inside in scripts if "data-chunk" in attributes
    }
    assert list(packed) == ["0", "1", "2"]
    assert [zlib.decompress(base64.b64decode(inside)) for inside in packed.values()] == chunks


def test_the_page_requests_nothing_from_elsewhere(example_run: Callable[..., Any]) -> None:
    text = replay_page(*example_run(POINTS, LABELS))
    assert set(re.findall(r"(?:https?:)?//\w[^\s\"'<]*", re.sub(r"// .*", "", text))) <= {
        "http://www.w3.org/2000/svg"
    }
    assert re.findall(r'<(?:script|link|img)[^>]*\b(?:src|href)="(?!data:)', text) == []


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_name_stays_text(hostile: str, example_run: Callable[..., Any]) -> None:
    head, chunks = example_run(POINTS, LABELS, classes=[hostile, f"{hostile}!"])
    head["proof_note"] = head["ending"] = hostile
    read, plain = (
        Reader(replay_page(head, chunks, hostile)),
        Reader(replay_page(*example_run(POINTS, LABELS), "plain")),
    )
    assert read.tags == plain.tags
    assert json.loads(read.scripts[0][1])["classes"] == head["classes"]
    assert read.texts["h1"].startswith(re.sub("[\x00\ud800]", "\ufffd", hostile))
    replay_page(head, chunks, hostile).encode("utf-8")


@given(
    st.recursive(
        st.text() | st.integers() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_in_a_page_reads_back_and_opens_nothing(value: Any) -> None:
    text = json_in_html(value)
    assert json.loads(text) == value
    assert not set("<>&") & set(text)


def test_a_section_can_stand_in_a_larger_page(example_run: Callable[..., Any]) -> None:
    section, hashes = replay_section(*example_run(POINTS, LABELS))
    read = Reader(section)
    assert read.tags[:2] == ["style", "div"]
    assert not {"html", "body", "main", "h1"} & set(read.tags)
    digest = hashlib.sha256(read.scripts[-1][1].encode("utf-8")).digest()
    assert hashes == [f"sha256-{base64.b64encode(digest).decode('ascii')}"]


def test_a_point_that_cannot_be_drawn_is_refused(example_run: Callable[..., Any]) -> None:
    head, chunks = example_run(POINTS, LABELS)
    with pytest.raises(BadInput, match="head: points has a number that is not finite"):
        replay_page({**head, "points": [[float("nan"), 1.0]]}, chunks)


def test_a_missing_chunk_is_refused(example_run: Callable[..., Any]) -> None:
    head, chunks = example_run(POINTS, LABELS, chunk=4)
    with pytest.raises(BadInput, match="chunks: got 2 for 9 steps in chunks of 4, expected 3"):
        replay_page(head, chunks[:-1])
