"""The verifier shares no code with what finds proofs: a sceptic has little to read."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

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
    "clock",
)
SOLVERS = ("flint", "scipy.optimize", "scipy.linalg", "sklearn", "numba", "cvxopt", "highspy")


def imported_names(path: Path) -> set[str]:
    """Every module that a file names in an import, wherever the statement is."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import hides what is imported"
            names.add(str(node.module))
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def file_of(module: str) -> Path | None:
    try:
        spec = find_spec(module)
    except (ModuleNotFoundError, AttributeError):
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def reach(module: str) -> set[str]:
    """All modules of the package, and of others, that a module imports directly or through the package."""
    seen, ahead = set(), [module]
    while ahead:
        name = ahead.pop()
        if name in seen:
            continue
        seen.add(name)
        path = file_of(name) if name.split(".")[0] == "rosenblatt" else None
        # the package itself imports lazily: what its names lead to is not loaded with it
        if path is not None and name != "rosenblatt":
            ahead += imported_names(path)
            ahead.append(name.rpartition(".")[0])
    return seen


def test_the_imports_of_verify_reach_no_search_and_no_learner():
    reached = reach("rosenblatt.proof.verify")
    assert "rosenblatt.proof.proof" in reached  # the walk does follow imports
    assert "rosenblatt.numeric.row_batches" in reached
    forbidden = {f"rosenblatt.{package}" for package in FORBIDDEN_PACKAGES}
    forbidden |= {f"rosenblatt.proof.{search}" for search in SEARCHES}
    forbidden |= set(SOLVERS)
    assert {
        name for name in reached if any(name == f or name.startswith(f + ".") for f in forbidden)
    } == set()


def test_the_walk_over_imports_would_find_a_search():
    assert "flint" in reach("rosenblatt.proof.separation")


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
