"""`import rosenblatt` is fast: heavy packages are imported when they are first used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import rosenblatt

HEAVY = ("numba", "numpy", "sklearn", "scipy", "torch", "pandas", "rich")


LIGHT = (
    "import rosenblatt",
    "rosenblatt.__version__; dir(rosenblatt)",
    "import rosenblatt.cli.main",
    "from rosenblatt import errors",
)
NUMPY_ALONE = (
    "from rosenblatt import geometry; geometry.l2_norm([3, 4])",
    "from rosenblatt.course.foundations import Boxes, Gaussian, bayes, distributions",
)
WITHOUT_SCIKIT_LEARN = (
    "from rosenblatt import Learner; Learner().learn([1.0], 1); Learner().learn({'a': 1.0}, 1)",
    "from rosenblatt import trace; trace([[1.0], [-1.0]], [1, -1])",
    "from rosenblatt import teachers, geometry, rules, averaging, examples",
    "from rosenblatt.course.lectures import EXAMPLES; EXAMPLES['003-cycle'].run()",
    "from rosenblatt.models import setting_selection",
)
ESTIMATOR = "from rosenblatt import Perceptron"
ON_THE_CPU = (
    "from rosenblatt import KernelPerceptron as K; K().fit([[0.0], [1.0]], [0, 1]).predict([[0.5]])"
)


@pytest.fixture(scope="module")
def heavy_imports():
    """Which of the heavy packages a fresh interpreter has after each line; what may have most is last."""
    lines = (*LIGHT, *NUMPY_ALONE, *WITHOUT_SCIKIT_LEARN, ESTIMATOR, ON_THE_CPU)
    program = (
        "import sys, json\nfound = {}\n"
        f"for line in {lines!r}:\n    exec(line)\n"
        f"    found[line] = [p for p in {HEAVY!r} if p in sys.modules]\n"
        "print(json.dumps(found))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {line: set(heavy) for line, heavy in json.loads(result.stdout).items()}


def test_the_package_and_the_command_line_start_light(heavy_imports):
    assert all(heavy_imports[line] == set() for line in LIGHT)


def test_geometry_and_the_foundations_of_probability_need_numpy_alone(heavy_imports):
    assert all(heavy_imports[line] == {"numpy"} for line in NUMPY_ALONE)


def test_learner_traces_and_lectures_do_without_scikit_learn(heavy_imports):
    for line in WITHOUT_SCIKIT_LEARN:
        assert heavy_imports[line] & {"sklearn", "pandas", "torch", "rich"} == set()  # numba brings scipy


def test_the_estimator_is_what_needs_scikit_learn(heavy_imports):
    assert "sklearn" in heavy_imports[ESTIMATOR]


def test_a_kernel_perceptron_on_the_cpu_does_without_torch(heavy_imports):
    assert "torch" not in heavy_imports[ON_THE_CPU]


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'rosenblatt' has no attribute 'Adaline'"):
        _ = rosenblatt.Adaline
    with pytest.raises(ImportError, match="Adaline"):
        exec("from rosenblatt import Adaline", {})
