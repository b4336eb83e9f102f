"""The texts of the chapters: convert Markdown to HTML, and formulas to MathML."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from rosenblatt.errors import BadInput


def formula(latex: str, display: bool = False) -> str:
    """Return a formula as MathML.

    >>> formula("w + y x")[:24], "block" in formula("x^2", display=True)
    ('<math xmlns="http://www.', True)
    """
    _require_libraries()
    from latex2mathml.converter import convert

    return str(convert(latex.strip(), display="block" if display else "inline"))


@cache
def text_of(key: str) -> str:
    """Return the Markdown text of a chapter."""
    return (
        resources.files("rosenblatt.course.lab").joinpath("texts", f"{key}.md").read_text(encoding="utf-8")
    )


@cache
def html_of(key: str) -> str:
    """Return the text of a chapter as HTML."""
    return str(_renderer().render(text_of(key)))


@cache
def _renderer() -> Any:
    _require_libraries()
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    def render(latex: str, options: dict[str, Any]) -> str:
        return formula(latex, bool(options.get("display_mode")))

    markdown = MarkdownIt("commonmark").enable("table")
    return markdown.use(dollarmath_plugin, renderer=render, allow_digits=False)


def _require_libraries() -> None:
    """Import the lab's libraries, or raise an error that states how to install them."""
    try:
        import latex2mathml  # noqa: F401
        import markdown_it  # noqa: F401
        import mdit_py_plugins  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise BadInput("the lab needs additional libraries: pip install 'rosenblatt[lab]'") from error
