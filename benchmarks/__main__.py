"""All benchmarks: ``python -m benchmarks [name ...]``."""

from __future__ import annotations

import platform
import sys
import warnings
from importlib import import_module

NAMES = (
    *("startup", "online", "dense", "sparse", "memory", "proof", "halfspaces", "kernel", "many", "streams"),
    "sight",
)


def main() -> None:
    warnings.simplefilter("ignore")
    print(f"Python {platform.python_version()} on {platform.machine()}; ratios within this run only.\n")
    for name in sys.argv[1:] or NAMES:
        import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
