"""Remote files by `fsspec`: "s3://…", "https://…", "memory://…", and any other scheme that it supports.

A file is read in ranges, some of them ahead of the reader. If the connection breaks, a range is requested
again a few times, with a pause that doubles; the result is either the exact bytes of the file or an error.
Only the needed row groups of a Parquet file are read. Other binary formats are downloaded once, to a
temporary folder.
"""

from __future__ import annotations

import functools
import hashlib
import io
import os
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt.errors import BadInput
from rosenblatt.numeric.private_folders import private_folder

RANGE = 1 << 22
"""Bytes of one request."""
AHEAD = 3  # ranges requested ahead of the reader
TRIES = 5
PAUSE = 0.1  # seconds, doubled after each try


def is_remote(path: str) -> bool:
    """Return whether a path begins with a scheme, such as s3://.

    >>> is_remote("s3://bucket/rows.svm"), is_remote("rows.svm"), is_remote("C:/rows.svm")
    (True, False, False)
    """
    return "://" in path


def file_system(path: str) -> tuple[Any, str]:
    """Return the file system of an address, and the name of the file in it."""
    try:
        import fsspec
    except ImportError as error:
        raise BadInput(
            f"{path}: remote files need fsspec ({error}); pip install 'rosenblatt[cluster]'"
        ) from error
    try:
        return fsspec.core.url_to_fs(path)
    except ValueError as error:
        raise BadInput(
            f"{path}: fsspec does not know this kind of address ({error}); check its scheme"
        ) from error
    except ImportError as error:
        raise BadInput(
            f"{path}: fsspec needs another package for this address ({error}); install it"
        ) from error


class RemoteStat(NamedTuple):
    """Hold the size and the server's content tag of a remote file, which change with the file."""

    st_size: int
    mark: str


def try_request(path: str, what: Callable[[], Any]) -> Any:
    """Return the result of a request; retry it if the connection breaks."""
    for trial in range(TRIES):
        try:
            return what()
        except (FileNotFoundError, PermissionError, IsADirectoryError, BadInput):
            raise
        except Exception as error:  # each file system raises different errors for a broken connection
            if trial + 1 == TRIES:
                raise BadInput(
                    f"{path}: could not be read, tried {TRIES} times "
                    f"({type(error).__name__}: {str(error)[:200]}); try again, or fetch the file"
                ) from error
            time.sleep(PAUSE * 2**trial)
    raise AssertionError


def stat_of_remote(path: str) -> RemoteStat:
    """Return the size and content tag of a remote file."""
    system, name = file_system(path)
    about = try_request(path, lambda: system.info(name))
    if about.get("type") == "directory":
        raise IsADirectoryError(path)
    if about.get("size") is None:
        raise BadInput(f"{path}: the server does not report its size; download the file and give that")
    marks = [
        str(about[key]) for key in ("ETag", "etag", "mtime", "created", "LastModified") if about.get(key)
    ]
    return RemoteStat(int(about["size"]), marks[0] if marks else "")


def find_remote(path: str) -> list[str]:
    """Return the files of a remote address, pattern or folder, in sorted order."""
    system, name = file_system(path)
    scheme = path[: path.index("://") + 3]

    def with_scheme(each: str) -> str:
        return (
            each if is_remote(each) else scheme + each.lstrip("/") if scheme != "file://" else scheme + each
        )

    if any(letter in name for letter in "*?["):
        matches = sorted(try_request(path, lambda: system.glob(name)))
        if not matches:
            raise BadInput(f"{path}: no file matches; check the pattern")
        return [with_scheme(each) for each in matches]
    try:
        is_folder = try_request(path, lambda: system.info(name)).get("type") == "directory"
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file; check its name") from None
    if not is_folder:
        return [path]
    inside = [
        each["name"]
        for each in try_request(path, lambda: system.ls(name, detail=True))
        if each["type"] == "file"
    ]
    files = sorted(each for each in inside if not each.rsplit("/", 1)[-1].startswith((".", "_")))
    if not files:
        raise BadInput(f"{path}: is a folder without files in it; give a file, or another folder")
    return [with_scheme(each) for each in files]


class Ranges:
    """Cache the bytes of a remote file by range, and request some ranges before they are needed."""

    def __init__(self, path: str, stat: RemoteStat) -> None:
        self.path, self.size = path, stat.st_size
        self._asked: dict[int, Future[bytes]] = {}
        self._lock = threading.Lock()
        self._threads: ThreadPoolExecutor | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Ranges, (self.path, RemoteStat(self.size, ""))

    def read(self, offset: int, n_bytes: int) -> bytes:
        """Return `n_bytes` bytes from `offset` on, or fewer at the end of the file."""
        end = min(offset + n_bytes, self.size)
        if offset >= end:
            return b""
        first, last = offset // RANGE, (end - 1) // RANGE
        with self._lock:
            self._threads = self._threads or ThreadPoolExecutor(AHEAD + 1)
            for number in range(first, min(last + AHEAD, (self.size - 1) // RANGE) + 1):
                if number not in self._asked:
                    self._asked[number] = self._threads.submit(self._fetch, number)
            for number in [each for each in self._asked if each < first - AHEAD]:
                del self._asked[number]
            futures = [self._asked[number] for number in range(first, last + 1)]
        try:
            pieces = b"".join(future.result() for future in futures)
        except BaseException:
            with self._lock:
                self._asked.clear()
            raise
        begin = offset - first * RANGE
        return pieces[begin : begin + end - offset]

    def _fetch(self, number: int) -> bytes:
        system, name = file_system(self.path)
        begin, end = number * RANGE, min((number + 1) * RANGE, self.size)

        def fetch() -> bytes:
            got = bytes(system.cat_file(name, start=begin, end=end))
            if len(got) == self.size != end - begin:
                got = got[begin:end]  # the server ignores ranges
            if len(got) != end - begin:
                raise OSError(f"{len(got):,} bytes received, expected {end - begin:,}")
            return got

        return try_request(self.path, fetch)


class RemoteFile(io.RawIOBase):
    """Read a remote file, sequentially or at any position.

    `ranges` is a cache of its bytes that several readers can share.
    """

    def __init__(self, path: str, ranges: Ranges | None = None) -> None:
        self._ranges, self._at = ranges or Ranges(path, stat_of_remote(path)), 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._ranges.size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, room: Any) -> int:
        piece = self._ranges.read(self._at, len(room))
        room[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)


@functools.cache
def _copies_folder() -> str:
    """Return a folder for local copies: private to the user if possible, otherwise to this process."""
    user = os.geteuid() if hasattr(os, "geteuid") else 0
    shared = private_folder(Path(tempfile.gettempdir()) / f"rosenblatt-remote-{user}")
    return str(shared or tempfile.mkdtemp(prefix="rosenblatt-remote-"))


def fetched_copy(path: str) -> str:
    """Return the path of a local copy of a remote file, downloaded again only if the file has changed."""
    stat = stat_of_remote(path)
    key = hashlib.sha256(f"{path}\0{stat.st_size}\0{stat.mark}".encode()).hexdigest()[:16]
    copy = os.path.join(_copies_folder(), f"{key}-{path.rstrip('/').rsplit('/', 1)[-1]}")
    if not (os.path.exists(copy) and os.path.getsize(copy) == stat.st_size):
        ranges, part = Ranges(path, stat), f"{copy}.{os.getpid()}"
        with open(part, "wb") as file:
            for offset in range(0, stat.st_size, RANGE):
                file.write(ranges.read(offset, RANGE))
        os.replace(part, copy)
    return copy
