"""What the sources of the docs point at is there, without building the site."""

from __future__ import annotations

import re
from pathlib import Path

from rosenblatt.course.lab.chapters import CHAPTERS

ROOT = Path(__file__).parents[2]


def test_no_page_stands_for_a_chapter_that_there_is_not():
    pages = {page.stem for page in (ROOT / "docs" / "chapters").glob("*.md")}
    assert pages - {"index"} == set(CHAPTERS)


def test_links_of_the_readme_lead_to_pages_that_exist():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", readme)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
