"""Compare two files of results: ``make bench-compare A=old.json B=new.json``.

Only ratios are compared, because both sides of a ratio ran on the same machine at the same time.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.results import Results
from rosenblatt.text_table import aligned_lines

NOISE = 1.15  # ratios of two runs on the same quiet machine differ by up to this factor


@dataclass(frozen=True)
class Change:
    """The ratio of a job to its peer in two files."""

    key: str
    before: float
    after: float

    @property
    def factor(self) -> float:
        return self.after / self.before

    @property
    def verdict(self) -> str:
        if self.factor >= NOISE:
            return "faster"
        return "slower" if self.factor <= 1 / NOISE else ""


def changes(before: Results, after: Results) -> list[Change]:
    """Return the ratios that both files have and that were measured again, the largest loss first."""
    found = [
        Change(key.removesuffix("/ratio"), before.figures[key].value, figure.value)
        for key, figure in after.figures.items()
        if key.endswith("/ratio") and key in before.figures and figure != before.figures[key]
    ]
    return sorted(found, key=lambda change: change.factor)


def main(one: Path, other: Path) -> None:
    before, after = Results.load(one), Results.load(other)
    rows = [
        (change.key, f"{change.before:.3g}", f"{change.after:.3g}", f"{change.factor:.2f}", change.verdict)
        for change in changes(before, after)
    ]
    if not rows:
        print("No ratio was measured again.")
        return
    print("\n".join(aligned_lines([("job", "A", "B", "B / A", ""), *rows])))


if __name__ == "__main__":
    if len(sys.argv) != 3 or not all(Path(name).is_file() for name in sys.argv[1:]):
        sys.exit("usage: python -m benchmarks.compare A.json B.json")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
