"""Compiled code is loaded only from folders and files that no other user can write to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rosenblatt.numeric.private_folders import private_folder, read_private_file, write_private_file

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no owners and modes of this kind")


@pytest.fixture(autouse=True)
def umask():
    """Let new folders and files be writable by everyone unless a mode is given."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def base(tmp_path):
    """Return a folder that only this user can write to."""
    tmp_path.chmod(0o755)
    return tmp_path.resolve()


def test_new_folders_belong_to_the_user_alone(base):
    made = private_folder(base / "a" / "b")
    assert made == base / "a" / "b"
    assert [each.stat().st_mode & 0o777 for each in (made, made.parent)] == [0o700, 0o700]
    assert private_folder(made) == made


def test_a_folder_that_others_may_read_is_used(base):
    (base / "folder").mkdir(mode=0o755)
    assert private_folder(base / "folder") == base / "folder"


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722, 0o702, 0o1777])
def test_a_folder_that_others_may_write_to_is_refused(mode, base):
    (base / "folder").mkdir()
    (base / "folder").chmod(mode)
    assert private_folder(base / "folder") is None


def test_a_link_or_a_file_in_place_of_a_folder_is_refused(base):
    (base / "folder").mkdir(mode=0o700)
    (base / "link").symlink_to("folder")
    (base / "file").touch(0o600)
    for name in ("link", "file", "file/below"):
        assert private_folder(base / name) is None


def test_a_folder_of_another_user_is_refused(base, monkeypatch):
    (base / "folder").mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 12345)
    assert private_folder(base / "folder") is None


@pytest.mark.skipif(getattr(os, "getuid", lambda: 1)() != 0, reason="only root can give a folder away")
def test_a_folder_below_one_of_another_user_is_refused_and_nothing_is_created(base):
    (base / "theirs").mkdir(mode=0o755)
    os.chown(base / "theirs", 12345, 12345)
    assert private_folder(base / "theirs" / "new") is None
    assert not list((base / "theirs").iterdir())


@pytest.mark.parametrize(("mode", "is_used"), [(0o777, False), (0o775, False), (0o1777, True)])
def test_a_folder_that_others_may_rename_is_refused(mode, is_used, base):
    (base / "shared").mkdir()
    (base / "shared").chmod(mode)
    assert (private_folder(base / "shared" / "folder") is not None) == is_used


@pytest.mark.parametrize("mode", [0o660, 0o602])
def test_a_file_that_others_may_write_to_is_not_read(mode, base):
    file = base / "file"
    write_private_file(file, b"content")
    assert read_private_file(file) == b"content"
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(mode)
    with pytest.raises(PermissionError):
        read_private_file(file)


def test_a_link_in_place_of_a_file_is_not_read(base):
    write_private_file(base / "file", b"content")
    (base / "link").symlink_to("file")
    with pytest.raises(OSError, match="link"):
        read_private_file(base / "link")


def test_a_file_is_replaced_as_a_whole_or_not_at_all(base, monkeypatch):
    write_private_file(base / "file", b"old")

    def fail(*arguments):
        raise OSError(28, "no space left")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        write_private_file(base / "file", b"new")
    assert [each.name for each in base.iterdir()] == ["file"]
    assert (base / "file").read_bytes() == b"old"


FOLDERS = """
from rosenblatt.numeric.code_cache import cache_root, code_folder, sources_digest
print(cache_root(), code_folder("loops"), len(sources_digest("parsers")))
"""


def folders(**variables: object) -> tuple[str, str]:
    """Return the folders that a new process uses."""
    unset = ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "TMPDIR")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment |= {name: str(value) for name, value in variables.items()}
    done = subprocess.run(
        [sys.executable, "-c", FOLDERS], env=environment, capture_output=True, text=True, check=True
    )
    root, loops, length = done.stdout.split()
    assert length == "64"
    return root, loops


@pytest.mark.parametrize("variable", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])
def test_the_named_folder_is_used_unless_others_may_write_to_it(variable, base):
    (base / "tmp").mkdir(mode=0o700)
    (base / "named").mkdir(mode=0o755)
    root, loops = folders(**{variable: base / "named"}, TMPDIR=base / "tmp")
    assert root == str(base / "named" / "rosenblatt")
    assert Path(loops).parent == Path(root)
    planted = base / "named" / "rosenblatt"
    before = sorted(planted.rglob("*"))
    planted.chmod(0o777)
    root, loops = folders(**{variable: base / "named"}, TMPDIR=base / "tmp")
    assert root == str(base / "tmp" / f"rosenblatt-{os.getuid()}")
    assert Path(loops).parent == Path(root)
    assert sorted(planted.rglob("*")) == before


def test_without_a_private_folder_nothing_is_stored(base):
    planted = base / f"rosenblatt-{os.getuid()}"
    planted.mkdir(mode=0o777)
    assert folders(HOME="/proc/nohome", TMPDIR=base) == ("None", "None")
    assert not list(planted.iterdir())


def test_a_planted_digest_cannot_choose_the_folder(base):
    root, loops = folders(NUMBA_CACHE_DIR=base)
    for note in (Path(root) / "digests").iterdir():
        note.write_text("../" * 20 + "tmp/")
    assert folders(NUMBA_CACHE_DIR=base) == (root, loops)
