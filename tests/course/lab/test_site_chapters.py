"""The chapters of the lab: their own tests, run by node, and the facts about their files."""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rosenblatt.course.lab import static_site
from rosenblatt.course.lab.static_site import gzip_file, site_files

NODE = shutil.which("node") or shutil.which("nodejs")
SOURCE = Path(static_site.__file__).parent / "site"
KEYS = sorted(folder.name for folder in (SOURCE / "chapters").iterdir() if folder.is_dir())
MOST = 150_000
"""Bytes that opening a chapter may transfer."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with the tests of its chapters, in a folder in which node accepts modules."""
    folder: Path = tmp_path_factory.mktemp("site")
    static_site.build_site(folder)
    shutil.copytree(SOURCE, folder, dirs_exist_ok=True)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


@pytest.mark.skipif(NODE is None, reason="needs node: apt install nodejs")
@pytest.mark.parametrize("key", [*KEYS, "shell"])
def test_a_chapter_passes_its_own_tests(site: Path, key: str) -> None:
    path = "shell/test.js" if key == "shell" else f"chapters/{key}/test.js"
    done = subprocess.run(
        [str(NODE), "--test", path], cwd=site, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_every_folder_of_a_chapter_is_listed_with_its_four_files() -> None:
    listed = re.findall(
        r'\{ key: "(\w+)", title: "[^"]+", about:', (SOURCE / "chapters/index.js").read_text()
    )
    assert sorted(listed) == KEYS
    for key in KEYS:
        for name in ("text.md", "scene.js", "questions.js", "test.js"):
            assert (SOURCE / "chapters" / key / name).is_file(), f"{key}/{name}"


def test_imports_of_the_site_name_files_of_the_site() -> None:
    files = site_files()
    for path, content in files.items():
        if not path.endswith(".js") or path.startswith("viewer/"):
            continue
        for target in re.findall(r'from "(\.{1,2}/[^"]+)"', content.decode()):
            parts = path.split("/")[:-1]
            for step in target.split("/"):
                if step == "..":
                    parts.pop()
                elif step != ".":
                    parts.append(step)
            assert "/".join(parts) in files or path.startswith("chapters/testing"), (path, target)


def test_the_site_names_no_other_host() -> None:
    for path, content in site_files().items():
        text = content.decode()
        found = set(re.findall(r"https?://[\w.-]+", text)) - {"http://www.w3.org"}
        assert not found, (path, found)


def test_the_site_is_smaller_than_a_megabyte_and_a_half() -> None:
    assert sum(map(len, site_files().values())) < 1_500_000


def loaded_with(path: str, found: set[str]) -> set[str]:
    """The module and all modules that it imports, directly or not."""
    if path not in found:
        found.add(path)
        for target in re.findall(r'(?:from|import) "(\.{1,2}/[^"]+)"', site_files()[path].decode()):
            loaded_with(posixpath.normpath(posixpath.join(posixpath.dirname(path), target)), found)
    return found


@pytest.mark.parametrize("key", KEYS)
def test_everything_that_a_chapter_loads_is_less_than_150_kilobytes_over_the_wire(key: str) -> None:
    loaded: set[str] = {"index.html", "lab.css", "viewer/viewer.css", f"chapters/{key}/text.md"}
    scene, questions = f"chapters/{key}/scene.js", f"chapters/{key}/questions.js"
    for module in ("shell/page.js", "shell/chapter.js", scene, questions):
        loaded_with(module, loaded)
    assert sum(len(gzip_file(path)) for path in loaded) < MOST
