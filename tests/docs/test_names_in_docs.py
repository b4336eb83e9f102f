"""Every dotted name and every path of a file in a docstring, a comment or a page exists."""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name, walk_packages
from typing import Any

import pytest

import rosenblatt

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
IN_BACKTICKS = re.compile(r"`([a-zA-Z_]\w*(?:\.\w+)+)(?:\([^`]*\))?`")
FULL = re.compile(r"(?<![\w/.@{-])rosenblatt(?:\.[a-zA-Z_]\w*)+")
PATH = re.compile(r"`((?:\w+/)+\w+\.(?:py|js|css|html|md|json|png|svg))`")
PLACES = [ROOT, ROOT / "src", ROOT / "src/rosenblatt", ROOT / "src/rosenblatt/reports", ROOT / "docs"]
WRITTEN_BY_READERS = re.compile(
    r"\bKEY\.|normalised\.py$"
)  # a new chapter, and the rule of CONTRIBUTING.md
CODE_BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
SOURCE_FILES = {"py", "js", "css"}
ELSEWHERE = {"DataFrame", "ai", "dask_kubernetes"}  # pandas, ONNX operators, a package of Dask
OTHER_FILES = {"html", "md", "tsv", "csv", "zip", "json", "safetensors", "fish", "toml", "end"}


@cache
def modules() -> dict[str, list[str]]:
    """Return the modules of the package by the last part of their name."""
    found: dict[str, list[str]] = {"rosenblatt": ["rosenblatt"]}
    for module in walk_packages(rosenblatt.__path__, "rosenblatt."):
        found.setdefault(module.name.rpartition(".")[2], []).append(module.name)
    return found


@cache
def classes() -> dict[str, list[type]]:
    found: dict[str, list[type]] = {}
    for name in (name for names in modules().values() for name in names):
        if name.endswith("__main__"):
            continue
        try:
            members = vars(import_module(name))
        except ImportError:  # an extra that is not installed
            continue
        for value in members.values():
            if isinstance(value, type) and value.__module__.startswith("rosenblatt"):
                found.setdefault(value.__name__, []).append(value)
    return found


def has(value: Any, path: list[str]) -> bool:
    """Return whether value has the attribute, also one that only its instances have."""
    for part in path:
        if hasattr(value, part):
            value = getattr(value, part)
        else:
            return part in getattr(value, "__annotations__", {}) or f"self.{part} = " in source_of(value)
    return True


@cache
def source_of(value: Any) -> str:
    try:
        return inspect.getsource(value)
    except (OSError, TypeError):
        return ""


def imports(name: str) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            resolve_name(name)
    except (ImportError, AttributeError, ValueError):
        return False
    return True


def is_in_source(name: str) -> bool:
    """Return whether a module defines the name, also one that imports an extra which is not installed."""
    module, _, attribute = name.rpartition(".")
    paths = (ROOT / "src/rosenblatt").rglob(module.replace(".", "/").rpartition("/")[2] + ".py")
    fits = (path for path in paths if str(path.with_suffix("")).endswith(module.replace(".", "/")))
    defined = re.compile(rf"^(?:def |class ){attribute}\b|^{attribute}\b.* =", re.MULTILINE)
    return any(defined.search(path.read_text(encoding="utf-8")) for path in fits)


@cache
def exists(name: str) -> bool:
    """Return whether there is a file, or something to import, or an attribute of a class with this name."""
    first, *rest = name.split(".")
    if first in ELSEWHERE or rest[-1] in OTHER_FILES:
        return True
    if rest[-1] in SOURCE_FILES:
        return any((ROOT / "src").rglob(name))
    return (
        imports(f"rosenblatt.{name}")
        or any(imports(".".join([module, *rest])) for module in modules().get(first, []))
        or any(has(value, rest) for value in classes().get(first, []))
        or any(f".{module}".endswith(f".{name}") for names in modules().values() for module in names)
        or is_in_source(name)
        or imports(name)
    )


def texts_of(path: Path) -> Iterator[str]:
    """Yield each docstring and comment of a source file."""
    source = path.read_text(encoding="utf-8")
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented):
            yield ast.get_docstring(node) or ""
    yield from re.findall(r"#.*", source)


def unknown(texts: Iterable[str], code: str) -> list[str]:
    """Return the dotted names that do not exist and do not begin with a variable of the code."""
    names = {name for text in texts for name in (*IN_BACKTICKS.findall(text), *FULL.findall(text))}
    missing = (name for name in names if not exists(name))
    return sorted(name for name in missing if not is_variable(name.partition(".")[0], code))


def missing_paths(text: str) -> list[str]:
    """Return the paths of files in backticks that do not exist."""
    return sorted(
        path
        for path in set(PATH.findall(text))
        if not WRITTEN_BY_READERS.search(path) and not any((place / path).exists() for place in PLACES)
    )


def is_variable(name: str, code: str) -> bool:
    assigned = rf"\b{name}\b[\w, ()\[\]|.:]* =(?!=)"
    bound = rf"\b(?:as|for) {name}\b|[(,]\s*{name}:|\({name}[,)]"
    return re.search(f"{assigned}|{bound}", code) is not None


@pytest.mark.parametrize("package", sorted((ROOT / "src/rosenblatt").iterdir()), ids=lambda path: path.name)
def test_every_name_in_docstrings_and_comments_exists(package):
    paths = [package] if package.suffix == ".py" else sorted(package.rglob("*.py"))
    found = {
        path.name: unknown(texts_of(path), path.read_text(encoding="utf-8"))
        + missing_paths("\n".join(texts_of(path)))
        for path in paths
    }
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_name_on_a_page_exists(page):
    text = page.read_text(encoding="utf-8")
    prose = CODE_BLOCK.sub(lambda block: block[0] if block[0].startswith("```{") else "", text)
    assert unknown([prose], text) + missing_paths(prose) == []


def test_a_name_of_a_former_package_is_found():
    assert unknown(["`engine.decide` and rosenblatt.engine.walk"], "decide = 1") == [
        "engine.decide",
        "rosenblatt.engine.walk",
    ]
    assert missing_paths("`proof/verify.py`, `docs/proof.md` and `proof/exactly.py`") == [
        "proof/exactly.py"
    ]
    assert unknown(["`rules.Arow`, `Perceptron.fit`, `verdict.margin`"], "verdict = 1") == []
