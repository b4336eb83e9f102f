"""The replay as a notebook widget, built with anywidget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from rosenblatt.errors import bad_value, needs_extra
from rosenblatt.traces.viewer.bundle import script, style
from rosenblatt.traces.viewer.heads import checked_head
from rosenblatt.traces.viewer.still_picture import still_picture
from rosenblatt.traces.viewer.viewer_page import packed_chunk

STORED_BYTES = 1_000_000
"""Bytes of packed chunks stored in a notebook; later steps are requested from the kernel."""


def replay_widget(head: Mapping[str, Any], chunks: Sequence[bytes]) -> Any:
    """Return a widget that replays a run; its trait `step` is the current step and can be set.

    head and chunks: a run, as returned by `traces.replay_data.replay`. The head and the first chunks
    are part of the widget's state, so a saved notebook replays without a running kernel.

    >>> from rosenblatt import trace
    >>> from rosenblatt.traces.replay_data import replay
    >>> shown = replay(trace([[2, 1], [0, 2]], [1, -1], epochs=1))
    >>> widget = replay_widget(shown.head, shown.chunks())
    >>> widget.step, widget.picture[:4]
    (0, '<svg')
    """
    packed = [packed_chunk(chunk) for chunk in chunks]
    stored = _n_stored_chunks(packed)
    widget = _widget_class()(head=checked_head(head, chunks), packed=packed[:stored])
    widget.picture = still_picture(widget.head, chunks)
    widget.on_msg(lambda _, message, buffers: _answer(widget, message, packed))
    return widget


def _n_stored_chunks(packed: Sequence[bytes]) -> int:
    """Return the number of leading chunks that fit into the size limit of a notebook."""
    total = 0
    for number, chunk in enumerate(packed):
        total += len(chunk)
        if total > STORED_BYTES:
            return number
    return len(packed)


def _answer(widget: Any, message: Any, packed: Sequence[bytes]) -> None:
    """Send the chunk that the page requests; ignore all other messages."""
    if not isinstance(message, dict) or message.get("kind") != "chunk":
        return
    number = message.get("number")
    if isinstance(number, int) and 0 <= number < len(packed):
        widget.send({"kind": "chunk", "number": number}, buffers=[packed[number]])


@cache
def _widget_class() -> Any:
    with needs_extra("notebook", "show()"):
        import anywidget
        import traitlets

    class ReplayWidget(anywidget.AnyWidget):
        """The replay of a run."""

        __qualname__ = "ReplayWidget"
        _esm = script()
        _css = style()
        head = traitlets.Dict().tag(sync=True)
        packed = traitlets.List(traitlets.Bytes()).tag(sync=True)
        step = traitlets.Int(0).tag(sync=True)
        picture = ""  # shown where widgets are not

        def _repr_mimebundle_(self, **kwargs: Any) -> Any:
            found = super()._repr_mimebundle_(**kwargs)
            bundle = found[0] if isinstance(found, tuple) else found
            bundle["image/svg+xml"] = self.picture
            return found

        def __repr__(self) -> str:
            return f"ReplayWidget(step {self.step:,} of {self.head['n_steps']:,})"

        @traitlets.validate("step")
        def _within_the_run(self, proposal: Any) -> int:
            last = int(self.head["n_steps"])
            if not 0 <= proposal["value"] <= last:
                raise bad_value("step", proposal["value"], f"a step of this run, 0 to {last}")
            return int(proposal["value"])

    return ReplayWidget
