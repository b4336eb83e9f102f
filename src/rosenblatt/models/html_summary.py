"""Summary for notebooks: of a run its rule, counters and curve of mistakes, of features the columns."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from rosenblatt.training.run import Epoch

WIDTH, HEIGHT, MARGIN = 200, 48, 4
MOST_POINTS = 200


class ShowsSummary:
    """Mixin that shows a summary below the diagram of scikit-learn, if the estimator is fitted."""

    def _summary(self) -> str:
        """Return the summary of the last fit as HTML, or an empty text before the first."""
        raise NotImplementedError

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._summary()  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._summary()
        return bundle


class ShowsRun(ShowsSummary):
    """Mixin that shows the rule, the counters and the curve of mistakes of the last fit."""

    def _summary(self) -> str:
        state = getattr(self, "_state", None)
        if state is None:
            return ""
        return summary(
            state.rule,
            getattr(self, "mistakes_", None),
            self.updates_,  # type: ignore[attr-defined]
            getattr(self, "examples_seen_", None),
            getattr(self, "history_", ()),
        )


def summary(
    rule: Any, mistakes: int | None, updates: int, examples_seen: int | None, history: Sequence[Epoch]
) -> str:
    """Return a summary as HTML; its colours are those of the text around it, light or dark.

    >>> epochs = [Epoch(1, 5, 5, 9, 0.1), Epoch(2, 0, 0, 9, 0.1)]
    >>> print(summary("margin", 5, 5, 18, epochs))  # doctest: +ELLIPSIS
    <div class="rosenblatt-run"><div>Rule margin: 5 mistakes and 5 updates in 18 steps.</div>...
    """
    counted = [] if mistakes is None else [_count(mistakes, "mistake")]
    steps = "" if examples_seen is None else f" in {_count(examples_seen, 'step')}"
    text = f"Rule {rule}: {' and '.join([*counted, _count(updates, 'update')])}{steps}."
    return (
        f'<div class="rosenblatt-run"><div>{escape(text)}</div>{_curve(history) if history else ""}</div>'
    )


def columns_summary(lines: Sequence[str]) -> str:
    """Return lines about the columns of a table as HTML.

    >>> columns_summary(["1 column, 1 feature.", "numbers: <y>"])
    '<div class="rosenblatt-columns"><div>1 column, 1 feature.</div><div>numbers: &lt;y&gt;</div></div>'
    """
    return (
        f'<div class="rosenblatt-columns">{"".join(f"<div>{escape(line)}</div>" for line in lines)}</div>'
    )


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _curve(history: Sequence[Epoch]) -> str:
    """Return the mistakes of each pass as a curve; of many passes, the largest value of each group."""
    size = -(-len(history) // MOST_POINTS)
    values = [max(e.mistakes for e in history[k : k + size]) for k in range(0, len(history), size)]
    highest = max(1, *values)
    step = (WIDTH - 2 * MARGIN) / max(1, len(values) - 1)
    places = [
        (MARGIN + k * step, HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * value / highest)
        for k, value in enumerate(values)
    ]
    first, last = history[0], history[-1]
    words = f"{_count(first.mistakes, 'mistake')} in pass {first.epoch}"
    if last is not first:
        words += f", {last.mistakes:,} in pass {last.epoch}"
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    x, y = places[-1]
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{words}">'
        f"<title>{words}</title>"
        f'<path d="M0 {HEIGHT - 1}h{WIDTH}" stroke="currentColor" opacity="0.3"/>'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="currentColor"/></svg>'
        f"<div><small>{words}</small></div>"
    )
