"""Without `fcntl`, `resource` and `os.sysconf`, as on Windows, files and limits work too."""

import os
import sys

from rosenblatt.cli.reading_options import is_beyond_memory
from rosenblatt.data import whole_files


def test_files_are_replaced_without_locks(tmp_path, monkeypatch):
    monkeypatch.setattr(whole_files, "fcntl", None)
    path = tmp_path / "model"
    path.write_text("old")
    with whole_files.replacing(str(path)) as fresh, open(fresh, "w") as file:
        file.write("new")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["model"]


def test_without_limits_of_memory_every_file_fits(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.delattr(os, "sysconf")
    assert not is_beyond_memory(1 << 50)
