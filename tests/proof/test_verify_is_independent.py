"""The verifier imports neither search nor learner."""

from __future__ import annotations

import subprocess
import sys

FORBIDDEN_PACKAGES = (
    "loops", "training", "models", "rules", "averaging", "kernels", "traces", "comparisons", "plots",
    "reports", "course", "cli",
)  # fmt: skip
SEARCHES = (
    "nearest_points",
    "integer_nearest",
    "faces",
    "findings",
    "separation",
    "proof_search",
    "working_sets",
    "clouds",
    "nullspace",
    "duplicates",
    "coefficient_search",
    "coefficient_signs",
    "regression",
    "clock",
)


def test_a_proof_is_checked_in_a_process_that_loads_no_solver(tmp_path):
    """In a fresh interpreter, dense and sparse: no search, learner or solver is loaded."""
    from rosenblatt import separate

    X, y = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [2.0, 2.0]], [0, 0, 1, 1, 1]
    separate(X, y).proof.save(tmp_path / "proof.json")
    program = f"""
import sys
from scipy.sparse import csr_array
from rosenblatt.proof.verify import verify
before = set(sys.modules)
for rows in ({X!r}, csr_array({X!r})):
    assert verify({str(tmp_path / "proof.json")!r}, rows, {y!r}).separable is False
bad = {tuple(f"rosenblatt.{package}" for package in FORBIDDEN_PACKAGES)!r}
bad += {tuple(f"rosenblatt.proof.{search}" for search in SEARCHES)!r}
print([name for name in sys.modules if name.startswith(bad) or name == "flint"])
fresh = set(sys.modules) - before
print([name for name in fresh if name.startswith(("numba", "sklearn", "scipy.optimize"))])
"""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.split("\n")[:2] == ["[]", "[]"]
