"""The bytes of a file, whichever way they are kept: plain, .gz, .bz2, .xz, or standard input."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import sys
import zlib

from rosenblatt.errors import BadInput

STANDARD_INPUT = ("-", "/dev/stdin")

PACKINGS = {
    re.compile(rb"\x1f\x8b\x08"): gzip.decompress,
    re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"): bz2.decompress,
    re.compile(rb"\xfd7zXZ\0"): lzma.decompress,
}
"""Known by their first bytes, not by a name: standard input and misnamed downloads have none."""

UTF8_MARK = b"\xef\xbb\xbf"


def contents(path: str) -> bytes:
    """All bytes of a file, unpacked.

    >>> contents("no/such/file.svm")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: no/such/file.svm: there is no such file; check its name
    """
    try:
        if path in STANDARD_INPUT:
            content = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                content = file.read()
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file; check its name") from None
    except IsADirectoryError:
        raise BadInput(f"{path}: is a folder; give one of the files in it") from None
    except OSError as error:
        if os.path.isdir(path):  # Windows calls it a lack of permission
            raise BadInput(f"{path}: is a folder; give one of the files in it") from None
        raise BadInput(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
    content = _unpacked(content, path)
    if not content:
        raise BadInput(f"{path}: the file is empty; give one with at least one row")
    return content


def _unpacked(content: bytes, name: str) -> bytes:
    for mark, unpack in PACKINGS.items():
        if mark.match(content):
            try:
                return unpack(content)
            except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error) as error:
                raise BadInput(
                    f"{name}: the packed data is damaged or cut short ({error}); fetch the file again"
                ) from error
    return content


def as_text(content: bytes, name: str) -> bytes:
    """The bytes of a text file: without a byte-order mark, lines ended by a newline.

    >>> as_text(b"\\xef\\xbb\\xbf1 1:2\\r3 1:4", "old.svm")
    b'1 1:2\\n3 1:4'
    """
    if b"\0" in content[: 1 << 16]:
        raise BadInput(
            f"{name}: is a binary file, expected text; give its format "
            "(and save text as UTF-8: UTF-16 looks like this)"
        )
    content = content.removeprefix(UTF8_MARK)
    if b"\n" not in content:
        content = content.replace(b"\r", b"\n")
    return content
