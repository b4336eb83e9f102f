"""A command loads what it needs: no pandas, linear algebra of scipy, scikit-learn, proofs or replays."""

from __future__ import annotations

import subprocess
import sys

NEEDLESS = ("pandas", "scipy.linalg", "sklearn", "matplotlib", "rosenblatt.proof.separating",
            "rosenblatt.sight.traces.replay", "torch")  # fmt: skip


def test_fit_and_predict_load_nothing_needless(tmp_path):
    (tmp_path / "few.csv").write_text("size,colour,kind\n1.5,red,a\n2.5,blue,b\n1.0,red,a\n")
    fit, predict = ["fit", "few.csv", "--out", "model", "--quiet"], ["predict", "model", "few.csv"]
    for arguments in (fit, predict):
        program = f"""
import sys
from rosenblatt.cli.main import main
try:
    main({arguments!r})
except SystemExit as end:
    assert end.code == 0, end.code
print([name for name in {NEEDLESS!r} if name in sys.modules], file=sys.stderr)
"""
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert done.stderr.splitlines()[-1] == "[]"
