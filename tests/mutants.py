"""Thirty faults put into the package one by one: does the room of tests that should notice notice?

    python -m tests.mutants                  this tree
    python -m tests.mutants OTHER_TREE       another one, as it was before a change of the tests
    python -m tests.mutants --only romma     the mutants whose function or change has these letters

A mutant is a function, found by its name wherever it lives (or by its decorator, `step.of(Alma)`, where it
has none; `run or make_passes` where it has had two), and a change of its text. Faults in compiled loops are
tried with the code interpreted, so that nothing need be compiled anew. ``make test`` leaves them out.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

COMPILED = {"arithmetic", "rules", "keepers", "kernels", "budgets", "engine", "loops"}
FAILED = re.compile("FAILED|ERROR")
SECONDS = 300  # of processor time for one mutant: an endless loop is noticed too


class Mutant(NamedTuple):
    function: str
    text: str
    fault: str
    room: str

    def __str__(self) -> str:
        return f"`{self.function}`: `{self.text}` → `{self.fault}`"


ROOMS = {
    "averaged": "keepers/test_averaged.py",
    "bad input": "test_labels_and_importance.py models/test_bad_input.py",
    "blocks": "sources/test_blocks.py",
    "bound": "test_mistake_bound.py",
    "budgets": "budgets/test_budgets_equal_their_papers.py",
    "claims": "traces/test_claims.py",
    "counters": "online/test_learner.py rules/test_matrix.py traces/test_trace_steps.py",
    "decimals": "sources/test_decimals.py",
    "doubt": "test_hard_decisions.py rules/test_rules_equal_their_formula.py",
    "dual": "dual/test_scores_in_doubt.py dual/test_what_is_kept.py",
    "exact sums": "arithmetic/test_exact.py",
    "files": "test_hostile_files.py",
    "hashing": "sources/test_vw.py sources/test_hashing.py",
    "many": "many/test_hard_numbers.py",
    "new features": "online/test_learner_inputs.py online/test_learner_keepers.py",
    "orders": "models/test_orders.py",
    "passes": "models/test_runs.py models/test_resuming.py",
    "pocket": "keepers/test_pocket.py",
    "proofs": "test_tampering.py test_exact_signs.py",
    "resuming": "streams/test_resuming_streams.py",
    "rules": "rules/test_matrix.py rules/test_rules_equal_their_formula.py",
    "shared": "many/test_ultraconservative.py",
    "voted": "keepers/test_voted.py",
}
"""Files of tests/ as their paths end, separated by blanks: the folders around them may have moved."""

MUTANTS = [
    Mutant("in_doubt", "sign(total) <= 0", "sign(total) < 0", "rules"),
    Mutant("is_mistake", "label != tie", "label == tie", "rules"),
    Mutant("score.of(Dense)", "(d + 8) * ROUNDING", "0.01 * ROUNDING", "doubt"),
    Mutant("score.of(Sparse)", "+ 8.0) * ROUNDING", "+ 8.0) * 0.001 * ROUNDING", "doubt"),
    Mutant("add.of(Sparse)", "+= coefficient * offset", "+= coefficient", "rules"),
    Mutant("rounded", "below != 0 or mantissa & 1", "below != 0", "exact sums"),
    Mutant("_walk", "mistake and y < 0.0", "mistake and y > 0.0", "counters"),
    Mutant("step.of(PassiveAggressive1)", "min(rule.C, loss / x2)", "max(rule.C, loss / x2)", "rules"),
    Mutant("_relaxed", "w2 * (1.0 - agreement)", "w2 * (1.0 + agreement)", "rules"),
    Mutant("step.of(Alma)", "AlmaMemory(memory.k + 1.0)", "AlmaMemory(memory.k)", "rules"),
    Mutant("step.of(Forgetting)", "rule.fade / (rule.fade", "1.0 / (rule.fade", "rules"),
    Mutant("after_quiet.of(Averaged)", "keeper.looks[0] += looks", "keeper.looks[0] += 0", "averaged"),
    Mutant("before_update.of(Voted)", "survival[member] = 1", "survival[member] = 0", "voted"),
    Mutant("consider.of(Pocket)", "errors >= keeper.best", "errors > keeper.best", "pocket"),
    Mutant("widen", "wide[..., -1] = array[..., -1]", "wide[..., -1] = 0.0", "new features"),
    Mutant("shuffled", "default_rng([seed, epoch])", "default_rng([seed, 0])", "orders"),
    Mutant("run or make_passes", "error < smallest", "error <= smallest", "passes"),
    Mutant("may_be_off", "screen.unit * terms * length", "1e-9 * screen.unit * length", "many"),
    Mutant("share_out.of(Uniform)", "-1.0 / size", "-1.0", "shared"),
    Mutant("_matters", "np.abs(found) <= doubt", "np.abs(found) < 0.0", "dual"),
    Mutant("oldest", "slots.arrived[k] < slots", "slots.arrived[k] > slots", "budgets"),
    Mutant("nearest_double", "value == first + (rest - doubt)", "True", "decimals"),
    Mutant("murmur", "np.uint32(state ^ np.uint32(length))", "np.uint32(state)", "hashing"),
    Mutant("PlainText.block or PlainText._of_lines", "max(0, begin - 1)", "max(0, begin)", "blocks"),
    Mutant("as_labels", "if known != len(chunk):", "if known > len(chunk):", "bad input"),
    Mutant("resume", "n_bad = run.position.bad", "n_bad = 0", "resuming"),
    Mutant("_refuse_damage", "if found != digest.hexdigest():", "if found is None:", "files"),
    Mutant("separator_margin", "if smallest <= 0:", "if smallest < 0:", "proofs"),
    Mutant("_bound", "most_updates(radius, low, near", "most_updates(radius, high, near", "bound"),
    Mutant("Claims.progress_holds", "self.least_progress - self.progress_slack", "0.0", "claims"),
]


def functions(tree: ast.Module) -> Iterator[tuple[set[str], ast.FunctionDef]]:
    """Every function with the names it goes by: its own, behind its class, and its decorators'."""
    for node in ast.walk(tree):
        for child in getattr(node, "body", []) if isinstance(node, ast.ClassDef | ast.Module) else []:
            if isinstance(child, ast.FunctionDef):
                owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
                of = {
                    f"{ast.unparse(call.func)}({ast.unparse(call.args[0])})"
                    for call in child.decorator_list
                    if isinstance(call, ast.Call) and call.args
                }
                yield {owner + child.name, *of}, child


