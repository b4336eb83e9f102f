"""All benchmarks: ``python -m benchmarks [name or room ...]``. They lie in the rooms of the package."""

from __future__ import annotations

import platform
import sys
import warnings
from importlib import import_module

from benchmarks.ratios import draw

PLACES = (
    *("cli.startup", "cli.first_day", "learning.online", "engine.dense", "engine.sparse", "engine.text"),
    *("engine.second_order", "learning.labels", "learning.memory", "proof.separate", "proof.halfspaces"),
    *("learning.kernel", "learning.kernel_sets", "learning.many", "learning.streams", "learning.drift"),
    *("learning.first_passes", "sight.pages", "cli.own_files", "serve.load", "cluster.fits"),
)


def chosen(names: list[str]) -> list[str]:
    """The places whose room or name is among the names; all of them where none is given."""
    if unknown := set(names) - {word for place in PLACES for word in place.split(".")}:
        raise SystemExit(f"{', '.join(sorted(unknown))}: no such benchmark; there are {', '.join(PLACES)}")
    return [place for place in PLACES if not names or set(names) & set(place.split("."))]


def main() -> None:
    warnings.simplefilter("ignore")
    print(f"Python {platform.python_version()} on {platform.machine()}; ratios within this run only.\n")
    for place in chosen(sys.argv[1:]):
        import_module(f"benchmarks.{place}").main()
    draw()


if __name__ == "__main__":
    main()
