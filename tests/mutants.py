"""Put faults into the package one by one, and see whether the tests notice.

    python -m tests.mutants              all faults
    python -m tests.mutants rules        those of one package
    python -m tests.mutants 17           one, by its number (several numbers may follow)
    python -m tests.mutants --tree DIR   test another checkout, such as one from before a change

`tests/mutants.txt` is the list. Everything happens in a temporary copy of the tree, and compiled loops are
interpreted, so that nothing is compiled anew. ``make test`` only checks the list.
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
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
COMPILED = {
    "numeric",
    "rules",
    "averaging",
    "kernels",
    "budgets",
    "loops",
    "parsing",
}
"""Packages whose loops are interpreted while a mutant is in them."""

FAILED = re.compile("FAILED|ERROR")
SECONDS = 300  # of processor time for one mutant: an endless loop is noticed too


class Mutant(NamedTuple):
    """One fault: where, what becomes what, and the tests that should fail."""

    where: str
    fragment: str
    change: str
    tests: str

    @property
    def package(self) -> str:
        """Return the package of the fault, or its module for those beside the packages."""
        return self.where.split("/")[0].partition(":")[0].removesuffix(".py")

    def __str__(self) -> str:
        return f"{self.where}: `{self.fragment}` → `{self.change}`"


def read_mutants(path: Path) -> list[Mutant]:
    """Return the faults of a list: a line with the place and the tests, and one with the change."""
    lines = path.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line.strip() and not line.startswith("#")]
    found = []
    for head, change in zip(lines[::2], lines[1::2], strict=True):
        where, _, tests = head.partition(" ")
        fragment, arrow, instead = change.removeprefix("  ").partition(" →")
        assert arrow, f"{path}: no arrow in {change!r}"
        found.append(Mutant(where, fragment, instead.removeprefix(" "), tests))
    return found


MUTANTS = read_mutants(Path(__file__).with_suffix(".txt"))


class Unmade(Exception):
    """The list is wrong: a fragment is not there, or a file of tests is not."""


class Place(NamedTuple):
    """The file of a mutant, and its text with the mutant."""

    path: Path
    text: str


def place_mutant(mutant: Mutant, package: Path) -> Place:
    """Return where a mutant belongs and what the file reads with it; raise Unmade if that is not clear."""
    where, _, function = mutant.where.partition(":")
    path = package / where
    files = [path] if path.suffix else sorted(path.rglob("*.py"))
    found = []
    for file in filter(Path.is_file, files):
        source = file.read_text(encoding="utf-8")
        found += [
            Place(
                file,
                source[:begin] + body.replace(mutant.fragment, mutant.change) + source[begin + len(body) :],
            )
            for begin, body in ([(0, source)] if not function else _bodies(source, function))
            if mutant.fragment in body
            for _ in range(body.count(mutant.fragment))
        ]
    if not found:
        raise Unmade(f"fragment not found in {mutant.where}")
    if len(found) > 1:
        raise Unmade(f"fragment found {len(found)} times in {mutant.where}, expected one")
    return found[0]


def _bodies(source: str, name: str) -> Iterator[tuple[int, str]]:
    """Yield begin and text of each function of this name (`f`, `Class.f`, or `step.of(Alma)`)."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for owner in ast.walk(ast.parse(source)):
        for node in owner.body if isinstance(owner, ast.ClassDef | ast.Module) else []:
            if isinstance(node, ast.FunctionDef) and name in _names(node, owner):
                begin = starts[node.lineno - 1]
                yield begin, source[begin : starts[node.end_lineno or 0]]


def _names(node: ast.FunctionDef, owner: ast.ClassDef | ast.Module) -> set[str]:
    registered = {
        f"{ast.unparse(call.func)}({ast.unparse(call.args[0])})"
        for call in node.decorator_list
        if isinstance(call, ast.Call) and call.args
    }
    return {f"{owner.name}.{node.name}" if isinstance(owner, ast.ClassDef) else node.name, *registered}