def place(mutant: Mutant, package: Path) -> tuple[Path, str]:
    """The file that has the function, and what the file says once the fault is in it."""
    found = []
    for path in sorted(package.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if mutant.text not in source:
            continue
        lines = source.splitlines(keepends=True)
        for names, function in functions(ast.parse(source)):
            body = "".join(lines[function.lineno - 1 : function.end_lineno])
            if names & set(mutant.function.split(" or ")) and body.count(mutant.text) == 1:
                lines[function.lineno - 1 : function.end_lineno] = [body.replace(mutant.text, mutant.fault)]
                found.append((path, "".join(lines)))
                break
    if len(found) != 1:
        raise SystemExit(f"{mutant}: the function is in {len(found)} files of {package}, expected one")
    return found[0]


def failures(tree: Path, tests: list[str], interpreted: bool, *options: str) -> list[str]:
    """The tests that fail: none, or their names, or what else went wrong."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    if interpreted:
        environment["NUMBA_DISABLE_JIT"] = "1"
    chosen = ["-q", "-p", "no:cacheprovider", "-m", "not matrix and not browser", *options, *tests]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *chosen],
        cwd=tree, env=environment, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)),
    )  # fmt: skip
    failed = [
        line.split(" ", 1)[1].split(" - ")[0] for line in done.stdout.splitlines() if FAILED.match(line)
    ]
    if done.returncode < 0:
        return ["it never ends"]
    return failed if failed or done.returncode == 0 else [done.stdout[-500:]]


def room_of(mutant: Mutant, tree: Path) -> list[str]:
    """The files of its room in this tree, wherever they are."""
    paths = [path for name in ROOMS[mutant.room].split() for path in (tree / "tests").rglob(name)]
    return sorted(str(path.relative_to(tree)) for path in paths)


def main() -> None:
    parser = argparse.ArgumentParser(description="Thirty faults, one by one: are they noticed?")
    parser.add_argument("tree", nargs="?", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--only", default="", help="letters that the function or the change has")
    parser.add_argument("--from", dest="first", type=int, default=1, help="the number of the first mutant")
    asked = parser.parse_args()
    chosen = [mutant for mutant in MUTANTS[asked.first - 1 :] if asked.only in str(mutant)]
    # what fails without a fault: some tests want machine code
    sound: dict[tuple[str, bool], list[str]] = {}
    killed = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        left_out = shutil.ignore_patterns(".git", ".venv", "build", ".hypothesis", "*_cache", "__pycache__")
        shutil.copytree(asked.tree, tree, ignore=left_out)
        faulty = {mutant: place(mutant, tree / "src") for mutant in chosen}
        for mutant, (path, text) in faulty.items():
            tests = room_of(mutant, tree)
            way = mutant.room, not COMPILED.isdisjoint(path.relative_to(tree).parts)
            if way not in sound:
                sound[way] = failures(tree, tests, way[1])
            if not all("::" in test for test in sound[way]):
                print(f"| {mutant} | its tests do not run without it: {sound[way]} |", flush=True)
                continue
            kept = path.read_text(encoding="utf-8")
            path.write_text(text, encoding="utf-8")
            found = failures(tree, tests, way[1], "-x", *(f"--deselect={test}" for test in sound[way]))
            path.write_text(kept, encoding="utf-8")
            killed += bool(found)
            print(f"| {mutant} | {f'killed by {found[0]}' if found else 'survived'} |", flush=True)
    print(f"{killed} of {len(chosen)} killed")


if __name__ == "__main__":
    main()
