"""docs/notes: every part of a note is there in order, with an example that gives the result beside it."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from tests.docs.test_documented_commands import commands, type_them

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "notes"
NOTES = ("000", "001", "002", "003", "004")
HEADER = "| the note | example | result |"

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


def page(note):
    return (PAGES / f"{note}.md").read_text(encoding="utf-8")


def parts(note):
    """Of each part: its title in bold, the example beside it and the result; None where there is none."""
    for line in page(note).splitlines():
        if line.startswith("| **"):
            said, example, result = re.split(r"(?<!\\) \| ", line.removeprefix("| ").removesuffix(" |"))
            code = example[1:-1] if example.startswith("`") else None
            yield said[2:].partition("**")[0], said, code, result.strip("`")


def test_every_note_has_its_page_in_order():
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"<(\d+)>", index)) == NOTES
    assert {path.stem for path in PAGES.glob("*.md")} == {"index", *NOTES}
    assert all(HEADER in page(note) for note in NOTES)


@pytest.mark.parametrize("note", NOTES)
def test_every_part_of_a_note_is_there_in_the_order_of_the_note(note):
    titles = [title for title, *_ in parts(note)]
    expected = [part.strip() for part in " ".join(PARTS[note].split()).split(" / ")]
    assert len(titles) == len(expected)
    assert [(part, title) for part, title in zip(expected, titles, strict=True) if part not in title] == []


@pytest.mark.parametrize("note", NOTES)
def test_every_part_has_an_example_or_is_not_part_of_the_package(note):
    for title, said, code, _ in parts(note):
        assert code or "not part of the package" in said, title


@pytest.mark.parametrize("note", NOTES)
def test_every_example_gives_the_result_beside_it(note):
    names: dict[str, object] = {}
    for example in doctest.DocTestParser().get_examples(page(note).partition(HEADER)[0]):
        exec(example.source, names)
    checked = 0
    for title, _, code, result in parts(note):
        if code and not code.startswith("rosenblatt "):
            value = eval(code, names)
            assert (value if isinstance(value, str) else repr(value)) == result, title
            checked += 1
    assert checked >= 8


def test_every_command_prints_what_the_pages_show(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inline = [
        code for note in NOTES for _, _, code, _ in parts(note) if code and code.startswith("rosenblatt ")
    ]
    shown = [command for note in NOTES for command in commands(page(note))]
    assert len(inline) >= 5
    assert len([printed for _, _, printed in shown if printed]) >= 2
    type_them([(line, 0, None) for line in inline] + shown)
    assert {path.name for path in tmp_path.iterdir()} == {"addition.html", "cycle.html"}


def slips():
    """The points of the lists of slips."""
    for note in NOTES:
        listed = page(note).partition("## Errors in the note")[2]
        yield from re.split(r"^- ", listed, flags=re.MULTILINE)[1:]


def defined_in(path):
    return set(re.findall(r"^def (test_\w+)", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE))


def test_every_slip_has_its_test_and_every_test_its_slip():
    named = [re.findall(r"`(?:(tests/[\w/]+\.py)::)?(test_\w+)`", slip) for slip in slips()]
    assert len(named) > 25
    assert all(named)
    here = "tests/course/lectures/test_slips.py"
    for path, name in (test for slip in named for test in slip):
        assert name in defined_in(path or here), name
    assert {name for slip in named for path, name in slip if not path} == defined_in(here)
