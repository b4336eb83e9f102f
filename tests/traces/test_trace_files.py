"""Traces as tables and as JSON Lines files, which are read back without loss."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt import Trace, rules, trace
from rosenblatt.errors import BadInput

FIRST = np.array([[2.0, 1.0], [0.0, 2.0], [-0.5, -2.0]])
LABELS = [1, -1, 1]
XOR = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])


@pytest.fixture
def first():
    return trace(FIRST, LABELS, offset=False, tie="negative", epochs=2)


# ---------------------------------------------------------------- the table


def test_the_table_shows_every_number_of_the_notes(first):
    assert str(first).splitlines() == [
        "pass  row from 0           x  y  score  margin                 w  b  margin after  ‖w‖²",
        "   1           0      (2, 1)  +      0       0  mistake   (2, 1)  0             5     5",
        "   1           1      (0, 2)  −      2      -2  mistake  (2, -1)  0             2     5",
        "   1           2  (-0.5, -2)  +      1       1           (2, -1)  0             1     5",
        "   2           0      (2, 1)  +      3       3           (2, -1)  0             3     5",
        "   2           1      (0, 2)  −     -2       2           (2, -1)  0             2     5",
        "   2           2  (-0.5, -2)  +      1       1           (2, -1)  0             1     5",
        "6 steps, 2 mistakes, 2 updates: the last pass had no mistake",
    ]


@pytest.mark.parametrize(
    ("run", "ending"),
    [
        (
            lambda: trace(FIRST, LABELS, offset=False, epochs=2),
            "6 steps, 2 mistakes, 2 updates: the last pass had no mistake",
        ),
        (
            lambda: trace(FIRST, LABELS, offset=False, epochs=1),
            "3 steps, 2 mistakes, 2 updates: the last pass had mistakes",
        ),
        (
            lambda: trace([[1.0]], [1], epochs=1),
            "1 step, 1 mistake, 1 update: the last pass had mistakes",
        ),
        (
            lambda: trace(XOR, [-1, 1, 1, -1], epochs=2),
            "8 steps, 8 mistakes, 8 updates: the state after step 0 recurs every 4 steps "
            "(1 pass, 4 updates): more passes would not end it",
        ),
    ],
)
def test_the_last_line_reports_how_the_run_ended(run, ending):
    steps = run()
    assert steps.summary() == ending
    assert str(steps).splitlines()[-1] == ending


# ---------------------------------------------------------------- JSON Lines


def exactly(steps):
    """Return the text of each step, which distinguishes −0.0 from 0.0."""
    return [repr(step) for step in steps]


@pytest.mark.parametrize(
    "arguments",
    [
        {"rule": "alma", "keep": "averaged", "order": "first_mistake"},
        {"rule": rules.UnevenMargin(tau_positive=0.1), "init": "unit"},
        {"rule": "romma", "order": (3, 0, 0, 2), "epochs": 3},
        {"epochs": None, "until": "separated"},
        {"order": "shuffled", "random_state": 17, "keep": "voted"},
        {"max_steps": 0},
    ],
)
def test_runs_of_all_kinds_come_back(arguments, tmp_path):
    steps = trace(XOR / 3, ["no", "yes", "yes", "no"], **arguments)
    steps.to_jsonl(tmp_path / "run.jsonl")
    again = Trace.from_jsonl(tmp_path / "run.jsonl")
    assert again == steps
    assert exactly(again) == exactly(steps)
    assert again.settings == steps.settings
    assert again.cycle == steps.cycle
    assert again.separated == steps.separated


weird = st.one_of(
    st.floats(-1e150, 1e150),
    st.sampled_from([-0.0, 0.1, 5e-324, -5e-324, 2.2250738585072014e-308, 1 / 3, 1e150, math.pi]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.tuples(weird, weird), min_size=2, max_size=4))
def test_weird_floats_come_back_to_the_last_bit(tmp_path, points):
    steps = trace(np.array(points), [1, -1, 1, -1][: len(points)], epochs=2)
    steps.to_jsonl(tmp_path / "run.jsonl")
    again = Trace.from_jsonl(tmp_path / "run.jsonl")
    assert exactly(again) == exactly(steps)
    assert again.points.tobytes() == steps.points.tobytes()
    assert again == steps


# ---------------------------------------------------------------- files that are no trace


def replace_line(lines, at, **changes):
    changed = {**json.loads(lines[at]), **changes}
    return [*lines[:at], json.dumps(changed), *lines[at + 1 :]]


def without(lines, at, field):
    kept = {name: value for name, value in json.loads(lines[at]).items() if name != field}
    return [*lines[:at], json.dumps(kept), *lines[at + 1 :]]


@pytest.mark.parametrize(
    ("corrupt", "line"),
    [
        pytest.param(lambda lines: ["no json", *lines[1:]], 1, id="first line is not JSON"),
        pytest.param(lambda lines: [*lines[:3], lines[3][:30]], 4, id="cut in a line"),
        pytest.param(lambda lines: [*lines[:2], "", *lines[2:]], 3, id="an empty line"),
        pytest.param(lambda lines: lines[1:], 1, id="without the first line"),
        pytest.param(lambda lines: replace_line(lines, 0, format="other"), 1, id="another format"),
        pytest.param(lambda lines: without(lines, 0, "points"), 1, id="first line without points"),
        pytest.param(lambda lines: replace_line(lines, 0, cycle=[1, 2]), 1, id="half a cycle"),
        pytest.param(
            lambda lines: replace_line(lines, 0, points=[[1.0], [1.0, 2.0]]), 1, id="ragged points"
        ),
        pytest.param(lambda lines: [lines[0], "3"], 2, id="a step is a number"),
        pytest.param(lambda lines: without(lines, 2, "weights"), 3, id="a step without weights"),
        pytest.param(lambda lines: replace_line(lines, 2, colour="red"), 3, id="a step with a colour"),
        pytest.param(lambda lines: replace_line(lines, 2, score="high"), 3, id="a score in words"),
    ],
)
def test_a_corrupted_file_is_refused_with_its_name_and_the_line(first, tmp_path, corrupt, line):
    path = tmp_path / "run.jsonl"
    first.to_jsonl(path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(corrupt(lines)) + "\n")
    with pytest.raises(BadInput, match=rf"run\.jsonl line {line}: "):
        Trace.from_jsonl(path)


def test_a_notebook_shows_the_first_steps_as_a_table_and_the_summary(first):
    html = first._repr_html_()
    assert html.count("<tr>") == 7
    assert "<td>(2, -1)</td>" in html
    assert first.summary() in html
    long = trace(XOR, [-1, 1, 1, -1], epochs=9)._repr_html_()
    assert "<p>… 16 more steps</p>" in long


def test_different_points_of_nine_features_look_different_in_the_table():
    rows = np.eye(9)[[0, 8]]
    lines = trace(rows, [1, -1], epochs=1).table().splitlines()
    assert "(1, 0, 0, 0, 0, 0, 0, 0, 0)" in lines[1]
    assert "(0, 0, 0, 0, 0, 0, 0, 0, 1)" in lines[2]
