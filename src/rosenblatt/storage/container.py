"""One `.safetensors` file: arrays, and a JSON document in its metadata. Written whole or not at all.

The layout is that of safetensors: eight bytes with the length of a JSON header, the header, the bytes of
all arrays without gaps. It is written and read here, not by the package of that name, for four reasons:
that package tells of a full disk only in words, without the error's number; two files of one model need not
have the same bytes, since it orders the metadata at random; a file that is cut while it is being read
through a memory map ends the process; and names that come twice pass. The tests hold what is written here
against it.

Equal models have equal bytes. From format 2 on the metadata have the SHA-256 of the whole file, taken with
zeros in its own place, so that a file whose bits have changed is refused. A large array that is mostly
zeros (weights of many classes) is packed: which of its numbers are not zero, a bit for each, and those
numbers. A file with such an array is of format 3, all others of format 2.

The promise: a file of any earlier format version can be read for ever. The version goes up when a reader of
the old format would misunderstand a file, never for another reason; `tests/storage/golden` has files of
every version, which must be read as on the day they were written.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.whole_files import replacing
from rosenblatt.errors import BadInput

UNPACKED_VERSION, FORMAT_VERSION = 2, 3

DOCUMENT, VERSION, DIGEST = "rosenblatt", "format_version", "digest"  # in the metadata
BLANK = b"0" * 64  # stands for the digest while it is taken
METADATA = "__metadata__"
MOST_HEADER = 1 << 24  # bytes
MOST_VALUES = 1 << 20  # of a JSON text: each costs a hundred bytes of memory
DEEPEST = 64  # nested lists and objects
LARGE = 1 << 16  # numbers: smaller arrays are stored as they are
SHAPE, PLACES, PACKED = ":shape", ":places", ":packed"  # the three arrays that stand for a packed one

NUMBERS: dict[str, np.dtype[Any]] = {
    "BOOL": np.dtype(np.bool_),
    **{f"I{8 * size}": np.dtype(f"i{size}") for size in (1, 2, 4, 8)},
    **{f"U{8 * size}": np.dtype(f"u{size}") for size in (1, 2, 4, 8)},
    **{f"F{8 * size}": np.dtype(f"f{size}") for size in (2, 4, 8)},
}
"""The kinds of numbers that arrays may have, by their names in the format."""

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

Path = str | os.PathLike[str]
Arrays = dict[str, NDArray[Any]]


# ---------------------------------------------------------------- writing


def write(path: Path, arrays: Mapping[str, NDArray[Any]], document: Mapping[str, Any]) -> None:
    """Write a file, or leave the old one as it was.

    The bytes go to a new file in the same folder, which replaces the old one once they are on the disk. A
    failure is an `OSError` with the name of the file.
    """
    stored = {name: part for key, array in arrays.items() for name, part in _packed(key, array).items()}
    ordered = sorted(stored.items(), key=lambda item: -item[1].dtype.itemsize)  # so that all are aligned
    header = _header(os.fspath(path), ordered, document)
    header = header.replace(BLANK, _digest(header, (array for _, array in ordered)), 1)
    with _writing_errors(os.fspath(path)), replacing(path) as fresh, open(fresh, "wb") as file:
        file.write(len(header).to_bytes(8, "little"))
        file.write(header)
        for _, array in ordered:
            file.write(_bytes_of(array))


def _packed(key: str, array: NDArray[Any]) -> Arrays:
    """Return the form of an array in the file: itself, or the nonzero numbers if three in four are zero."""
    if array.dtype != np.float64 or array.size < LARGE or 4 * np.count_nonzero(array) > array.size:
        return {key: array}
    flat = array.reshape(-1)
    filled = flat.view(np.uint64) != 0  # −0 is a number of its own
    shape = np.array(array.shape, np.int64)
    return {key + SHAPE: shape, key + PLACES: np.packbits(filled), key + PACKED: flat[filled]}


def _header(name: str, ordered: list[tuple[str, NDArray[Any]]], document: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"{name}: the document to store with the arrays is not JSON: {error}") from error
    is_packed = any(key.endswith(PACKED) for key, _ in ordered)
    version = FORMAT_VERSION if is_packed else UNPACKED_VERSION
    metadata = {VERSION: str(version), DIGEST: BLANK.decode(), DOCUMENT: text}  # its first zeros
    fields: dict[str, Any] = {METADATA: metadata}
    names = {kind: name for name, kind in NUMBERS.items()}
    end = 0
    for key, array in ordered:
        begin, end = end, end + array.nbytes
        kind = names[array.dtype.newbyteorder("=")]
        fields[key] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [begin, end]}
    header = json.dumps(fields, separators=(",", ":")).encode("ascii")
    if len(header) > MOST_HEADER - 8:
        raise BadInput(
            f"{name}: {len(header):,} bytes of names and settings, more than a model file holds "
            f"({MOST_HEADER:,}); give fewer or shorter ones"
        )
    if (n_values := max(map(_values_in, (header.decode(), text)))) > MOST_VALUES:
        raise BadInput(
            f"{name}: {n_values:,} names and settings, more than a model file holds "
            f"({MOST_VALUES:,}); give fewer columns"
        )
    return header + b" " * (-len(header) % 8)


def _bytes_of(array: NDArray[Any]) -> memoryview:
    """Return the numbers of an array as in a file: in rows, the lowest byte first."""
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(-1).view(np.uint8).data


def _digest(header: bytes, arrays: Iterable[NDArray[Any]]) -> bytes:
    """Return the digest of a file whose header is blank at the place of its digest."""
    digest = hashlib.sha256(len(header).to_bytes(8, "little") + header)
    for array in arrays:
        digest.update(_bytes_of(array))
    return digest.hexdigest().encode()


@contextmanager
def _writing_errors(name: str) -> Iterator[None]:
    """Turn errors while a file is written into a sentence with its name, of the same type."""
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
        raise OSError(error.errno, f"{what}. What was there before is unchanged", name) from error


# ---------------------------------------------------------------- reading


def read(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays and the document of a file that `write` wrote; raise an error for any other.

    Nothing in a file is ever run. Its arrays take as many bytes of memory as in the file, packed ones at
    most 64 times as many; they are new and writable. The header and the document cost at most some
    hundred megabytes for a while, and no more than about forty times their size.

    Examples
    --------
    >>> read("no/such/model.safetensors")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: no/such/model.safetensors: there is no such file; check its name
    """
    name = os.fspath(path)
    with naming(name), _opened(name) as file:
        size = os.fstat(file.fileno()).st_size
        text, header = _header_of(file, size)
        metadata = header.pop(METADATA, None)
        document = _document(metadata)
        arrays = _arrays(file, header, size - file.tell())
        _refuse_damage(metadata, text, arrays)
        return _unpacked(arrays), document


