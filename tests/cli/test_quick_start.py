"""`fit` and `predict` import no package that they do not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

NEEDLESS = ("pandas", "scipy.linalg", "sklearn", "matplotlib", "rosenblatt.proof.separation",
            "rosenblatt.traces.replay_data", "torch")  # fmt: skip


ROWS = {
    "few.csv": ("size,colour,kind\n1.5,red,a\n2.5,blue,b\n1.0,red,a\n", NEEDLESS),
    "few.svm": ("+1 1:1 2:2\n-1 1:3 2:1\n+1 2:4\n", (*NEEDLESS, "pyarrow")),
}


@pytest.mark.parametrize("name", ROWS)
def test_fit_and_predict_load_nothing_needless(name, tmp_path):
    content, needless = ROWS[name]
    (tmp_path / name).write_text(content)
    fit, predict = ["fit", name, "--out", "model", "--quiet"], ["predict", "model", name]
    for arguments in (fit, predict):
        program = f"""
import sys
from rosenblatt.cli.main import main
try:
    main({arguments!r})
except SystemExit as end:
    assert end.code == 0, end.code
print([name for name in {needless!r} if name in sys.modules], file=sys.stderr)
"""
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert done.stderr.splitlines()[-1] == "[]"


ENDS = """
import gc, sys
sys.argv = ["rosenblatt", "--version"]
from rosenblatt.cli import quick_start
from rosenblatt.cli.main import run
try:
    run()
except SystemExit as end:
    print(end.code, gc.get_freeze_count() > 0, gc.get_threshold()[0])
quick_start.collect_as_ever()
print(gc.get_threshold() == quick_start.AS_EVER)
"""


def test_short_processes_seldom_collect_garbage():
    ran = subprocess.run([sys.executable, "-c", ENDS], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[1:] == ["0 True 50000", "True"]
