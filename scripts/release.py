"""Build and check the files of a release: ``make release``.

The source distribution and the wheel are built twice and must be equal, byte for byte. The wheel is
installed in a new environment, and the examples and commands of the README run there. SHA256SUMS is written
beside the files.
"""

from __future__ import annotations

import filecmp
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
BLOCK = re.compile(r"^```\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^(rosenblatt|cp) ")
RESULTS = (0, 1, 2)  # exit codes that report a result; 64 and up are errors


def main() -> None:
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        first, second = (build(Path(folder, name)) for name in ("first", "second"))
        for one, other in zip(first, second, strict=True):
            if not filecmp.cmp(one, other, shallow=False):
                sys.exit(f"{one.name} differs between two builds of the same commit")
        shutil.copytree(first[0].parent, DIST)
    files = sorted(DIST.iterdir())
    run(sys.executable, "-m", "twine", "check", "--strict", *files)
    run(sys.executable, "-m", "check_wheel_contents", *DIST.glob("*.whl"))
    run_readme(next(DIST.glob("*.whl")))
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (DIST / "SHA256SUMS").write_text("".join(lines))
    print(f"\n{''.join(lines)}built and checked in {DIST.relative_to(ROOT)}/")


def build(folder: Path) -> list[Path]:
    """Build both files with the time of the last commit as their time."""
    time = subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=ROOT, text=True).strip()
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, SOURCE_DATE_EPOCH=time)
    return sorted(folder.iterdir())


def run_readme(wheel: Path) -> None:
    """Install the wheel in a new environment, and run the examples and commands of the README there."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        run(scripts / "python", "-m", "pip", "install", "--quiet", wheel)
        shutil.copytree(ROOT / "src", folder / "src")  # the README copies its file from the clone
        doctest = ("-m", "doctest", "-o", "NORMALIZE_WHITESPACE", ROOT / "README.md")
        run(scripts / "python", *doctest, here=folder)
        for line in commands(readme):
            code = run("sh", "-c", line, here=folder, codes=RESULTS, PATH=f"{scripts}:{os.environ['PATH']}")
            print(f"exit code {code}: {line}")


def commands(text: str) -> list[str]:
    """Return the lines of shell blocks that call `rosenblatt` or copy its example."""
    lines = [line for block in BLOCK.findall(text) for line in block.splitlines()]
    return [line.partition(" #")[0].strip() for line in lines if COMMAND.match(line)]


def run(*words: object, here: Path = ROOT, codes: tuple[int, ...] = (0,), **variables: str) -> int:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    code = subprocess.run([str(word) for word in words], cwd=here, env=environment).returncode
    if code not in codes:
        sys.exit(f"exit code {code}: {' '.join(map(str, words))}")
    return code


if __name__ == "__main__":
    main()