def read_document(path: Path) -> dict[str, Any]:
    """Return the document alone, which tells the kind of model before its arrays are read."""
    name = os.fspath(path)
    with naming(name), _opened(name) as file:
        _, header = _header_of(file, os.fstat(file.fileno()).st_size)
        return _document(header.get(METADATA))


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Prefix errors about the contents of a file with the file's name."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{os.fspath(path)}: {error}") from error


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    try:
        found = os.stat(name).st_mode
        if stat.S_ISDIR(found):
            raise BadInput("is a folder; give one of the files in it")
        if not stat.S_ISREG(found):  # to read a pipe could wait for ever
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


def _header_of(file: BinaryIO, size: int) -> tuple[bytes, dict[str, Any]]:
    """Return the header as bytes and as parsed."""
    what = "not a model file of rosenblatt ({}); give a file that rosenblatt.save wrote"
    start = file.read(9)
    length = int.from_bytes(start[:8], "little")
    if len(start) < 9:
        raise BadInput(what.format(f"{len(start)} bytes in all"))
    if start[8:] != b"{" or not 2 <= length <= MOST_HEADER:
        raise BadInput(what.format("it does not begin like a safetensors file"))
    text = start[8:] + file.read(min(length, size) - 1)
    if len(text) < length:
        raise BadInput(
            f"cut short: {size:,} bytes in all, and its header alone has {length:,}; copy it again"
        )
    header = parsed(text, "the header")
    if not isinstance(header, dict):
        raise BadInput(what.format("its header is not JSON"))
    return text, header


def _document(metadata: Any) -> dict[str, Any]:
    if not isinstance(metadata, dict) or not isinstance(metadata.get(DOCUMENT), str):
        raise BadInput(
            f"a safetensors file of another program: its metadata has no text {DOCUMENT!r}; give a file "
            "that rosenblatt.save wrote"
        )
    version = metadata.get(VERSION)
    if not isinstance(version, str) or not re.fullmatch("[1-9][0-9]{0,8}", version):
        raise BadInput(f"damaged: the format version is {short(version)}, expected a whole number")
    if int(version) > FORMAT_VERSION:
        raise BadInput(
            f"written by a newer rosenblatt (format {version}); upgrade: pip install -U rosenblatt"
        )
    document = parsed(metadata[DOCUMENT].encode("utf-8", "surrogatepass"), "the document")
    if not isinstance(document, dict):
        raise BadInput("damaged: the document is not a JSON object; save the model again")
    return document


