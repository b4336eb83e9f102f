"""The report page is well-formed, complete, safe to open, and deterministic."""

import dataclasses
import os
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

from rosenblatt.data.sources import read
from rosenblatt.proof.separation import separate
from rosenblatt.reports import number_text
from rosenblatt.reports.facts import Facts
from rosenblatt.reports.report_page import page, write_page
from rosenblatt.storage.checkpoints import record_of
from rosenblatt.training.settings import StreamSettings
from rosenblatt.training.streams.evaluations import evaluate
from rosenblatt.training.streams.stream_run import StreamRun

VOID = {"meta", "br", "hr", "img", "link", "input", "col"}


class Tags(HTMLParser):
    """Every tag must be closed in its turn; remembers tags with their attributes, and the words."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.seen, self.words = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag in ("th", "td", "p", "li", "dt", "dd"):
            self.words.append(" ")

    def handle_data(self, words):
        self.words.append(words)

    @property
    def text(self):
        return " ".join("".join(self.words).replace("\u00a0", " ").split())


def told_percent(part):
    return number_text.percent(part).replace("\u00a0", " ")


def two_classes(n=200, features=5, gap=0.0, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, features))
    score = X @ np.arange(1.0, features + 1)
    far = np.abs(score) > gap
    return X[far], np.where(score > 0, "spam", "ham")[far]


def many_classes(n_classes, n=600, seed=0):
    random = np.random.default_rng(seed)
    middles = 3 * random.normal(size=(n_classes, 8))
    numbers = np.concatenate([np.arange(n_classes), random.integers(0, n_classes, n - n_classes)])
    return middles[numbers] + random.normal(size=(n, 8)), np.array([f"kind {k}" for k in numbers])


def facts_of(X, y, test=None, feature_names=None, verdict=None, **chosen):
    source = read([(X, y)])
    run = StreamRun(source, StreamSettings(**chosen), held_out=None if test is None else read([test]))
    run.go()
    record = record_of(run)
    record.feature_names = feature_names
    return Facts(
        record=record,
        source="mails.csv",
        n_bytes=31_415_926,
        n_bad=17,
        seconds=12.5,
        progressive=run.progressive,
        test=None if test is None else evaluate(record.state, record.classes, read([test])),
        test_name=None if test is None else "later.csv",
        training=evaluate(record.state, record.classes, source),
        verdict=verdict,
        model="mails.safetensors",
        command="rosenblatt fit mails.csv --report 'a page.html'",
    )


@pytest.fixture(scope="module")
def usual():
    X, y = two_classes(gap=0.2)
    return facts_of(
        X, y, two_classes(seed=1), [f"word {j}" for j in range(5)], separate(X, y),
        epochs=4, keep="averaged", order="shuffled", seed=7, track_error=True,
    )  # fmt: skip


def kinds_of_runs():
    X, y = two_classes()
    easy, y_easy = two_classes(gap=1.0)
    ten, forty = many_classes(10), many_classes(40)
    return {
        "one pass": lambda: facts_of(X, y),
        "one row of each class": lambda: facts_of(X[:2], np.array(["ham", "spam"])),
        "fifty passes": lambda: facts_of(X, y, epochs=50, track_error=True),
        "a thousand passes": lambda: facts_of(X, y, epochs=1000, rule="passive_aggressive_1"),
        "a pass without a mistake": lambda: facts_of(easy, y_easy, epochs=99, until="separated"),
        "a verdict": lambda: facts_of(easy, y_easy, verdict=separate(easy, y_easy)),
        "a verdict of overlap": lambda: facts_of(X, y[::-1], verdict=separate(X, y[::-1])),
        "ten classes": lambda: facts_of(*ten, test=ten, epochs=2, keep="averaged"),
        "classes that share mistakes": lambda: facts_of(*ten, multiclass="ultraconservative"),
        "forty classes": lambda: facts_of(*forty, test=forty, epochs=2),
        "a committee": lambda: facts_of(X, y, keep="voted"),
        "a committee for each class": lambda: facts_of(*ten, keep="voted"),
        "the pocket": lambda: facts_of(X, y, keep="pocket", offset=False),
        "one feature": lambda: facts_of(X[:, :1], y),
        "weights that are all 0": lambda: facts_of(0 * X, y),
        "numbers as classes": lambda: facts_of(X, np.where(y == "ham", -1, 1)),
        "nothing measured": lambda: dataclasses.replace(
            facts_of(X, y), training=None, model=None, command="", n_bytes=0
        ),
    }


KINDS = kinds_of_runs()


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_of_any_run_is_well_formed_small_and_loads_nothing(kind):
    facts = KINDS[kind]()
    text = page(facts)
    tags = Tags(text)
    assert len(text.encode()) < 100_000
    assert not re.search(r"https?:|//|url\(|@import|<script|javascript:", text)
    assert not [tag for tag, attributes in tags.seen if {"src", "href", "srcset"} & set(attributes)]
    assert not [name for _, attributes in tags.seen for name in attributes if name.startswith("on")]
    for drawn in re.findall(r"(?<=\n)<svg.*?</svg>\n(?=</figure>)", text, re.DOTALL):
        picture = ElementTree.fromstring(drawn)
        assert picture.get("role") == "img"
        assert picture.find("title").text
        assert picture.find("desc").text
        assert "nan" not in drawn
    for drawn in re.findall(r'<svg class="weight".*?</svg>', text):
        assert ElementTree.fromstring(drawn).get("aria-hidden") == "true"
    assert text.count("<figure>") == len(re.findall(r"</svg>\n</figure>", text))


# ---------------------------------------------------------------- what it says


def test_one_sentence_says_classes_rows_and_error(usual):
    wrong = usual.test.error
    rows = usual.record.history[0].examples_seen
    heading = re.search("<h1>(.*?)</h1>", page(usual)).group(1)
    assert Tags(heading).text == (
        f"Trained on {rows} rows, this perceptron distinguishes ham from spam and misclassifies "
        f"{told_percent(wrong)} of 200 held-out rows."
    )


def test_every_number_of_the_facts_is_on_the_page(usual):
    report = Tags(page(usual)).text
    record, verdict = usual.record, usual.verdict
    numbers = [
        record.mistakes,
        record.false_positives,
        record.false_negatives,
        record.updates,
        record.examples_seen,
        record.exact_decisions,
        record.n_features,
    ]
    numbers += [usual.n_bytes, usual.n_bad, record.seed, usual.progressive.errors, verdict.mistake_bound]
    numbers += [
        number
        for e in record.history
        for number in (
            e.epoch,
            e.mistakes,
            e.false_positives,
            e.false_negatives,
            e.updates,
            e.examples_seen,
        )
    ]
    numbers += [number for line in usual.progressive.lines for number in line]
    numbers += [number for kinds in usual.progressive.kinds for number in kinds]
    numbers += [*usual.test.confusion.ravel().tolist(), *usual.training.confusion.ravel().tolist()]
    parts = [f"{number:,}" for number in numbers]
    errors = [e.training_error for e in record.history] + [e.validation_error for e in record.history]
    parts += [told_percent(error) for error in errors]
    parts += [
        f"{each[what]:.4f}" for each in usual.test.per_class() for what in ("precision", "recall", "f1")
    ]
    parts += [
        number_text.real(usual.training.margin),
        number_text.real(usual.test.margin),
        f"{verdict.margin[0]:.6g}",
    ]
    kept = record.state.returned_weights().tolist()
    parts += [*number_text.align(kept[:-1]), number_text.real(kept[-1])]
    parts += ["12.50 s", "mails.csv", "later.csv", "mails.safetensors", usual.command, "word 4"]
    parts += str(verdict).splitlines()
    missing = [part for part in parts if part not in report]
    assert not missing


def test_a_pass_without_a_mistake_shows_that_the_rows_can_be_separated():
    assert "so its weights separate them" in page(KINDS["a pass without a mistake"]())
    assert "Not decided" in page(KINDS["one pass"]())


def test_a_row_on_the_hyperplane_is_not_called_separated():
    X, y = np.array([[0.0], [-1.0]]), np.array(["spam", "ham"])
    facts = facts_of(X, y, tie="positive", epochs=9, until="separated", offset=False)
    assert facts.record.converged
    assert "so its weights separate them" not in page(facts)


# ---------------------------------------------------------------- hostile names


HOSTILE = (
    "</title><script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "</style></bdi></table><!-- ",
    "\x00\x1b[31m\ud800\ufffe\u202eevil",
    "&lt;b&gt; ]]> {color:red}",
    " ",
    "x" * 100_000,
    "two\nlines\tand a tab",
)


@pytest.mark.parametrize("evil", HOSTILE)
def test_hostile_names_stay_names(evil, tmp_path):
    X, y = two_classes()
    facts = facts_of(X, y, two_classes(seed=1), [evil + str(j) for j in range(5)], epochs=2)
    facts.record.classes = np.array([evil, evil + "2"], object)
    facts.test.classes = facts.training.classes = facts.record.classes
    facts.record.reading = {evil: evil, "format": "iterable"}
    facts = dataclasses.replace(
        facts, source=evil, test_name=evil, model=evil.replace("\x00", ""), command=evil[:500]
    )
    plain_facts = facts_of(X, y, two_classes(seed=1), list("abcde"), epochs=2)
    text = page(facts)
    expected, found = Tags(page(plain_facts)), Tags(text)
    assert {tag for tag, _ in found.seen} <= {tag for tag, _ in expected.seen} | {"bdi", "span"}
    assert not any(
        name.startswith("on") or name == "src" for _, attributes in found.seen for name in attributes
    )
    assert len(text) < 100_000
    write_page(facts, str(tmp_path / "page.html"))
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text


# ---------------------------------------------------------------- writing


def test_a_page_that_cannot_be_written_leaves_what_was_there(usual, tmp_path, monkeypatch):
    target = tmp_path / "page.html"
    target.write_text("before")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device.*page\.html"):
        write_page(usual, str(target))
    assert target.read_text() == "before"
    assert os.listdir(tmp_path) == ["page.html"]
