"""Print the lowest stated version of each dependency, one requirement per line: ``make test-lowest``."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
LOWEST = re.compile(r"^([A-Za-z0-9_-]+)(?:\[[^\]]*\])?>=([\d.]+)")
TABLES = ("duckdb", "pandas", "polars", "statsmodels")
"""Packages of the tests that users bring themselves; the tests need no low version of the others."""
BUILT = ("cluster", "notebook", "onnx", "plots", "report", "serve")


def lowest(requirements: list[str]) -> list[str]:
    """Return `name==version` for each requirement `name>=version`.

    >>> lowest(["numpy>=2.0", "dask[array]>=2025.1", "uvloop>=0.19; sys_platform != 'win32'"])
    ['numpy==2.0', 'dask==2025.1', 'uvloop==0.19']
    """
    return [f"{found[1]}=={found[2]}" for each in requirements if (found := LOWEST.match(each))]


if __name__ == "__main__":
    document = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
    project, tests = document["project"], document["dependency-groups"]["test"]
    extras = project["optional-dependencies"]
    needed = project["dependencies"] + [line for name in BUILT for line in extras[name]]
    print("\n".join(lowest(needed + [line for line in tests if line.startswith(TABLES)])))