def _refuse_damage(metadata: dict[str, Any], header: bytes, arrays: Arrays) -> None:
    """Files of format 1 have no digest; one that has both is of format 2, and its version was changed."""
    found = metadata.get(DIGEST)
    if found is None and metadata[VERSION] == "1":
        return
    blank = header.replace(found.encode("utf-8", "replace"), BLANK, 1) if isinstance(found, str) else header
    if metadata[VERSION] == "1" or found != _digest(blank, arrays.values()).decode():
        raise BadInput(
            "damaged: its contents are not what was written (the digest differs); copy or save it again"
        )


def parsed(text: bytes, what: str) -> Any:
    """Return JSON that is neither too large nor too deep, with unique names and finite numbers."""
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
    """Return an upper bound on the number of values in this JSON."""
    return 1 + text.count(",") + text.count("[") + text.count("{")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice")
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


def _arrays(file: BinaryIO, header: dict[str, Any], size: int) -> Arrays:
    """Return the arrays, whose places must cover all `size` bytes after the header, each once."""
    places = [(*_place(key, entry), key) for key, entry in header.items()]
    arrays: Arrays = {}
    expected = 0
    for begin, end, shape, number, key in sorted(places, key=lambda place: place[:2]):
        if begin != expected:
            raise BadInput(
                f"damaged: array {short(key)} begins at {begin}, expected {expected}; copy it again"
            )
        expected = end
        if end > size:
            raise BadInput(
                f"cut short: {size:,} bytes of arrays, array {short(key)} ends at {end:,}; copy it again"
            )
        arrays[key] = _array(file, key, shape, number)
    if expected != size:
        raise BadInput(f"damaged: {size - expected:,} bytes after the last array; copy it again")
    return arrays


def _place(key: str, entry: Any) -> tuple[int, int, tuple[int, ...], np.dtype[Any]]:
    """Return (begin, end, shape, kind of numbers) of an array, checked for agreement."""
    damaged = BadInput(f"damaged: array {short(key)} is described as {short(entry)}; copy the file again")
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise damaged
    shape, offsets, name = entry["shape"], entry["data_offsets"], entry["dtype"]
    if not isinstance(name, str) or name not in NUMBERS:
        raise BadInput(
            f"array {short(key)} has numbers of type {short(name)}, expected one of {', '.join(NUMBERS)}"
        )
    if not (_are_counts(shape) and _are_counts(offsets)) or len(offsets) != 2 or len(shape) > 8:
        raise damaged
    begin, end = offsets
    if end - begin != math.prod(shape) * NUMBERS[name].itemsize:
        raise damaged
    return begin, end, tuple(shape), NUMBERS[name]


def _are_counts(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int and 0 <= value < 1 << 62 for value in values)


def _array(file: BinaryIO, key: str, shape: tuple[int, ...], number: np.dtype[Any]) -> NDArray[Any]:
    try:
        array = np.empty(shape, number.newbyteorder("<"))
    except (ValueError, MemoryError) as error:
        raise BadInput(f"array {short(key)} of shape {shape} does not fit into memory") from error
    if file.readinto(array.reshape(-1).view(np.uint8)) != array.nbytes:  # type: ignore[attr-defined]
        raise BadInput(f"cut short while it was read, in array {short(key)}; try again")
    if number.kind == "b" and array.size and array.view(np.uint8).max() > 1:
        raise BadInput(f"damaged: array {short(key)} of truth values has values other than 0 and 1")
    return array.astype(number, copy=False)


def _unpacked(arrays: Arrays) -> Arrays:
    """Return the original arrays, with packed ones unpacked."""
    for key in [name.removesuffix(PACKED) for name in arrays if name.endswith(PACKED)]:
        shape, places, numbers = (arrays.pop(key + part, None) for part in (SHAPE, PLACES, PACKED))
        arrays[key] = _spread_out(key, shape, places, numbers)
    return arrays


def _spread_out(key: str, shape: Any, places: Any, numbers: Any) -> NDArray[np.float64]:
    """Return a packed array unpacked; it has at most one number per bit of its places."""
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
    """Return a value of unknown size, shortened for a sentence."""
    text = form.format(value) if not isinstance(value, int) or abs(value) < 1 << 64 else "a huge number"
    return text if len(text) <= 80 else text[:77] + "..."
