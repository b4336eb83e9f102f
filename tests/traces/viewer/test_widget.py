"""The replay as a notebook widget: what a notebook stores, and what the kernel answers."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from rosenblatt.errors import BadInput
from rosenblatt.traces.viewer import widget as module
from rosenblatt.traces.viewer.bundle import script, style
from rosenblatt.traces.viewer.widget import replay_widget

POINTS, LABELS = [[2, 1], [0, 2], [-0.5, -2]], [1, -1, 1]


@pytest.fixture(scope="module")
def example_run(load: Callable[[Path], Any]) -> Callable[..., Any]:
    return load(Path(__file__).with_name("naive_replay.py")).example_run


def answers(widget: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, Any]]:
    """What the widget sends from now on."""
    sent: list[tuple[Any, Any]] = []
    monkeypatch.setattr(
        type(widget), "send", lambda _, content, buffers=None: sent.append((content, buffers))
    )
    return sent


def ask(widget: Any, message: Any) -> None:
    """A message from the page, as it comes in from the comm."""
    widget._handle_msg({"content": {"data": {"method": "custom", "content": message}}, "buffers": []})


def test_a_saved_notebook_holds_the_run(example_run: Callable[..., Any]) -> None:
    head, chunks = example_run(POINTS, LABELS, chunk=4)
    state = replay_widget(head, chunks).get_state()
    assert state["head"] == head
    assert [zlib.decompress(bytes(packed)) for packed in state["packed"]] == chunks
    assert state["step"] == 0
    assert (state["_esm"], state["_css"]) == (script(), style())


def test_the_kernel_sends_the_chunk_that_the_page_asks_for(
    example_run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    head, chunks = example_run(POINTS, LABELS, chunk=4)
    widget = replay_widget(head, chunks)
    sent = answers(widget, monkeypatch)
    ask(widget, {"kind": "chunk", "number": 2})
    [(content, [packed])] = sent
    assert content == {"kind": "chunk", "number": 2}
    assert zlib.decompress(packed) == chunks[2]


@pytest.mark.parametrize(
    "message",
    [
        {"kind": "chunk", "number": 3},
        {"kind": "chunk", "number": -1},
        {"kind": "chunk", "number": "0"},
        {"kind": "other"},
        "chunk",
        None,
    ],
)
def test_other_messages_get_no_answer(
    message: Any, example_run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    widget = replay_widget(*example_run(POINTS, LABELS, chunk=4))
    sent = answers(widget, monkeypatch)
    ask(widget, message)
    assert sent == []


def test_a_notebook_without_widgets_shows_the_points_and_the_last_line(
    example_run: Callable[..., Any],
) -> None:
    bundle = replay_widget(*example_run(POINTS, LABELS, chunk=4, offset=False))._repr_mimebundle_()
    bundle = bundle[0] if isinstance(bundle, tuple) else bundle
    picture = ElementTree.fromstring(bundle["image/svg+xml"])
    marks = [picture.findall(f"{{*}}{name}[@fill]") for name in ("rect", "circle")]
    assert [len(found) for found in marks] == [2 + 2, 1]  # the background and the foot are rectangles too
    (line,) = picture.findall("{*}line")
    x1, y1, x2, y2 = (float(line.get(name)) for name in ("x1", "y1", "x2", "y2"))
    (circle,) = marks[1]
    sides = [
        (x2 - x1) * (float(y) - y1) - (y2 - y1) * (float(x) - x1)
        for x, y in [
            (circle.get("cx"), circle.get("cy")),
            *((float(square.get("x")) + 5, float(square.get("y")) + 5) for square in marks[0][1:3]),
        ]
    ]
    assert sides[0] * sides[1] < 0
    assert sides[0] * sides[2] < 0


@pytest.mark.parametrize("step", [10, 10**9, -1])
def test_a_step_that_the_run_has_not_is_refused(step: int, example_run: Callable[..., Any]) -> None:
    widget = replay_widget(*example_run(POINTS, LABELS))
    widget.step = 9
    with pytest.raises(BadInput, match=rf"step: expected a step of this run, 0 to 9, got {step}"):
        widget.step = step
    assert widget.step == 9


def test_without_anywidget_the_remedy_is_named(
    example_run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    module._widget_class.cache_clear()
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(BadInput, match=r"pip install 'rosenblatt\[notebook\]'"):
        replay_widget(*example_run(POINTS, LABELS))
