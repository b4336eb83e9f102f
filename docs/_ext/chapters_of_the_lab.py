"""A page for each chapter of the lab: its text, and the Python code for its initial state."""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from typing import Any

from sphinx.application import Sphinx


def chapter_page(title: str, text: str, snippet: str) -> str:
    """Return the page as Markdown, without the text or the snippet if there is none.

    >>> print(chapter_page("The line", "# The line\\n\\nA line has two sides.", "print(1)"))
    # The line
    <BLANKLINE>
    `rosenblatt lab` opens this chapter as an interactive page.
    <BLANKLINE>
    A line has two sides.
    <BLANKLINE>
    ## The same in Python
    <BLANKLINE>
    This code computes the numbers of the initial state.
    <BLANKLINE>
    ```python
    print(1)
    ```
    """
    lines = text.strip().splitlines()
    if lines and lines[0].startswith("# "):
        lines = lines[1:]
    parts = [f"# {title}", "`rosenblatt lab` opens this chapter as an interactive page."]
    parts += ["\n".join(lines).strip()] if lines else []
    if snippet:
        parts += ["## The same in Python", "This code computes the numbers of the initial state."]
        parts += [f"```python\n{snippet.strip()}\n```"]
    return "\n\n".join(parts)


def place_of(key: str) -> Any:
    """Return the path of the text of a chapter."""
    return files("rosenblatt.course.lab") / "texts" / f"{key}.md"


def text_of(key: str) -> str:
    text = place_of(key)
    return str(text.read_text(encoding="utf-8")) if text.is_file() else ""


def snippet_of(key: str) -> str:
    """Return the Python code of the chapter for its initial state."""
    try:
        chapter = import_module("rosenblatt.course.lab.chapters").CHAPTERS[key]
    except (ModuleNotFoundError, KeyError):
        return ""
    return str(chapter.answer().python)


def write_chapter(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the source of a chapter's page, which contains only a title (a Sphinx hook)."""
    folder, _, key = docname.rpartition("/")
    if folder == "chapters" and key != "index":
        app.env.note_dependency(str(place_of(key)), docname=docname)  # rebuild the page if the text changes
        title = source[0].splitlines()[0].removeprefix("# ")
        source[0] = chapter_page(title, text_of(key), snippet_of(key))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the hook with Sphinx."""
    app.connect("source-read", write_chapter)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
