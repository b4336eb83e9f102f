"""The benchmarks: how they are chosen, what they record, and the recipes of the peers."""

from __future__ import annotations

import doctest
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from benchmarks import __main__ as benchmarks
from benchmarks import compare, data, peers_of_files, ratios, results, tables
from benchmarks.cli import own_files
from benchmarks.results import Measured, Results, record
from benchmarks.timing import Figure, Median
from benchmarks.training import drift

HERE = Path(benchmarks.__file__).parent
ON_A_DEVICE = {"training.gpu", "training.gpu_many"}


def test_every_benchmark_is_in_a_folder_named_like_a_package_and_in_the_list():
    files = [path for path in HERE.glob("*/*.py") if "\ndef main(" in path.read_text()]
    assert {f"{path.parent.name}.{path.stem}" for path in files} == {*benchmarks.PLACES, *ON_A_DEVICE}
    assert all((Path(rosenblatt.__file__).parent / path.parent.name).is_dir() for path in files)


@pytest.mark.parametrize("stream", [drift.abrupt, drift.gradual])
def test_small_steps_follow_a_target_that_moves_best(stream):
    """Small steps have the smallest error on the first rows of the streams of the drift benchmark."""
    X, y = (part[:6_000] for part in stream())
    small = drift.ours((X, y), drift.RULES["passive_aggressive_1, C = 0.01"])
    others = ("rosenblatt", "passive_aggressive_1, C = 1", "forgetting")
    assert all(small < drift.ours((X, y), drift.RULES[name]) - 0.03 for name in others)


@pytest.mark.parametrize("module", [data, own_files, peers_of_files, results, tables])
def test_the_examples_of_the_benchmarks_hold(module):
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


def test_names_and_packages_choose_and_others_are_refused():
    assert benchmarks.chosen([]) == list(benchmarks.PLACES)
    assert benchmarks.chosen(["proof", "dense"]) == [
        *("loops.dense", "proof.separate", "proof.halfspaces", "proof.regression"),
    ]
    with pytest.raises(SystemExit, match=r"speed: no such benchmark; there are cli\.installation"):
        benchmarks.chosen(["dense", "speed"])


def test_every_chosen_job_of_the_picture_was_measured():
    assert {f"{job}/ratio" for job in ratios.WORDS} <= set(Results.load().figures)


def test_the_picture_shows_the_ratios_of_the_results():
    pillow = pytest.importorskip("PIL.Image", reason="reads the text in a PNG file; matplotlib brings it")
    with pillow.open(ratios.PICTURE) as picture:
        assert picture.text["Description"] == ratios.stated(Results.load()), "make tables draws it again"


def test_a_run_replaces_its_own_figures_and_keeps_the_others(tmp_path):
    path = tmp_path / "results.json"
    record("a", Figure("a/b", "job", 1.0, 2.0, against="X", errors=(1.5, 2.5)).measured(), path)
    record("c", Figure("c/d", "job", 7.0).measured(), path)
    record("a", Figure("a/b", "job", 3.0, 2.0, against="X").measured(), path)
    figures = Results.load(path).figures
    assert (figures["a/b/ours"].value, figures["a/b/peer-error"].value) == (3.0, 2.5)
    assert (figures["c/d/ours"].value, figures["c/d/ours"].job) == (7.0, "job")


