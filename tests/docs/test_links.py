"""Every relative link in the documentation resolves, without building the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
CODE_BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def prose(page: Path) -> str:
    return CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings, as MyST and GitHub name them."""
    headings = re.findall(r"^#{1,4} (.+)$", prose(page), re.MULTILINE)
    plain = [re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in plain}


def broken_links(page: Path) -> list[str]:
    broken = []
    for link in LINK.findall(CODE.sub("", prose(page))):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    return broken


def test_no_page_stands_for_a_chapter_that_there_is_not():
    pages = {page.stem for page in (ROOT / "docs" / "chapters").glob("*.md")}
    site = ROOT / "src" / "rosenblatt" / "course" / "lab" / "site" / "chapters"
    assert pages - {"index"} == {folder.name for folder in site.iterdir() if folder.is_dir()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading_that_exist(page):
    assert broken_links(page) == []


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One\n\n[a](#one) [b](#two) [c](missing.md) [d](https://example.org) `[e](f)`\n")
    assert broken_links(page) == ["#two", "missing.md"]


def test_every_page_is_in_a_table_of_contents():
    listed = set()
    for page in (ROOT / "docs").rglob("*.md"):
        for tree in re.findall(r"^```\{toctree\}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
            entries = [line.strip() for line in tree.splitlines() if line.strip() and line[0] != ":"]
            names = [re.sub(r".*<(.+)>", r"\1", entry) for entry in entries]
            listed |= {page.parent / f"{name}.md" for name in names}
    pages = set((ROOT / "docs").rglob("*.md")) - {ROOT / "docs" / "index.md"}
    assert pages == listed
