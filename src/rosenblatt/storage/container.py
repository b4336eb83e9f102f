"""One `.safetensors` file: arrays, and a JSON document in its metadata. Writing is atomic.

The `safetensors` package lays out the arrays and checks their positions. This module adds the following:

* A file is read into memory before it is decoded, so a file that shrinks meanwhile cannot end the process.
* Duplicate names are refused.
* A full disk is an `OSError` with its error number.
* Equal models have equal bytes. This needs a single metadata key, because several keys are written in
  random order.
* The document holds the format version, and the SHA-256 of the whole file with zeros in place of the
  digest. So a file with a changed bit is refused, and so is a file of another format version.
* A large array with many zeros (weights of many classes) is packed into a bit mask of the nonzero numbers
  and the nonzero numbers themselves.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors import numpy as arrays_as_bytes

from rosenblatt.data.whole_files import replacing
from rosenblatt.errors import BadInput

FORMAT_VERSION = 4

DOCUMENT = "rosenblatt"  # the only key of the metadata
VERSION, DIGEST = "format_version", "digest"  # in the document
BLANK = "0" * 64  # replaces the digest while the digest is computed
METADATA = "__metadata__"
MOST_HEADER = 1 << 24  # bytes in a header
MOST_VALUES = 1 << 20  # values in a JSON text: each takes a hundred bytes of memory
DEEPEST = 64  # levels of nested lists and objects
LARGE = 1 << 16  # arrays with fewer numbers are never packed
SHAPE, PLACES, PACKED = ":shape", ":places", ":packed"  # suffixes of the three arrays of a packed one

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

Path = str | os.PathLike[str]
Arrays = dict[str, NDArray[Any]]


# ---------------------------------------------------------------- writing


def write(path: Path, arrays: Mapping[str, NDArray[Any]], document: Mapping[str, Any]) -> None:
    """Write a file atomically; if writing fails, the old file stays unchanged.

    The bytes go to a new file in the same folder, which replaces the old one once they are on the disk. A
    failure is an `OSError` with the name of the file.
    """
    name = os.fspath(path)
    try:
        text = json.dumps(
            {VERSION: FORMAT_VERSION, DIGEST: BLANK, **document}, allow_nan=False, separators=(",", ":")
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"{name}: the document to store with the arrays is not JSON: {error}") from error
    head, body = encode(arrays, text)
    if (n_values := _values_in(text)) > MOST_VALUES:
        raise BadInput(
            f"{name}: {n_values:,} names and settings, more than a model file holds "
            f"({MOST_VALUES:,}); give fewer columns"
        )
    if len(head) > MOST_HEADER:
        raise BadInput(
            f"{name}: {len(head):,} bytes of names and settings, more than a model file holds "
            f"({MOST_HEADER:,}); give fewer or shorter ones"
        )
    with _writing_errors(name), replacing(path) as fresh, open(fresh, "wb") as file:
        file.write(head)
        file.write(body)


def encode(arrays: Mapping[str, NDArray[Any]], text: str) -> tuple[bytes, memoryview]:
    """Return the header of a file with its digest filled in, and the bytes that follow the header."""
    stored = {name: part for key, array in arrays.items() for name, part in _pack(key, array).items()}
    content = arrays_as_bytes.save(
        {key: np.asarray(array, order="C") for key, array in stored.items()}, {DOCUMENT: text}
    )
    end = 8 + int.from_bytes(content[:8], "little")
    digest = hashlib.sha256(content).hexdigest()
    return content[:end].replace(BLANK.encode(), digest.encode(), 1), memoryview(content)[end:]


def _pack(key: str, array: NDArray[Any]) -> Arrays:
    """Return the arrays to write: the array itself or, if at least half of it is 0, its packed form."""
    if array.dtype != np.float64 or array.size < LARGE or 2 * np.count_nonzero(array) > array.size:
        return {key: array}
    flat = array.reshape(-1)
    filled = flat.view(np.uint64) != 0  # −0.0 must be kept, so compare the bits
    shape = np.array(array.shape, np.int64)
    return {key + SHAPE: shape, key + PLACES: np.packbits(filled), key + PACKED: flat[filled]}


@contextmanager
def _writing_errors(name: str) -> Iterator[None]:
    """Add the name of the file to errors that occur while it is written; their type does not change."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        if error.errno in NO_ROOM:
            what = f"no space for the model ({why}); free some, or save it elsewhere"
        elif isinstance(error, FileNotFoundError):
            what = "there is no such folder; create it first, or save the model elsewhere"
        elif isinstance(error, IsADirectoryError):
            what = "is a folder; give the name of a file in it"
        else:
            what = f"the model cannot be written ({why}); save it elsewhere"
        raise OSError(error.errno, f"{what}. The previous file is unchanged", name) from error


