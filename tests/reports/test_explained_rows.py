"""The report of `fit` shows what was learned, some held-out rows, and labels to check."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.explanations import label_suspects
from tests.cli.runner import succeed

EVIL = "<script>alert(1)</script> <b>fine</b>"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Go to a folder with texts, numbers and categories, of which every twentieth has a flipped label."""
    monkeypatch.chdir(tmp_path)
    r = np.random.default_rng(0)
    lines = []
    for i in range(400):
        good = r.random() < 0.5
        words = f"{'a fine film' if good else 'a poor film'} {EVIL if i % 3 == 0 and good else 'tonight'}"
        label = good if i % 20 else not good
        lines.append(f"{words},{1000 * (good + r.normal()):.1f},{r.choice(['Rome', 'Oslo'])},{'ny'[label]}")
    Path("rows.csv").write_text("says,income,city,kind\n" + "\n".join(lines) + "\n")
    return lines


def page(*options):
    """Return the page of a run, and its text by section."""
    text = () if "says" in options else ("--text", "says")
    base = ("fit", "rows.csv", "--target", "kind", "--effort", "none", *text)
    succeed(*base, "--report", "r.html", *options)
    text = Path("r.html").read_text()
    sections = re.findall(r"<h2>(.*?)</h2>(.*?)</section>", text, re.DOTALL)
    return text, dict(sections)


def plain(html):
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split()).replace(" :", ":")


def test_the_largest_weights_have_rows_and_units(here):
    weights = plain(page()[1]["Weights"])
    n_fine = sum("fine" in line for line in here)
    assert re.search(rf'"a fine" {n_fine} [+−]?\d', weights)
    assert "hash" not in weights
    weights = plain(page("--drop", "says")[1]["Weights"])
    assert re.search(r"income \+1,000 of income: \+0\.\d+ 400 \d", weights)
    assert re.search(r"city = \w+ against \w+: [+−]\d", weights)


def test_five_wrong_and_five_right_held_out_rows_are_shown_with_words_and_columns(here):
    shown = page("--hold-out", 0.5)[1]["Some held-out rows"]
    wrong, right = shown.split("<h3>Right</h3>")
    for part in (wrong, right):
        rows = re.findall(r'<li><p class="answer">Row ([\d,]+): predicted <strong><bdi>(.)</bdi>', part)
        assert len(rows) == 5
        for number, predicted in rows:
            label = here[int(number) - 1][-1]
            assert (label == predicted) is (part is right)
    assert {p for _, p in re.findall(r"Row (\d+): predicted <strong><bdi>(.)<", right)} == {"n", "y"}
    assert re.search(r'<span class="word-for" style="--part:0\.\d\d" title="\+[^"]*">fine</span>', shown)
    assert re.search(r"income = −?-?[\d,.]+", plain(shown))


def test_rows_of_a_test_file_are_shown_and_without_held_out_rows_there_are_none(here):
    Path("test.csv").write_text(Path("rows.csv").read_text())
    assert plain(page("--test", "test.csv")[1]["Some held-out rows"]).count(": predicted") == 10
    assert "Some held-out rows" not in page()[1]
    assert "Some held-out rows" not in page("--hold-out", 0.5, "--keep", "voted")[1]


def test_ten_labels_to_check_are_listed_with_their_cells(here):
    rows = re.findall(
        r'<tr><th scope="row">(\d+)</th><td><bdi>(.)</bdi></td><td><bdi>(.)</bdi></td>(.*?)</tr>',
        page()[1]["Labels to check"],
    )
    assert len(rows) == 10
    flipped = {i + 1 for i in range(0, 400, 20)}
    assert len({int(number) for number, *_ in rows} & flipped) >= 9
    for number, given, proposed, cells in rows:
        assert here[int(number) - 1].endswith(given)
        assert given != proposed
        assert ("fine" in cells) is ("fine" in here[int(number) - 1])


def test_labels_are_not_checked_at_a_large_cost_and_the_page_says_so(here, monkeypatch):
    monkeypatch.setattr(label_suspects, "MOST_BYTES_LEARNED", 10)
    assert "not checked, because 2 classes would take too long" in plain(page()[1]["Labels to check"])
    monkeypatch.setattr(label_suspects, "MOST_BYTES_TO_CHECK", 10)
    assert "not checked, because the rows take more than" in plain(page()[1]["Labels to check"])


def test_markup_in_words_is_escaped_and_nothing_is_loaded(here):
    text, sections = page("--hold-out", 0.5)
    assert "&lt;" in sections["Labels to check"] + sections["Some held-out rows"]
    assert "<script>alert" not in text
    assert "<b>" not in text
    assert not re.search(r"https?:|url\(|@import|<img|<link", text)
