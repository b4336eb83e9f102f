"""The templates of the report page, and the filters that they use."""

from __future__ import annotations

from functools import cache
from typing import Any

from rosenblatt.errors import needs_extra
from rosenblatt.proof.verdict import at_least, at_most, big
from rosenblatt.reports import charts, number_text
from rosenblatt.traces.viewer.viewer_page import UNPRINTABLE

FILTERS = ("about", "count", "duration", "percent", "real", "shorten", "signed", "size", "with_noun")


def render(template: str, **values: Any) -> str:
    """Return a template filled with values.

    Examples
    --------
    >>> render("weights.html", weights=None).strip()
    ''
    """
    return environment().get_template(template).render(**values)


@cache
def environment() -> Any:
    """Return the template environment, which escapes all values.

    Raises
    ------
    BadInput
        If jinja2 is not installed.
    """
    with needs_extra("report", "the report"):
        from jinja2 import Environment, PackageLoader, StrictUndefined
    found = Environment(
        loader=PackageLoader("rosenblatt.reports"),
        autoescape=True,
        finalize=lambda value: (
            value if hasattr(value, "__html__") else UNPRINTABLE.sub("\ufffd", str(value))
        ),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters |= {name: getattr(number_text, name) for name in FILTERS}
    found.filters |= {"at_least": at_least, "at_most": at_most, "big": big, "repr": repr}
    found.globals |= {
        "HEIGHT": charts.HEIGHT,
        "MOST_LABELS": charts.MOST_LABELS,
        "MOST_BARS": charts.MOST_BARS,
    }
    return found
