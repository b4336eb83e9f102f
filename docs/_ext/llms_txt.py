"""Write llms.txt beside the pages: title, address and first sentence of every page, for language models."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

SENTENCE = re.compile(r".+?[.:](?=\s|$)", re.DOTALL)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the writer with Sphinx."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the list after a build of HTML pages without an error."""
    if error is not None or app.builder.name != "html":
        return
    environment = app.builder.env
    lines = [f"# {app.config.project}", "", f"> {_first_sentence(environment.get_doctree('index'))}", ""]
    for page in sorted(environment.found_docs - {"index"}):
        title = environment.titles[page].astext()
        sentence = _first_sentence(environment.get_doctree(page))
        lines.append(f"- [{title}]({page}.html)" + (f": {sentence}" if sentence else ""))
    Path(app.outdir, "llms.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _first_sentence(page: nodes.document) -> str:
    for paragraph in page.findall(nodes.paragraph):
        if found := SENTENCE.match(paragraph.astext()):
            return " ".join(found[0].split()).removesuffix(":")
    return ""
