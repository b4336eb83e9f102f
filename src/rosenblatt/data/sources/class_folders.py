"""List the texts in folders named after their classes, such as mails/ham/1.txt and mails/spam/2.txt.

`text_folders` reads them; it is imported only if a folder is given.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rosenblatt.data.sources.archives import is_archive, members, on_disk
from rosenblatt.data.sources.files import extension_of, find_files
from rosenblatt.data.sources.formats import format_with

FORMAT = "texts"


class ListedText(NamedTuple):
    """Hold the path of a text, its folder as the label (None: no class), and its size in bytes."""

    path: str
    label: str | None
    size: int


def texts_of(
    paths: Sequence[str], labelled: bool, like: Mapping[str, Any] | None
) -> list[ListedText] | None:
    """Return the texts in the given folders, or None if the paths are anything else."""
    likely = like is not None and like.get("format") == FORMAT
    if len(paths) == 1 and (os.path.isdir(paths[0]) or is_archive(paths[0])):
        return _in_folder(paths[0], labelled, likely)
    if len(paths) > 1 and all(os.path.isdir(path) for path in paths):  # a shell expands mails/* to folders
        classes = {os.path.basename(os.path.normpath(path)): list(_files_below(path)) for path in paths}
        are_named = len(classes) == len(paths) and all(classes.values())
        return _by_class(classes, labelled) if are_named and _are_texts(classes) else None
    if likely and paths and all(format_with(extension_of(path)) is None for path in paths):
        files = [file for path in paths for file in find_files(path)]
        return [ListedText(file, None, _size(file)) for file in files]
    return None


def _in_folder(folder: str, labelled: bool, likely: bool) -> list[ListedText] | None:
    files = members(folder) if is_archive(folder) else list(_files_below(folder))
    depth = _common_depth(files, folder)
    classes: dict[str | None, list[str]] = {}
    for file in files:
        inner = os.path.relpath(file, folder).split(os.sep)[depth:]
        classes.setdefault(inner[0] if len(inner) > 1 else None, []).append(file)
    own = classes.pop(None, [])
    if likely and not classes and not labelled:
        return [ListedText(file, None, _size(file)) for file in own]
    if len(classes) < (1 if likely else 2) or not _are_texts(classes):
        return None
    if not likely and any(format_with(extension_of(file)) is not None for file in own):
        return None
    return _by_class({str(label): some for label, some in classes.items()}, labelled)


def _are_texts(classes: Mapping[Any, list[str]]) -> bool:
    return all(format_with(extension_of(file)) is None for some in classes.values() for file in some)


def _by_class(classes: Mapping[str, list[str]], labelled: bool) -> list[ListedText]:
    placed = [
        # interleave the classes for training, as in a stream; keep the order otherwise
        (((place + 0.5) / len(some)) if labelled else 0.0, ListedText(file, label, _size(file)))
        for label, some in sorted(classes.items())
        for place, file in enumerate(some)
    ]
    return [file for _, file in sorted(placed, key=lambda each: each[0])]


def _files_below(folder: str) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        yield from (os.path.join(place, name) for name in sorted(files) if not name.startswith((".", "_")))


def _common_depth(files: Sequence[str], folder: str) -> int:
    """Return the depth of the folder that contains all files, since archives often have one top folder."""
    if not is_archive(folder):
        return 0
    inner = [os.path.relpath(os.path.dirname(file), folder).split(os.sep) for file in files]
    depth = 0
    while all(len(each) > depth + 1 for each in inner) and len({each[depth] for each in inner}) == 1:
        depth += 1
    return depth


def _size(path: str) -> int:
    return os.path.getsize(path) if on_disk(path) == path else 0
