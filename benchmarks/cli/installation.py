"""Seconds and megabytes of `pip install` without extras, in new environments, beside scikit-learn alone.

pip's cache of downloads is not used, so the seconds include the download from the package index.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from benchmarks.results import ROOT, Measured, record

PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")


def install(requirement: str, folder: Path) -> tuple[float, float]:
    """Return the seconds of an installation, and the megabytes that it adds to a new environment."""
    venv.create(folder, with_pip=True)
    before = megabytes(folder)
    began = time.perf_counter()
    subprocess.run([folder / "bin" / "python", *PIP, "install", "--no-cache-dir", requirement], check=True)
    return time.perf_counter() - began, megabytes(folder) - before


def megabytes(folder: Path) -> float:
    """Return the size of all files in a folder, in units of 10⁶ bytes."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build = ("wheel", "--no-deps", "--wheel-dir", folder, ROOT)
        subprocess.run([sys.executable, *PIP, *build], check=True)
        (wheel,) = folder.glob("rosenblatt-*.whl")
        ours, peer = install(str(wheel), folder / "ours"), install("scikit-learn", folder / "peer")
    figures = {}
    for what, unit, mine, other in zip(("seconds", "size"), ("s", "MB"), ours, peer, strict=True):
        print(f"pip install without extras: {mine:.0f} {unit}, scikit-learn alone: {other:.0f} {unit}")
        job = "`pip install` without extras, time" if unit == "s" else "`pip install` without extras, size"
        figures[f"installation/{what}/ours"] = Measured(mine, unit)
        figures[f"installation/{what}/peer"] = Measured(other, unit)
        figures[f"installation/{what}/ratio"] = Measured(
            other / mine, "×", job=job, beside="scikit-learn alone"
        )
    record("installation", figures)


if __name__ == "__main__":
    main()
