"""Zip archives, whose members have addresses such as "days.zip/monday.csv"."""

from __future__ import annotations

import os
import struct
import zipfile
from functools import lru_cache
from typing import BinaryIO

from rosenblatt.errors import BadInput

ZIP = ".zip"
NOT_ROWS = ("__MACOSX/", ".", "_")
"""Prefixes of archive members that programs add automatically."""

OFFICE = {"word/": "a Word document", "xl/": "an Excel workbook", "ppt/": "a PowerPoint presentation"}

CONVERSIONS = {
    "an Excel workbook": "convert it: python -c \"import pandas; pandas.read_excel('{0}')"
    ".to_csv('{0}.csv', index=False)\" (needs pandas and openpyxl)",
    "an SQLite database": "export a table: sqlite3 -header -csv '{0}' 'select * from TABLE' > table.csv",
}
"""How to make a csv file of files that are not read, in one line."""


def on_disk(path: str) -> str:
    """Return the path of the file on disk: the archive if `path` is a member, otherwise `path` itself."""
    return archive_and_member(path)[0]


def archive_and_member(path: str) -> tuple[str, str]:
    """Split a path into archive and member; the member is empty for files outside archives.

    >>> archive_and_member("no/such.zip/monday.csv")
    ('no/such.zip/monday.csv', '')
    """
    lowered, mark = path.lower(), f"{ZIP}/"
    at = lowered.find(mark)
    while at >= 0:
        if os.path.isfile(archive := path[: at + len(ZIP)]):
            return archive, path[at + len(mark) :]
        at = lowered.find(mark, at + 1)
    return path, ""


def is_archive(path: str) -> bool:
    return path.lower().endswith(ZIP) and os.path.isfile(path)


def members(path: str) -> list[str]:
    """Return the addresses of all files in an archive, in sorted order."""
    archive = _archive(path)
    kept = [
        info.filename
        for info in archive.infolist()
        if info.filename  # zipfile cannot decide whether a member without a name is a folder
        and not info.is_dir()
        and not info.filename.startswith(NOT_ROWS[0])
        and not info.filename.rsplit("/", 1)[-1].startswith(NOT_ROWS[1:])
    ]
    names = {info.filename for info in archive.infolist()}
    if "[Content_Types].xml" in names:
        kind = next((kind for mark, kind in OFFICE.items() if any(n.startswith(mark) for n in names)), "")
        how = CONVERSIONS.get(kind, "save its table as csv and give that file").format(path)
        raise BadInput(f"{path}: is {kind or 'an Office document'}; {how}")
    if not kept:
        raise BadInput(f"{path}: the archive contains no files; give another")
    if any(info.flag_bits & 1 for info in archive.infolist()):
        raise BadInput(f"{path}: the archive is encrypted; extract it and give the files")
    return [f"{path}/{name}" for name in sorted(kept)]


def opened_member(path: str) -> BinaryIO:
    """Open a member of an archive for reading bytes."""
    archive, member = archive_and_member(path)
    try:
        return _archive(archive).open(member)  # type: ignore[return-value]
    except KeyError:
        raise BadInput(f"{path}: the archive has no such file; check its name") from None


def _archive(path: str) -> zipfile.ZipFile:
    stat = os.stat(path)
    return _of_file(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=4)
def _of_file(path: str, changed: int, size: int) -> zipfile.ZipFile:
    """Open an archive and cache it, since reading the directory of a large archive takes time."""
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error) as error:
        raise BadInput(f"{path}: is not a zip archive, or is damaged ({error}); fetch it again") from error
