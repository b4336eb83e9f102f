"""A page for each chapter of the lab: its text, and the Python that gives the numbers it starts with."""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from typing import Any

from sphinx.application import Sphinx


def chapter_page(title: str, text: str, snippet: str) -> str:
    """The whole page as Markdown; a chapter without text or snippet has a page without them.

    >>> print(chapter_page("The line", "# The line\\n\\nA line has two sides.", "print(1)"))
    # The line
    <BLANKLINE>
    `rosenblatt lab` opens this chapter as a page to play with.
    <BLANKLINE>
    A line has two sides.
    <BLANKLINE>
    ## The same in Python
    <BLANKLINE>
    It gives the numbers that the chapter begins with.
    <BLANKLINE>
    ```python
    print(1)
    ```
    """
    lines = text.strip().splitlines()
    if lines and lines[0].startswith("# "):
        lines = lines[1:]
    parts = [f"# {title}", "`rosenblatt lab` opens this chapter as a page to play with."]
    parts += ["\n".join(lines).strip()] if lines else []
    if snippet:
        parts += ["## The same in Python", "It gives the numbers that the chapter begins with."]
        parts += [f"```python\n{snippet.strip()}\n```"]
    return "\n\n".join(parts)


def place_of(key: str) -> Any:
    """The file of the chapter's text, as the lab shows it."""
    return files("rosenblatt.course.lab") / "texts" / f"{key}.md"


def text_of(key: str) -> str:
    text = place_of(key)
    return str(text.read_text(encoding="utf-8")) if text.is_file() else ""


def snippet_of(key: str) -> str:
    """The chapter's Python for the state in which it opens."""
    try:
        chapter = import_module("rosenblatt.course.lab.chapters").CHAPTERS[key]
    except (ModuleNotFoundError, KeyError):
        return ""
    return str(chapter.answer().python)


def write_chapter(app: Sphinx, docname: str, source: list[str]) -> None:
    """Sphinx's hook: the file of a chapter's page has only its title."""
    folder, _, key = docname.rpartition("/")
    if folder == "chapters" and key != "index":
        app.env.note_dependency(str(place_of(key)), docname=docname)  # a changed text makes the page anew
        title = source[0].splitlines()[0].removeprefix("# ")
        source[0] = chapter_page(title, text_of(key), snippet_of(key))


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the hook."""
    app.connect("source-read", write_chapter)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
