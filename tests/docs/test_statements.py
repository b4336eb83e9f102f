"""Sentences of docs, help and lab that can be derived from the package or from a table beside them."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from benchmarks import tables
from benchmarks.cli import own_files
from benchmarks.results import Results
from rosenblatt import Perceptron, separate, trace
from rosenblatt.course.lectures import EXAMPLES
from rosenblatt.data.sources import remote, text_blocks
from rosenblatt.errors import BadInput
from rosenblatt.rules import RULES
from rosenblatt.training.streams import rows_in_memory, shuffling

ROOT = Path(__file__).parents[2]
FLOWERS = Path(rosenblatt.__file__).parent / "course/lab/site/chapters/data/flowers.csv"
NUMBERS = {5: "five", 10: "ten", 11: "eleven", 12: "twelve", 18: "eighteen", 19: "nineteen", 20: "twenty"}


def page(name: str) -> str:
    return " ".join((ROOT / name).read_text().split())


def learns_many_classes_together(rule: str) -> bool:
    X, y = np.random.default_rng(0).normal(size=(12, 2)), np.arange(12) % 3
    try:
        Perceptron(rule=rule, multiclass="ultraconservative", epochs=1).fit(X, y)
    except BadInput:
        return False
    return True


def test_the_table_of_many_classes_counts_and_names_the_rules_of_the_package():
    (row,) = re.findall(r"\| rules \| all (\w+), and your own \| (\w+): ([^|]*)\|", page("docs/classes.md"))
    together = [rule for rule in RULES if learns_many_classes_together(rule)]
    assert row[:2] == (NUMBERS[len(RULES)], NUMBERS[len(together)])
    assert re.findall(r"`(\w+)`", row[2]) == together
    assert f"[{NUMBERS[len(RULES)]} update rules]" in page("README.md")


def test_every_count_of_chapters_is_that_of_the_lab():
    site = ROOT / "src" / "rosenblatt" / "course" / "lab" / "site" / "chapters"
    following = sum(folder.is_dir() for folder in site.iterdir()) - 1  # one is for data of your own
    assert f"{following} chapters follow the lecture notes, and another one is" in page("docs/lab.md")
    assert f"{following} chapters in the browser, and a page for your own csv" in page("README.md")
    assert f"{following} chapters on the lecture notes, and a page for your own data" in page("docs/cli.md")


def rows_of_table(name: str, head: str) -> list[str]:
    """Return the first cell of each row of the table with this head."""
    body = (ROOT / name).read_text(encoding="utf-8").partition(head)[2].partition("\n\n")[0]
    return re.findall(r"^\| `?([\w-]+)`? \| .+ \|$", body, re.MULTILINE)


def test_the_page_on_installation_gives_a_reason_for_each_requirement_and_names_each_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = [re.split(r"[^\w-]", line)[0] for line in project["dependencies"]]
    assert sorted(rows_of_table("docs/install.md", "| package | needed for |")) == sorted(required)
    extras = rows_of_table("docs/install.md", "| extra | adds |")
    assert sorted(extras) == sorted(project["optional-dependencies"].keys() - {"bench", "docs"})


def test_the_readme_has_at_most_150_lines():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_help_recommends_forgetting_for_no_moving_target():
    assert "can be followed" not in page("docs/cli.md") + RULES["forgetting"].facts().help


def test_what_is_said_of_the_voted_perceptron_is_in_its_table():
    text = (ROOT / "docs/case_studies.md").read_text()
    text = text.partition("| voted, 1999 |")[2].partition("<!-- end")[0]
    rows = [
        [float(cell.strip().replace(",", "") or "nan") for cell in line.strip("| ").split("|")]
        for line in text.splitlines()
        if re.match(r"\| \d", line)
    ]
    assert len(rows) == 24
    for _, passes, last, averaged, voted, *_ in rows:
        assert abs(averaged - voted) <= 0.5
        assert passes > 3 or last > max(averaged, voted)
    worst = [row for row in rows if row[6] == max(row[2:5] + row[6:7])]
    text = page("docs/case_studies.md")
    assert f"in {len(worst)} of the {len(rows)} rows" in text
    mean, vote = ({row[0]: row[at] for row in rows if row[1] == 30 and row[0] > 1} for at in (3, 4))
    assert sorted(mean, key=mean.__getitem__)[:2] == [4, 3]
    assert max(mean, key=mean.__getitem__) == 6
    assert f"degrees 3 and 4 ({vote[3]:.2f} %), with degree 5 ({vote[5]:.2f} %)" in text
    assert vote[3] == vote[4] == min(vote.values())


def test_the_sizes_that_the_page_on_streams_states_are_those_of_the_package():
    text = page("docs/streams.md")
    assert f"Up to {rows_in_memory.MOST_BYTES >> 30} GB of parsed rows" in text
    assert f"a buffer of {shuffling.BUFFER_BYTES >> 20} MB" in text
    assert f"blocks of the file ({text_blocks.BLOCK >> 20} MB each)" in text
    assert f"in ranges of {remote.RANGE >> 20} MB" in text
    assert f"is tried up to {NUMBERS[remote.TRIES]} times" in text


@pytest.mark.parametrize("name", ["README.md", "docs/traces.md", "docs/proof.md"])
def test_the_commands_about_flowers_run_on_the_shipped_file(name, tmp_path):
    (tmp_path / "flowers.csv").write_bytes(FLOWERS.read_bytes())
    lines = [line.strip() for line in (ROOT / name).read_text().splitlines()]
    commands = [line for line in lines if re.match(r"rosenblatt.*\bflowers\.csv", line)]
    assert commands
    for command in commands:
        ours = command.replace("rosenblatt", f"{sys.executable} -m rosenblatt", 1)
        done = subprocess.run(ours, shell=True, cwd=tmp_path, capture_output=True, text=True)
        most = 1 if "--table" in command else 0  # versicolor and virginica cannot be separated
        assert done.returncode <= most, (command, done.stderr)


def test_the_products_of_bits_are_separable_but_not_through_the_origin_as_the_chapter_on_xor_finds():
    run = EXAMPLES["xor"].parts["(x·z)² on {0, 1}²"]
    assert separate(run.points, run.labels).separable
    assert not separate(run.points, run.labels, offset=False).separable
    steps = trace(run.points, run.labels, offset=False, tie="negative", until="separated", epochs=None)
    shifted = EXAMPLES["xor"].parts["(x·z + 1)² on {0, 1}²"].run()
    assert separate(shifted.points, shifted.labels, offset=False).separable
    chapter = page("src/rosenblatt/course/lab/site/chapters/xor/test.js")
    assert (
        f'assert.equal(scene.compute({{ ...bits, tie: "negative" }}).run.mistakes, {steps.mistakes});'
        in chapter
    )
    assert f"assert.equal(scene.compute({{ ...bits, c: 1 }}).run.mistakes, {shifted.mistakes});" in chapter


def test_the_files_on_which_another_program_is_said_to_be_better_are_those_of_the_results():
    results = Results.load()

    def worse_than(peer: str) -> set[str]:
        return {name for name in tables.sets_of(results) if tables.outcome(results, name, peer) == "worse"}

    text = (ROOT / "docs/performance.md").read_text()
    losses = text.split("Where rosenblatt loses:")[1].split("Area under")[0]
    said = " ".join(each for each in losses.split("\n* ") if "LightGBM" not in each)
    named = {name for name in tables.sets_of(results) if re.search(rf"\b{name}\b", said)}
    assert named == worse_than("scikit-learn") | worse_than("vowpal_wabbit")


def test_on_most_text_files_fit_is_as_accurate_as_the_pipeline_of_scikit_learn():
    said = "On most text files that we tested, `fit` with default options is as accurate as"
    assert said in page("README.md")
    results = Results.load()
    texts = {name for name, (files, _, _) in own_files.OWN.items() if files["kind"] == "text"}
    texts |= {"20newsgroups", "sms_spam", "spamassassin"}
    outcomes = [tables.outcome(results, name, "scikit-learn") for name in texts]
    assert len(outcomes) - outcomes.count("worse") > len(outcomes) / 2
