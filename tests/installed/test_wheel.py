"""Every command of the wheel works, or names its missing extra, in new environments of each Python version.

Run by `make test-wheel`. Missing versions of Python are skipped, as are all versions if pip reaches no
package index.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import EXTRAS, FILES, NEED_AN_EXTRA, WORK

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
LIST_EXTRAS = f"from importlib.util import find_spec as f; print([n for n in {EXTRAS} if f(n)])"
UNREACHABLE = re.compile(r"Retrying \(|ConnectionError|NewConnectionError|ProxyError|ConnectTimeout")
# interpreted hashes warn of the overflow that they rely on
INTERPRETED = {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore::RuntimeWarning"}


def run(*words: str | Path, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command without environment variables that lead to this checkout."""
    ours = ("PYTHON", "NUMBA", "ROSENBLATT", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)} | more
    return subprocess.run(
        list(map(str, words)), cwd=folder, env=environment, capture_output=True, text=True, timeout=900
    )


def pip(python: Path | str, *words: str | Path, folder: Path) -> None:
    done = run(python, "-m", "pip", "--disable-pip-version-check", "--retries", "1", *words, folder=folder)
    if done.returncode:
        if UNREACHABLE.search(done.stderr):
            pytest.skip("pip cannot reach the packages that the wheel requires")
        pytest.fail(f"pip {' '.join(map(str, words))}\n{done.stdout}{done.stderr}")


def candidates(version: str) -> Iterator[str]:
    """Yield possible interpreters: this one, and those on the path, of pyenv and of uv."""
    yield sys.executable
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if found := shutil.which(f"python{version}", path=folder):
            yield found
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    uv = Path.home() / ".local/share/uv/python"
    for place, pattern in ((pyenv, f"{version}.*"), (uv, f"cpython-{version}.*")):
        yield from map(str, place.glob(f"{pattern}/bin/python{version}"))


def python_of(version: str, folder: Path) -> str:
    """Return a Python of that version that can make environments, or skip the test."""
    query = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    for python in dict.fromkeys(candidates(version)):
        done = run(python, "-c", query, folder=folder)
        if done.returncode == 0 and done.stdout.strip() == version:
            return python
    pytest.skip(f"there is no Python {version} with venv on this machine")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip(sys.executable, "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, folder=folder)
    (built,) = folder.glob("rosenblatt-*.whl")
    return built


@pytest.mark.parametrize("version", PYTHONS)
def test_every_command_of_the_installed_wheel_works_or_names_its_extra(wheel, tmp_path, version):
    made = run(python_of(version, tmp_path), "-m", "venv", tmp_path / "bare", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    scripts = tmp_path / "bare" / ("Scripts" if os.name == "nt" else "bin")
    pip(scripts / "python", "install", "--quiet", wheel, folder=tmp_path)
    assert run(scripts / "python", "-c", LIST_EXTRAS, folder=tmp_path).stdout == "[]\n"
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    wrong = {}
    for line in (*WORK, *NEED_AN_EXTRA):
        how = {} if line == "demo" else INTERPRETED  # compiling takes two minutes
        done = run(scripts / "rosenblatt", *line.split(), folder=tmp_path, **how)
        extra = NEED_AN_EXTRA.get(line)
        lines = done.stderr.strip().splitlines()
        names_it = len(lines) == 1 and f"pip install 'rosenblatt[{extra}]'" in lines[0]
        if (done.returncode != 0) if extra is None else (done.returncode in (0, 1) or not names_it):
            wrong[line] = (done.returncode, done.stderr)
    assert wrong == {}
