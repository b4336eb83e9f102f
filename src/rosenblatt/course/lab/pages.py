"""The pages of the lab as HTML: the home page, and one page for each chapter."""

from __future__ import annotations

import html
import json

from rosenblatt.course.lab.chapters import CHAPTERS, Chapter
from rosenblatt.course.lab.text import html_of
from rosenblatt.traces.viewer.bundle import MODULES


def home_page() -> str:
    """Return the home page, with the title and a one-line description of each chapter."""
    items = "\n".join(
        f'<li><a href="/{chapter.key}">{html.escape(chapter.title)}</a>\n'
        f"<p>{html.escape(chapter.about)}</p></li>"
        for chapter in CHAPTERS.values()
    )
    body = (
        '<main class="home rosenblatt" id="picture">\n<h1>The rosenblatt lab</h1>\n'
        "<p>The package computes every number on this machine, and each page shows the Python code for its "
        f"numbers.</p>\n<ol>\n{items}\n</ol>\n</main>"
    )
    return _page("rosenblatt lab", "", body, "")


def chapter_page(chapter: Chapter) -> str:
    """Return the page of a chapter: its text, picture, controls and Python text."""
    start, offers = (json.dumps(dict(of)).replace("<", "\\u003c") for of in (chapter.start, chapter.offers))
    title = html.escape(chapter.title)
    body = f"""<main class="chapter rosenblatt" data-chapter="{chapter.key}">
<h1>{title}</h1>
<p id="trouble" role="alert" hidden></p>
<div class="lab">
<section id="picture" aria-label="Picture"></section>
<section id="controls" aria-label="Settings"></section>
</div>
<section id="result" aria-label="Result" aria-live="polite"></section>
<div class="reading">
<section id="text" aria-label="Text">{html_of(chapter.key)}</section>
<section id="python" aria-label="The same in Python">
<h2>The same in Python</h2>
<pre tabindex="0" role="region" aria-label="Python code"><code></code></pre>
<p><button type="button" id="copy">Copy code</button>
<button type="button" id="share">Copy link</button>
<button type="button" id="again">Reset</button> <span id="copied" role="status"></span></p>
</section>
</div>
</main>
{_neighbours(chapter)}
<script type="application/json" id="start">{start}</script>
<script type="application/json" id="offers">{offers}</script>"""
    return _page(f"{chapter.title}: rosenblatt lab", chapter.key, body, _scripts(chapter))


def _scripts(chapter: Chapter) -> str:
    """Return tags that load the chapter's script and, in parallel, the modules that it imports."""
    modules = [f"viewer/{name}.js" for name in MODULES if name not in ("embedded", "widget")]
    needed = ["controls.js", f"chapters/{chapter.key}.js", *modules]
    preloaded = "\n".join(f'<link rel="modulepreload" href="/static/{path}">' for path in needed)
    return f'{preloaded}\n<script type="module" src="/static/lab.js"></script>'


def _neighbours(chapter: Chapter) -> str:
    keys = list(CHAPTERS)
    at = keys.index(chapter.key)
    before = CHAPTERS[keys[at - 1]] if at > 0 else None
    after = CHAPTERS[keys[at + 1]] if at + 1 < len(keys) else None
    links = [
        f'<a rel="{rel}" href="/{other.key}">{arrow.format(html.escape(other.title))}</a>'
        if other
        else "<span></span>"
        for other, rel, arrow in ((before, "prev", "← {}"), (after, "next", "{} →"))
    ]
    return f'<nav class="neighbours" aria-label="Previous and next chapter">{"".join(links)}</nav>'


def _page(title: str, key: str, body: str, scripts: str) -> str:
    links = "\n".join(
        f'<li><a href="/{chapter.key}"{" aria-current=page" if chapter.key == key else ""}>'
        f"{html.escape(chapter.title)}</a></li>"
        for chapter in CHAPTERS.values()
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/viewer/viewer.css">
<link rel="stylesheet" href="/static/lab.css">
{scripts}
</head>
<body>
<a class="skip" href="#picture">Skip to the picture</a>
<header class="top"><a href="/">rosenblatt lab</a>
<nav aria-label="Chapters"><details><summary>Chapters</summary><ol>
{links}
</ol></details></nav></header>
{body}
</body>
</html>
"""
