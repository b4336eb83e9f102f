"""Tables and marked numbers of README and docs are those of benchmarks/results.json."""

from __future__ import annotations

import re

import pytest

from benchmarks import tables
from benchmarks.results import RESULTS, ROOT, Measured, Results

MEASURE = re.compile(
    r"(?<![\w.-])\d[\d,.]*(?:\s?(?:µs|ms|[GM]B/s|M?/s|(?:×|times) (?:as fast|faster))| s| %)(?!\w)"
)
WITHOUT_KEYS = {
    "docs/case_studies.md": "scripts in examples/ write the tables",
    "docs/cli.md": "written from the help texts",
    "docs/cluster.md": "clusters of 16 cores are measured by hand",
    "docs/proof.md": "the tolerance of the margin",
    "docs/serve.md": "the check of a log is measured by hand",
    "docs/traces.md": "percentages of the examples beside them",
}
QUOTED = [
    name for page in tables.pages() if (name := page.relative_to(ROOT).as_posix()) not in WITHOUT_KEYS
]


@pytest.fixture
def results():
    found = Results()
    run = {"benchmark": "dense", "date": "2026-11-18", "commit": "abc", "machine": "two cores"}
    found.update(
        {
            "dense/wide/ours": Measured(0.0143, "s"),
            "dense/wide/peer": Measured(3437.0, "/s"),
            "dense/wide/ratio": Measured(
                6.94, "×", low=5.5, high=8.2, job="128 features", against="scikit-learn"
            ),
            "dense/error": Measured(13.247, "%", n=7532, standard_error=0.39),
        },
        run,
    )
    return found


@pytest.mark.parametrize("page", tables.pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_table_and_marked_number_equals_that_of_the_results(page):
    text = page.read_text(encoding="utf-8")
    assert tables.wrong_numbers(text, Results.load()) == []
    assert tables.with_tables(text, Results.load()) == text, "python -m benchmarks.tables writes the tables"
    text = tables.CODE.sub("", text)
    assert (
        text.count("<!-- results:")
        == text.count("<!-- end of results -->")
        == len(tables.TABLE.findall(text))
    )


def test_every_figure_names_a_run_with_date_commit_and_machine():
    found = Results.load()
    for key, figure in found.figures.items():
        assert re.fullmatch(r"[\w.+=/-]+", key), key
        assert set(found.runs[figure.run]) >= {"benchmark", "date", "commit", "machine"}, key


@pytest.mark.parametrize(
    "text",
    [
        "13.2 %<!-- =dense/error -->",
        "13 %<!-- =dense/error -->",
        "**14 ms**<!-- =dense/wide/ours -->",
        "0.014 s<!-- =dense/wide/ours -->",
        "3,437/s<!-- =dense/wide/peer --> and 3,400/s<!-- =dense/wide/peer -->",
        "6.9 times<!-- =dense/wide/ratio --> as fast, or 7<!-- =dense/wide/ratio -->",
        "5.5<!-- =dense/wide/ratio@low --> to 8<!-- =dense/wide/ratio@high --> times",
        "`99<!-- =dense/error -->` is code",
    ],
)
def test_a_number_rounded_to_the_digits_shown_is_right(results, text):
    assert tables.wrong_numbers(text, results) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("13.3 %<!-- =dense/error -->", "the text has 13.3 %, results.json 13.247 %"),
        ("14 s<!-- =dense/wide/ours -->", "results.json 0.0143 s"),
        ("3,000/s<!-- =dense/wide/peer -->", "results.json 3437 /s"),
        ("10 times<!-- =dense/wide/ratio -->", "results.json 6.94"),
        ("7<!-- =dense/narrow/ratio -->", "no such figure"),
        ("fast<!-- =dense/wide/ratio -->", "without a number directly before"),
    ],
)
def test_a_number_that_is_not_that_of_its_key_is_found(results, text, said):
    (problem,) = tables.wrong_numbers(text, results)
    assert said in problem


@pytest.mark.parametrize(
    ("text", "renewed"),
    [
        ("13.3 %<!-- =dense/error -->", "13.2 %<!-- =dense/error -->"),
        ("**20 ms**<!-- =dense/wide/ours -->", "**14 ms**<!-- =dense/wide/ours -->"),
        ("3,000/s<!-- =dense/wide/peer -->", "3,437/s<!-- =dense/wide/peer -->"),
        ("3,400/s<!-- =dense/wide/peer -->", "3,400/s<!-- =dense/wide/peer -->"),
        ("4 times<!-- =dense/wide/ratio@low -->", "6 times<!-- =dense/wide/ratio@low -->"),
        ("`99<!-- =dense/error -->` is code", "`99<!-- =dense/error -->` is code"),
    ],
)
def test_only_a_wrong_number_is_rewritten(results, text, renewed):
    assert tables.with_numbers(text, results) == renewed
    assert tables.wrong_numbers(renewed, results) == []


def test_a_table_between_markers_is_rewritten(results):
    page = "a\n\n<!-- results: dense -->\nold\n<!-- end of results -->\n\nb\n"
    new = tables.with_tables(page, results)
    assert "| 128 features | 14.3 ms | scikit-learn 3,437/s | 5.5–8.2 × |" in new
    assert tables.with_tables(new, results) == new
    assert new.startswith("a\n\n<!-- results: dense -->\n| job |")


@pytest.mark.parametrize("name", QUOTED)
def test_every_time_and_speed_of_a_page_has_its_key(name):
    path = ROOT / name
    text = tables.TABLE.sub("", tables.CODE.sub("", path.read_text(encoding="utf-8")))
    without = [
        match[0]
        for match in MEASURE.finditer(text)
        if not re.match(r"[^\d<|\n]{0,12}<!-- =", text[match.end() :])
    ]
    assert without == [], "a measured figure has <!-- =KEY --> behind it"


def test_results_are_written_as_the_benchmarks_write_them(tmp_path):
    path = tmp_path / "results.json"
    Results.load().save(path)
    assert path.read_text(encoding="utf-8") == RESULTS.read_text(encoding="utf-8")