# ---------------------------------------------------------------- reading


def read(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays and the document of a file that `write` wrote; refuse any other file.

    No code from the file is run. The arrays are writable. While the file is decoded, its bytes are in
    memory in addition to the arrays. Plain arrays are as large as in the file, packed arrays at most 64
    times as large.

    Examples
    --------
    >>> read("no/such/model.safetensors")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: no/such/model.safetensors: there is no such file; check its name
    """
    name = os.fspath(path)
    with naming(name), _open_file(name) as file:
        header = _read_header(file)
        file.seek(0)
        content = file.read()
        document, digest = _document(header)
        arrays = _decode_arrays(content)
        _refuse_damage(content, len(header), digest)
        return _unpack(arrays), document


def read_document(path: Path) -> dict[str, Any]:
    """Return only the document, which contains the kind of model, without reading the arrays."""
    name = os.fspath(path)
    with naming(name), _open_file(name) as file:
        return _document(_read_header(file))[0]


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Prefix errors about the contents of a file with the file's name."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{os.fspath(path)}: {error}") from error


@contextmanager
def _open_file(name: str) -> Iterator[BinaryIO]:
    try:
        found = os.stat(name).st_mode
        if stat.S_ISDIR(found):
            raise BadInput("is a folder; give one of the files in it")
        if not stat.S_ISREG(found):  # reading a pipe could block for ever
            raise BadInput("is not a regular file; copy its contents to one first")
        with open(name, "rb") as file:
            yield file
    except FileNotFoundError:
        raise BadInput("there is no such file; check its name") from None
    except OSError as error:
        why = error.strerror or str(error)
        raise BadInput(f"cannot be read ({why}); check its permissions") from error
    except ValueError as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"is not a valid file name ({error})") from error


def _read_header(file: BinaryIO) -> bytes:
    """Return the header of a file, including the 8 bytes that hold its length."""
    what = "not a model file of rosenblatt ({}); give a file that rosenblatt.save wrote"
    start = file.read(9)
    length = int.from_bytes(start[:8], "little")
    if len(start) < 9:
        raise BadInput(what.format(f"{len(start)} bytes in all"))
    if start[8:] != b"{" or not 2 <= length <= MOST_HEADER:
        raise BadInput(what.format("it does not begin like a safetensors file"))
    size = os.fstat(file.fileno()).st_size
    header = start + file.read(min(length, size) - 1)
    if len(header) < 8 + length:
        raise BadInput(
            f"cut short: {len(header):,} bytes in all, and its header has {length:,}; copy it again"
        )
    return header


def _document(header: bytes) -> tuple[dict[str, Any], Any]:
    """Return the document in a header and the digest that was stored in it."""
    fields = parse_json(header[8:], "the header")
    metadata = fields.get(METADATA) if isinstance(fields, dict) else None
    if not isinstance(metadata, dict) or not isinstance(metadata.get(DOCUMENT), str):
        raise BadInput(
            f"a safetensors file of another program: its metadata has no text {DOCUMENT!r}; give a file "
            "that rosenblatt.save wrote"
        )
    if VERSION in metadata:  # formats 1 to 3 stored the version here
        raise BadInput(
            f"written by a rosenblatt before 0.1 (format {short(metadata[VERSION], '{}')}), which this "
            "version does not read; train the model again"
        )
    document = parse_json(metadata[DOCUMENT].encode("utf-8", "surrogatepass"), "the document")
    if not isinstance(document, dict):
        raise BadInput("damaged: the document is not a JSON object; save the model again")
    version = document.pop(VERSION, None)
    if type(version) is int and version > FORMAT_VERSION:
        raise BadInput(
            f"written by a newer rosenblatt (format {short(version)}); upgrade: pip install -U rosenblatt"
        )
    if type(version) is not int or version != FORMAT_VERSION:
        raise BadInput(f"damaged: the format version is {short(version)}, expected {FORMAT_VERSION}")
    return document, document.pop(DIGEST, None)


def _decode_arrays(content: bytes) -> Arrays:
    try:
        arrays: Arrays = dict(sorted(arrays_as_bytes.load(content).items()))
    except SafetensorError as error:
        raise BadInput(f"damaged or cut short ({short(error, '{}')}); copy it again") from error
    except KeyError as error:
        raise BadInput(f"an array has numbers of type {short(error.args[0])}, which numpy lacks") from error
    except (ValueError, MemoryError) as error:
        raise BadInput(f"an array does not fit into memory ({short(error, '{}')})") from error
    for key, array in arrays.items():
        if array.dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
            raise BadInput(f"damaged: array {short(key)} of truth values has values other than 0 and 1")
    return arrays


def _refuse_damage(content: bytes, end: int, found: Any) -> None:
    blank = content[:end].replace(found.encode(), BLANK.encode(), 1) if isinstance(found, str) else b""
    digest = hashlib.sha256(blank)
    digest.update(memoryview(content)[end:])
    if found != digest.hexdigest():
        raise BadInput(
            "damaged: the content is not what was written (its digest differs); copy or save it again"
        )


def parse_json(text: bytes, what: str) -> Any:
    """Return parsed JSON; refuse JSON that is too large or too deep, repeated keys and infinite numbers."""
    try:
        decoded = text.decode("utf-8", "surrogatepass")
        if _values_in(decoded) > MOST_VALUES:
            raise ValueError(f"more than {MOST_VALUES:,} values")
        found = json.loads(
            decoded, object_pairs_hook=_each_once, parse_constant=_finite, parse_float=_finite
        )
        _refuse_depth(found)
    except (ValueError, RecursionError) as error:
        why = "nested too deeply" if isinstance(error, RecursionError) else short(error, "{}")
        raise BadInput(f"damaged: {what} cannot be read ({why}); copy or save it again") from error
    return found


def _values_in(text: str) -> int:
    """Return an upper bound on the number of values in a JSON text."""
    return 1 + text.count(",") + text.count("[") + text.count("{")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{short(text)} is not a finite number")
    return number


def _refuse_depth(value: Any) -> None:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for parent in level
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
        if not level:
            return
    raise RecursionError


def _unpack(arrays: Arrays) -> Arrays:
    """Return the arrays by name, after unpacking packed arrays."""
    for key in [name.removesuffix(PACKED) for name in arrays if name.endswith(PACKED)]:
        shape, places, numbers = (arrays.pop(key + part, None) for part in (SHAPE, PLACES, PACKED))
        arrays[key] = _spread_out(key, shape, places, numbers)
    return arrays


def _spread_out(key: str, shape: Any, places: Any, numbers: Any) -> NDArray[np.float64]:
    """Return a packed array in its original form; it has at most one number per bit of its mask."""
    parts = ((shape, np.int64), (places, np.uint8), (numbers, np.float64))
    if all(part is not None and part.ndim == 1 and part.dtype == kind for part, kind in parts):
        sizes = shape.tolist()
        size = math.prod(sizes)
        if len(sizes) <= 8 and min(sizes, default=1) >= 0 and places.size == -(-size // 8):
            filled = np.unpackbits(places, count=size).view(np.bool_)
            if np.count_nonzero(filled) == numbers.size:
                array = np.zeros(size)
                array[filled] = numbers
                return array.reshape(sizes)
    raise BadInput(f"damaged: the indices and values of array {short(key)} disagree; copy it again")


def short(value: Any, form: str = "{!r}") -> str:
    """Return a value as text, shortened to at most 80 characters for a message."""
    text = form.format(value) if not isinstance(value, int) or abs(value) < 1 << 64 else "a huge number"
    return text if len(text) <= 80 else text[:77] + "..."
