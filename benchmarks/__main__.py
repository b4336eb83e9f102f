"""Run benchmarks: ``python -m benchmarks [NAME ...]``, for example ``python -m benchmarks dense proof``.

They write benchmarks/results.json, and the tables and the picture that are made from it.
"""

from __future__ import annotations

import platform
import sys
import warnings
from importlib import import_module

from benchmarks import ratios, tables
from benchmarks.results import Results

PLACES = (
    *("cli.installation", "cli.startup", "cli.first_day", "training.online"),
    *("loops.dense", "loops.sparse", "loops.text"),
    *("loops.second_order", "training.labels", "training.memory", "proof.separate", "proof.halfspaces"),
    "proof.regression",
    *("training.kernel", "training.kernel_sets", "training.many", "training.streams", "training.drift"),
    *(
        "training.first_passes",
        "traces.pages",
        "cli.own_files",
        "cli.feature_names",
        "serve.load",
        "cluster.fits",
    ),
)


def chosen(names: list[str]) -> list[str]:
    """Return the benchmarks with these names or packages, or all if no name is given."""
    if unknown := set(names) - {word for place in PLACES for word in place.split(".")}:
        raise SystemExit(f"{', '.join(sorted(unknown))}: no such benchmark; there are {', '.join(PLACES)}")
    return [place for place in PLACES if not names or set(names) & set(place.split("."))]


def main() -> None:
    warnings.simplefilter("ignore")
    print(f"Python {platform.python_version()} on {platform.machine()}; ratios within this run only.\n")
    for place in chosen(sys.argv[1:]):
        import_module(f"benchmarks.{place}").main()
    tables.main(check=False)
    ratios.draw(Results.load())


if __name__ == "__main__":
    main()