KINDS = {
    "text": (
        "kind\ttext\n" + "spam\tbuy this now please\nham\tsee you at home\n" * 20,
        {"separator": "\t"},
    ),
    "letters": ("kind\tname\n" + "f\tanna\nm\tkarl\n" * 20, {"separator": "\t"}),
    "table": ("x,c,d,kind\n" + "1.5,r,2020-01-02,a\n,s,2021-03-04,b\n" * 30, {"dates": ("d",)}),
    "svmlight": ("1 1:1 2:0.5\n-1 2:1\n" * 20, {}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("which", peers_of_files.WAYS)
def test_every_recipe_learns_a_file_whose_classes_are_plain(which, kind, tmp_path):
    pytest.importorskip({"scikit-learn": "sklearn", "vowpal_wabbit": "vowpalwabbit"}.get(which, which))
    if which == "lightgbm" and kind != "table":
        pytest.skip("LightGBM reads tables")
    text, options = KINDS[kind]
    path = tmp_path / "file"
    path.write_text(text)
    target = {} if kind == "svmlight" else {"target": "kind"}
    files = peers_of_files.Files(kind, str(path), str(path), **target, **options)
    job = own_files.Job("made", files, "kind")
    assert own_files.applies(which, job)
    outcome = own_files.LEARNERS[which](job, tmp_path)
    assert outcome.error == 0.0
    assert outcome.auc == 1.0
    assert outcome.cpu > 0.0
    assert outcome.megabytes > 10.0


def test_the_recipe_of_vowpal_wabbit_standardises_the_numbers_of_a_table(tmp_path):
    pytest.importorskip("vowpalwabbit")
    r = np.random.default_rng(0)
    far, near = r.normal(size=(2, 300))
    rows = [f"{1000 + x:.3f},{1000 + z:.3f},{'ab'[int(x > z)]}" for x, z in zip(far, near, strict=True)]
    (tmp_path / "train.csv").write_text("\n".join(["x,z,kind", *rows[:200], ""]))
    (tmp_path / "test.csv").write_text("\n".join(["x,z,kind", *rows[200:], ""]))
    paths = (str(tmp_path / name) for name in ("train.csv", "test.csv"))
    assert (
        peers_of_files.vowpal_wabbit(peers_of_files.Files("table", *paths, target="kind"))["error"] < 0.05
    )


def test_no_set_of_users_files_is_left_out_of_the_results():
    assert set(tables.sets_of(Results.load())) == set(own_files.SETS)


def test_the_error_over_all_folds_has_the_standard_error_of_a_share():
    outcomes = [own_files.Outcome(error, 0.9, 1.0, 2.0, 100.0) for error in (0.1, 0.3)]
    figures = own_files.summary("own_files/made/rosenblatt", outcomes, 100)
    error = figures["own_files/made/rosenblatt/error"]
    assert (error.value, error.n) == (20.0, 100)
    assert error.standard_error == pytest.approx(4.0)
    assert figures["own_files/made/rosenblatt/cpu"].value == 2.0


def test_better_and_worse_are_counted_beyond_two_standard_errors():
    found = Results()
    errors = {"a": (10.0, 20.0), "b": (10.0, 11.0), "c": (30.0, 12.0)}
    for name, pair in errors.items():
        for who, error in zip(("rosenblatt", "lightgbm"), pair, strict=True):
            found.figures[f"own_files/{name}/{who}/error"] = Measured(error, "%", standard_error=1.0)
    counted = tables.tally(found)
    counts = [counted[f"own_files_tally/lightgbm/{what}"].value for what in (*tables.OUTCOMES, "sets")]
    assert counts == [1, 1, 1, 3]
    assert counted["own_files_tally/scikit-learn/sets"].value == 0


def test_a_median_is_recorded_with_the_spread_of_its_times():
    ours = Median.of([3.0, 1.0, 2.0])
    measured = Figure("a/b", "job", ours, 4.0, against="X").measured()["a/b/ours"]
    assert (measured.value, measured.fastest, measured.slowest) == (2.0, 1.0, 3.0)


def test_ratios_that_two_files_measured_differently_are_compared_worst_first():
    before, after = Results(), Results()
    for results_, ratio_ in ((before, (2.0, 3.0, 5.0)), (after, (4.0, 1.0, 5.0))):
        results_.figures = {
            f"a/{name}/ratio": Measured(value) for name, value in zip("xyz", ratio_, strict=True)
        }
    assert [(change.key, change.verdict) for change in compare.changes(before, after)] == [
        ("a/y", "slower"),
        ("a/x", "faster"),
    ]


def test_the_table_of_speeds_names_the_machine_of_each_ratio():
    results_ = Results.load()
    text = tables.speeds(results_)
    assert len(text.splitlines()) > len(ratios.WORDS)
    assert "Machine 1: " in text