def find_tests(mutant: Mutant, tree: Path) -> list[str]:
    """Return the paths of the tests that should fail; raise Unmade if one is missing."""
    found = []
    for word in mutant.tests.split():
        name, _, function = word.partition("::")
        paths = [path for path in (tree / "tests").rglob(name) if "__pycache__" not in path.parts]
        if not paths:
            raise Unmade(f"there are no tests {name}")
        found += [f"{path.relative_to(tree)}{'::' if function else ''}{function}" for path in paths]
    return found


ENDLESS = "it never ends"


def failures(tree: Path, tests: list[str], interpreted: bool, *options: str) -> list[str]:
    """Run tests and return the names of those that fail, or what else went wrong."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    if interpreted:
        environment["NUMBA_DISABLE_JIT"] = "1"
    chosen = ["-q", "-p", "no:cacheprovider", "-m", "not matrix and not browser", *options, *tests]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *chosen],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)),
    )
    failed = [
        line.split(" ", 1)[1].split(" - ")[0] for line in run.stdout.splitlines() if FAILED.match(line)
    ]
    if run.returncode < 0:
        return [ENDLESS]
    if not failed and run.returncode:
        raise Unmade(f"its tests do not run: {run.stdout[-500:]}{run.stderr[-500:]}")
    return failed


def try_mutant(mutant: Mutant, tree: Path) -> str:
    """Return which test notices the fault in this copy of the tree, or that it survived.

    A test that fails without the fault too (some want machine code) does not count.
    """
    place, tests = place_mutant(mutant, tree / "src" / "rosenblatt"), find_tests(mutant, tree)
    interpreted = not COMPILED.isdisjoint(place.path.relative_to(tree).parts)
    sound, skipped = place.path.read_text(encoding="utf-8"), list[str]()
    while True:
        place.path.write_text(place.text, encoding="utf-8")
        try:
            found = failures(tree, tests, interpreted, "-x", *(f"--deselect={test}" for test in skipped))
        finally:
            place.path.write_text(sound, encoding="utf-8")
        if not found:
            return "survived"
        if found[0] == ENDLESS or not failures(tree, found[:1], interpreted):
            return f"killed by {found[0]}"
        skipped.append(found[0])


def chosen_mutants(words: list[str]) -> dict[int, Mutant]:
    """Return the faults with these numbers or of these packages, by number; no words: all."""
    numbered = dict(enumerate(MUTANTS, 1))
    packages = {mutant.package for mutant in MUTANTS}
    if strange := [word for word in words if not word.isdigit() and word not in packages]:
        raise SystemExit(f"no package {strange[0]!r}; there are {', '.join(sorted(packages))}")
    return {
        k: mutant for k, mutant in numbered.items() if not words or {str(k), mutant.package} & set(words)
    }


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Put faults into the package, one by one.")
    parser.add_argument("chosen", nargs="*", metavar="PACKAGE|NUMBER", help="which faults [default: all]")
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout to test [default: this one]")
    chosen = chosen_mutants((given := parser.parse_args()).chosen)
    verdicts = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        skipped = shutil.ignore_patterns(".git", ".venv", "build", ".hypothesis", "*_cache", "__pycache__")
        shutil.copytree(given.tree, tree, ignore=skipped)
        for number, mutant in chosen.items():
            began = time.monotonic()
            try:
                verdict = try_mutant(mutant, tree)
            except Unmade as error:
                verdict = f"error in the list: {error}"
            verdicts[verdict.split()[0]] += 1
            print(f"| {number} | {mutant} | {verdict} | {time.monotonic() - began:.0f} s |", flush=True)
    killed, survived, errors = (verdicts[kind] for kind in ("killed", "survived", "error"))
    print(f"{killed} of {len(chosen)} killed, {survived} survived, {errors} errors")
    sys.exit(errors > 0)


if __name__ == "__main__":
    main()
