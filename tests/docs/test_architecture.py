"""docs/architecture.md names every package, in the order of imports, and files and functions that exist."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "rosenblatt"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LOCATED = re.compile(r"`(\w+)`\s+\(`([\w/]+\.py)`\)")
FILE = re.compile(r"`((?:\w+/)+\w+\.py)`")


def rows():
    """The packages of each line of the table."""
    lines = [line for line in PAGE.splitlines() if line.startswith("| `")]
    return [re.findall(r"`(\w+)`", line.split(" | ")[0]) for line in lines]


def test_the_table_has_every_package_and_module_once():
    files = {
        path.stem for path in PACKAGE.glob("[a-z]*.py") if defined_in(path.name)
    }  # not mere re-exports
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    listed = [name for row in rows() for name in row]
    assert sorted(listed) == sorted(files | folders)


def test_the_table_is_in_the_order_that_the_import_linter_enforces():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = next(contract["layers"] for contract in contracts["contracts"] if contract["type"] == "layers")
    level = {name: at for at, layer in enumerate(reversed(layers)) for name in re.findall(r"\w+", layer)}
    levels = [level[name] for row in rows() for name in row]
    assert levels == sorted(levels)


def defined_in(path):
    """The names that a file defines at its top level."""
    tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    return functions | (names - {"__all__"})


def test_every_function_is_in_the_file_named_beside_it():
    located = LOCATED.findall(PAGE)
    assert len(located) >= 8
    assert [(name, path) for name, path in located if name not in defined_in(path)] == []


def test_every_file_that_is_named_exists():
    named = {path for path in FILE.findall(PAGE) if "KEY" not in path}
    assert len(named) > 25
    places = (PACKAGE, PACKAGE.parent, ROOT)
    assert [path for path in sorted(named) if not any((at / path).exists() for at in places)] == []


INCLUDED = re.compile(r"```\{literalinclude\} (\S+)\n:language: \w+\n:start-at: (.+)\n")


def test_source_on_the_page_comes_from_the_files():
    included = INCLUDED.findall(PAGE)
    assert len(included) == PAGE.count("{literalinclude}") >= 4
    for path, start in included:
        assert start in (ROOT / "docs" / path).read_text(encoding="utf-8")
