"""The site that `make docs` has built loads nothing from elsewhere, and has every public name."""

from __future__ import annotations

import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from pkgutil import resolve_name

import pytest

import rosenblatt
from rosenblatt.course.lab.static_site import site_files

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[2]
MODULES = (
    "rules",
    "averaging",
    "kernels",
    "budgets",
    "teachers",
    "geometry",
    "lectures",
    "errors",
    "examples",
    "foundations",
    "plots",
    "traces",
)
LOADING = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


@pytest.fixture(scope="module")
def site():
    """The folder of the pages."""
    folder = ROOT / "build" / "docs"
    if not (folder / "index.html").exists():
        pytest.skip("needs the site in build/docs: make docs")
    return folder


@pytest.fixture(scope="module")
def entries(site):
    """Every Python name that has an entry in the reference."""
    packed = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    lines = zlib.decompress(packed).decode().splitlines()
    return {line.split(" ")[0] for line in lines if " py:" in line}


class Loads(HTMLParser):
    """What a page loads by itself when it is opened."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if LOADING.get(tag) == name]


def test_every_public_name_of_the_package_has_an_entry(entries):
    assert [name for name in rosenblatt.__all__ if f"rosenblatt.{name}" not in entries] == []


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_of_a_module_has_an_entry(module, entries, load):
    reference = load(ROOT / "docs" / "_ext" / "api_modules.py")
    names = reference.public_names(resolve_name(f"rosenblatt.{module}"))
    assert names
    missing = [
        name for name in names if not {f"rosenblatt.{module}.{name}", f"rosenblatt.{name}"} & entries
    ]
    assert missing == []


def test_a_name_without_an_entry_would_be_noticed(entries):
    assert "rosenblatt.Perceptron" in entries
    assert {
        "rosenblatt.Perceptron.fit",
        "rosenblatt.KernelPerceptron.fit",
        "rosenblatt.Trace.to_jsonl",
    } <= entries
    assert "rosenblatt.Multilayer" not in entries


CHAPTERS = sorted(page.stem for page in (ROOT / "docs" / "chapters").glob("*.md") if page.stem != "index")


@pytest.mark.parametrize("key", CHAPTERS)
def test_every_chapter_of_the_lab_has_its_page_with_a_picture(key, site):
    page = (site / "chapters" / f"{key}.html").read_text(encoding="utf-8")
    title, *_ = (ROOT / "docs" / "chapters" / f"{key}.md").read_text(encoding="utf-8").splitlines()
    assert f"<h1>{title.removeprefix('# ')}" in page
    assert "<math" in page, "the text of the chapter, which has formulas"
    assert f'href="../lab/index.html?chapter={key}"' in page
    assert (site / "lab" / "pictures" / f"{key}.svg").is_file()
    assert f'href="{key}.html"' in (site / "chapters" / "index.html").read_text(encoding="utf-8")


def test_the_lab_is_published_with_every_file(site):
    files = {
        path.relative_to(site / "lab").as_posix() for path in (site / "lab").rglob("*") if path.is_file()
    }
    assert files >= set(site_files())


def test_no_page_loads_anything_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    remote = {(page.name, url) for page in pages for url in Loads(page).found if "//" in url}
    assert remote == set()
    styles = [style.read_text(encoding="utf-8") for style in site.rglob("*.css")]
    assert [url for style in styles for url in re.findall(r"url\(['\"]?(https?:[^)]*)", style)] == []


def test_formulas_are_mathml_and_need_no_script(site):
    page = (site / "index.html").read_text(encoding="utf-8")
    assert "<math" in page
    assert "MathJax" not in page
    assert not list(site.rglob("*mathjax*"))


def test_every_page_of_the_docs_can_be_reached_from_the_side_bar(site):
    first = (site / "index.html").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.stem == "index" or f'href="{page.stem}.html"' in first, page.stem


def test_llms_txt_lists_every_page_with_its_first_sentence(site):
    lines = (site / "llms.txt").read_text(encoding="utf-8").splitlines()
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")} - {
        *("index.html", "search.html", "genindex.html", "py-modindex.html")
    }
    listed = {line.partition("](")[2].partition(")")[0] for line in lines if line.startswith("- [")}
    assert pages - listed == {page for page in pages if page.startswith(("_static", "lab/"))}
    assert any(line.startswith("- [Separability proofs](proof.html): ") for line in lines)
