"""The lab inside the documentation: its static site, and a page with picture and text for each chapter."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from rosenblatt.course.lab.static_site import build_site

PICTURE = """```{{raw}} html
<p><a href="../lab/index.html?chapter={key}">
<img src="../lab/pictures/{key}.svg" alt="{title}: open the chapter" style="background: #fff"></a></p>
```"""


def chapter_page(key: str, title: str, text: str) -> str:
    """Return the page of a chapter as Markdown: title, picture with a link to the chapter, and text.

    >>> print(chapter_page("line", "The line", "A line has two sides."))
    # The line
    <BLANKLINE>
    ```{raw} html
    <p><a href="../lab/index.html?chapter=line">
    <img src="../lab/pictures/line.svg" alt="The line: open the chapter" style="background: #fff"></a></p>
    ```
    <BLANKLINE>
    The picture opens the chapter, with its questions and exercises.
    <BLANKLINE>
    A line has two sides.
    """
    lead = "The picture opens the chapter, with its questions and exercises."
    return "\n\n".join([f"# {title}", PICTURE.format(key=key, title=title), lead, text.strip()])


def place_of(key: str) -> Any:
    """Return the path of the text of a chapter."""
    return files("rosenblatt.course.lab") / "site" / "chapters" / key / "text.md"


def write_chapter(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the source of a chapter's page, which contains only a title (a Sphinx hook)."""
    folder, _, key = docname.rpartition("/")
    if folder == "chapters" and key != "index":
        app.env.note_dependency(str(place_of(key)), docname=docname)  # rebuild the page if the text changes
        title = source[0].splitlines()[0].removeprefix("# ")
        source[0] = chapter_page(key, title, place_of(key).read_text(encoding="utf-8"))


def publish_lab(app: Sphinx, exception: Exception | None) -> None:
    """Write the lab into the folder ``lab`` of the finished documentation (a Sphinx hook)."""
    if exception is None and app.builder.format == "html":
        build_site(Path(app.outdir) / "lab")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the hooks with Sphinx."""
    app.connect("source-read", write_chapter)
    app.connect("build-finished", publish_lab)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
