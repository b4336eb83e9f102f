"""Compiled code, torch and Triton decide mistakes by the same comparisons."""

from __future__ import annotations

import ast
import re
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import rosenblatt
from rosenblatt.gpu import torch_decisions
from rosenblatt.loops import decide
from rosenblatt.training.scoring import wrong

PACKAGE = Path(rosenblatt.__file__).parent
DOCS = PACKAGE.parents[1] / "docs"
SAID = {"loops/decide.py", "gpu/torch_decisions.py", "gpu/triton_walks.py"}
SCORES = (-2.0, -0.7, -0.3, -0.0, 0.0, 0.3, 0.7, 2.0)


def body_of(path, name):
    """The statements of a function, without its docstring."""
    (found,) = [
        node
        for node in ast.walk(ast.parse((PACKAGE / path).read_text()))
        if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    return found, [ast.unparse(statement) for statement in found.body[1:]]


def by_triton():
    """`_decide` of the walk in Triton as a plain function: Triton itself runs only on a GPU."""
    function, _ = body_of("gpu/triton_walks.py", "_decide")
    function.decorator_list = []
    names = {"tl": SimpleNamespace(abs=abs)}
    exec(compile(ast.Module([function], []), "triton_walks", "exec"), names)
    return names["_decide"]


def test_triton_and_torch_decide_equally():
    _, in_torch = body_of("gpu/torch_decisions.py", "decide")
    _, in_triton = body_of("gpu/triton_walks.py", "_decide")
    assert [line.replace("tl.abs", "abs") for line in in_triton] == in_torch


@pytest.mark.parametrize("say", [torch_decisions.decide, by_triton()], ids=["torch", "triton"])
@pytest.mark.parametrize("rounding", [0.0, 2.0**-53])
@pytest.mark.parametrize("doubt", [0.0, 0.25, 1.0])
def test_a_device_decides_as_compiled_code_does(say, doubt, rounding):
    for s, y, tau in product(SCORES, (-1.0, 1.0), (0.0, 0.3, 0.7)):
        mistake, acts, sure = map(bool, say(*map(np.float64, (s, y, tau, doubt, rounding))))
        if rounding > 0.0:
            assert sure == decide.is_sure(s, y * s, tau, doubt, rounding)
        assert sure <= (s != 0.0)  # there `tie` has its say, which the host knows
        for tie in (-1.0, 0.0, 1.0):
            if sure:
                assert mistake == decide.is_mistake(s, y, tie)
                assert acts == decide.acts_on(mistake, y * s, tau)
        if torch_decisions.ruled_out(s, y, tau, doubt):
            assert decide.rules_out(y * s, tau, doubt)
            assert not acts


def test_torch_decides_whole_blocks_so():
    torch = pytest.importorskip("torch")
    s, y, tau = (
        torch.tensor(column) for column in zip(*product(SCORES, (-1.0, 1.0), (0.0, 0.3)), strict=True)
    )
    found = torch_decisions.decide(s, y, tau, 0.25, torch.tensor(2.0**-53))
    one_by_one = [
        torch_decisions.decide(*each, 0.25, 2.0**-53)
        for each in zip(s.tolist(), y.tolist(), tau.tolist(), strict=True)
    ]
    assert [
        tuple(map(bool, each)) for each in zip(*(part.tolist() for part in found), strict=True)
    ] == one_by_one


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
def test_rows_of_any_shape_are_judged_by_the_same_function(tie):
    labels = np.array([[-1, 1], [1, -1], [1, 1], [-1, -1]], np.int8)
    values = np.array([[0.0, -0.0], [-2.0, 2.0], [1.0, 0.0], [-1.0, -0.0]])
    answers = {"mistake": 0, "negative": -1, "positive": 1}
    wanted = [
        [(v > 0) != (y > 0) if v else y != answers[tie] for v, y in zip(*pair, strict=True)]
        for pair in zip(values.tolist(), labels.tolist(), strict=True)
    ]
    assert wrong(values, labels, tie).tolist() == wanted


def decisions(path):
    """Comparisons of an agreement, or of a score times a label, with 0, a threshold or a doubt."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Compare):
            continue
        sides = [ast.unparse(side) for side in (node.left, *node.comparators)]
        agreement = [
            re.search(r"\bagreement\b|\b(y|labels?)\b.*\*.*\b(s|scores?|values)\b", side) for side in sides
        ]
        limit = [re.fullmatch(r"0(\.0)?|.*\b(tau|doubt|off|limit|threshold)\b.*", side) for side in sides]
        if (agreement[0] and limit[1]) or (limit[0] and agreement[1]):
            yield f"{path.relative_to(PACKAGE).as_posix()}:{node.lineno}"
        if ast.unparse(node).count(" > 0") == 2 and isinstance(node.ops[0], ast.NotEq):
            yield f"{path.relative_to(PACKAGE).as_posix()}:{node.lineno}"


def test_only_the_comparison_functions_compare_scores():
    packages = (
        "loops",
        "gpu",
        "training",
        "models",
        "traces",
        "comparisons",
        "plots",
        "reports",
        "cli",
        "course",
    )
    paths = [path for package in packages for path in (PACKAGE / package).rglob("*.py")]
    found = [place for path in paths for place in decisions(path)]
    assert {place.split(":")[0] for place in found} == SAID, found
    assert sum(place.startswith("loops/decide.py") for place in found) >= 4  # it finds those that are there


def test_the_page_on_exactness_names_the_functions_that_decide():
    page = (DOCS / "exactness.md").read_text()
    pointed = re.findall(r"`(\w+)` \(`([\w/]+\.py)`\)", page)
    assert {name for name, _ in pointed} >= {
        "is_mistake", "acts_on", "is_sure", "fast_decision", "in_doubt", "is_shared_mistake", "rules_out",
        "is_clear_mistake", "find_mistakes", "decide", "_decide",
    }  # fmt: skip
    for name, path in pointed:
        assert f"\ndef {name}(" in (PACKAGE / path).read_text(), f"{path}: {name}"
