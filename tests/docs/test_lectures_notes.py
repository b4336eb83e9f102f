"""docs/lectures.md, note by note: every part has a command or a few lines that show it; its links lead
somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "lectures.md"
NOTES = ("000", "001", "002", "003", "004")
LINES = 3
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]*)#?([^)]*)\)")
NAME = re.compile(r"`((?:geometry|plots|kernels|rules|keepers|teachers|foundations|lectures)\.[\w.]+)")

# what the notes define, compute, draw or ask, in their order; each is looked for among the titles
PARTS = {
    "000": """Halfspace / inequalities / starts / Teacher and learner / update / assumptions /
        convergence theorem / two claims / claims to the bound / threshold other than 0 / ‖x‖ = R
        / Polynomial threshold / feature map / price is n^d / margin" in that space / The kernel /
        kernel perceptron / higher dimension / Its score / Other kernels / figures""",
    "001": """review questions / problem / equation of a line / ① / ② / ③ / exercise / hyperplane in d
        dimensions / linear classifier / good and a bad / origin / (?) A set of points that can
        only / (?) A set that even / Kernels / (?) Draw θ + x / (?) Add / algorithm without offset
        / T be / (?) Why add / (?) Guess / With offset / (?) 1. / (?) 2. / (?) 3. / (?) 4. / 5. /
        averaged""",
    "002": """training error / sgn / separable / algorithm / margin γ / Projection and distance / R²/γ²
        / does not depend / figure""",
    "003": """overview / step function / goal / separability / algorithm / Two types / pushes w / other
        points / linearly separable dataset / w·x ≥ 0 / The run / three assumptions / ‖w‖² grows /
        w·w\\* grows / Cauchy / radius margin bound""",
    "004": """Logistics / Training / Classification with k / regression / curve fitting / error be 0 / M
        = N − 1 / Regularisation / random variable / Bayes / Boxes and balls / probability q /
        index of the box / Bernoulli / Uniform / Gaussian / Mean and variance / joint Gaussian /
        Covariance / positive definite / diagonal / Transposes / Inner products / Parameter
        estimation / on-line / separating hyperplane / One at a time / Two features /
        transformation / algorithm / tilted / two data points / improves / may become wrong /
        proof / projection could / squared norm / Both results / design features / two classes /
        order matters / Later examples / optimise the margin / XOR / least squares""",
}


def section(note):
    """What the page says of a note, between its heading and the next."""
    page = PAGE.read_text(encoding="utf-8")
    return re.split(r"^## ", page.partition(f"\n## Note `{note}`")[2], flags=re.MULTILINE)[0]


def parts(text):
    """Each part: its title in bold, and all that follows up to the next."""
    for found in re.split(r"^(?=\*\*)", text, flags=re.MULTILINE)[1:]:
        yield found[2:].partition("**")[0], found


def test_every_note_has_its_section_in_order():
    headings = re.findall(r"^## Note `(\d+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert tuple(headings) == NOTES


@pytest.mark.parametrize("note", NOTES)
def test_every_part_of_a_note_is_there_in_the_order_of_the_note(note):
    titles = [title for title, _ in parts(section(note))]
    expected = [part.strip() for part in " ".join(PARTS[note].split()).split(" / ")]
    assert len(titles) == len(expected)
    assert [(part, title) for part, title in zip(expected, titles, strict=True) if part not in title] == []


@pytest.mark.parametrize("note", NOTES)
def test_every_part_is_shown_by_a_command_or_a_few_lines_or_said_to_be_no_part_of_the_package(note):
    for title, text in parts(section(note)):
        kinds = [kind for kind, _ in BLOCK.findall(text)]
        assert {"python", "sh"} & set(kinds) or "no part of the package" in " ".join(text.split()), title


@pytest.mark.parametrize("note", NOTES)
def test_what_shows_a_part_is_at_most_three_lines(note):
    for title, text in parts(section(note)):
        for _, code in BLOCK.findall(text):
            typed = [line for line in code.splitlines() if line.startswith((">>> ", "... ", "rosenblatt "))]
            assert len(typed) <= LINES, title


def anchors(page):
    """The headings of a page as MyST names them."""
    prose = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#{1,3} (.+)$", prose, re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).lower()) for heading in headings]
    return {heading.strip().replace(" ", "-") for heading in plain}


def test_every_link_of_the_page_leads_to_a_page_and_a_heading_that_exist():
    text = BLOCK.sub("", PAGE.read_text(encoding="utf-8"))
    links = LINK.findall(text)
    assert len(links) > 100
    for page, anchor in links:
        target = ROOT / "docs" / page if page else PAGE
        assert target.is_file(), page
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{page}#{anchor}"


def test_every_name_in_the_text_exists():
    names = NAME.findall(BLOCK.sub("", PAGE.read_text(encoding="utf-8")))
    assert len(names) > 10
    for name in names:
        resolve_name(f"rosenblatt.{name}")


def slips():
    """The points of the list of slips, and the paragraph behind it."""
    listed = PAGE.read_text(encoding="utf-8").partition("## Slips in the notes")[2]
    return re.split(r"^- |^What sign", listed, flags=re.MULTILINE)[1:]


def defined_in(path):
    return set(re.findall(r"^def (test_\w+)", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE))


def test_every_slip_has_its_test_and_every_test_its_slip():
    named = [re.findall(r"`(?:(tests/[\w/]+\.py)::)?(test_\w+)`", slip) for slip in slips()]
    assert len(named) > 15
    assert all(named)
    here = "tests/course/lectures/test_slips.py"
    for path, name in (test for slip in named for test in slip):
        assert name in defined_in(path or here), name
    assert {name for slip in named for path, name in slip if not path} == defined_in(here)
