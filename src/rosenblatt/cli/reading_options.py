"""Options for reading rows and encoding features, shared by the commands."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from inspect import signature
from typing import Any, NamedTuple

import click

from rosenblatt.cli.exits import file_must_exist, in_options
from rosenblatt.cli.option_groups import add_options, option, words_of
from rosenblatt.data.sources.files import name_of
from rosenblatt.data.sources.options import (
    ENCODING,
    FILE,
    LISTS,
    OPTIONS,
    TREATMENT,
    ReadingOption,
    defaults_of,
)

PLAIN = defaults_of(ENCODING, TREATMENT)
GOOD = defaults_of(ENCODING, TREATMENT, in_fit=True)
"""Default encodings: numbers unchanged, and the defaults for training."""


def _option(about: ReadingOption, defaults: dict[str, Any]) -> Callable[..., Any]:
    """Return a command-line option; `defaults` may contain its default."""
    default = defaults.get(about.name)
    how: dict[str, Any] = {}
    if about.choices:
        how["type"] = click.Choice(about.choices)
    elif about.least is not None:
        how["type"] = click.IntRange(about.least, about.most)
    elif about.name == "n_jobs":
        how["type"] = int
    if about.metavar:
        how["metavar"] = about.metavar
    if default is not None and default != () and about.name != "bits":
        how["show_default"] = True
    help_ = about.help
    if about.name == "bits":
        help_ += f" [default: {default or '18, or 22 with n-grams'}]."
    if about.is_flag or (default is not None and default != ()):
        how["default"] = default
    group = "Features" if about.name in PLAIN else "Input"
    words = about.words or (f"--{about.name.replace('_', '-')}",)
    return option(*words, about.name, group=group, rare=about.rare, help=help_, **how)


def with_features(defaults: dict[str, Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds the options for reading rows and encoding features."""
    return add_options([_option(about, defaults) for about in OPTIONS])


with_rows = add_options([_option(about, {}) for about in OPTIONS if about.about == FILE])
"""Add the options for reading rows to a command whose model defines the features."""


def open_rows(
    path: str | tuple[str, ...], options: dict[str, Any], skips_few: bool = False, **more: Any
) -> Any:
    """Return the source that the options describe; the path "-" is standard input.

    `skips_few` states that a few malformed rows of a table are skipped unless --skip-bad is given.
    """
    from rosenblatt.cli.quick_start import no_pandas
    from rosenblatt.data.sources.archives import on_disk
    from rosenblatt.data.sources.reading import read

    paths = [path] if isinstance(path, str) else list(path)
    for each in paths:
        if "://" not in each and not any(letter in each for letter in "*?["):
            file_must_exist(on_disk(each))
    with no_pandas():
        return read(paths, **(read_arguments(options, skips_few) | more))


IN_PIECES = option(
    "--in-pieces/--in-memory", group="Input", rare=True, default=None,
    help="Read the rows block by block, or all into memory [default: block by block if all rows would take "
    "more than half of the memory].",
)  # fmt: skip


def warn_of_columns(source: Any) -> None:
    """Print warnings about the columns of a source."""
    for doubt in getattr(getattr(source, "columns", None), "doubts", ()):
        click.echo(f"Warning: {in_options(doubt)}.", err=True)


POSITIVE = option(
    "--positive", group="Input", metavar="CLASS",
    help="Class to separate from all others, if there are more than two classes.",
)  # fmt: skip


def against_rest(y: Any, positive: str | None) -> Any:
    """Return the labels `positive` and 'not positive', or `y` unchanged if `positive` is None."""
    if positive is None:
        return y
    import numpy as np

    from rosenblatt.numeric.row_batches import class_name

    names = np.array([class_name(label) for label in np.asarray(y).tolist()], object)
    if positive not in names:
        known = sorted(set(names))
        listed = ", ".join(map(repr, known[:10])) + (", …" if len(known) > 10 else "")
        raise click.BadParameter(
            f"{positive!r} is not one of the classes {listed}", param_hint="--positive"
        )
    return np.where(names == positive, positive, f"not {positive}")


class LabelledRows(NamedTuple):
    """Hold the rows of a file, its path and its source. X is an array, or a source if y is None."""

    X: Any
    y: Any
    path: str
    source: Any  # None for standard input
    features: Any = None

    def names(self, n_rows: int) -> Any:
        """Return names of rows for reports: line numbers if every line is a row, otherwise indices.

        `n_rows` is used if the rows are not in memory.
        """
        from rosenblatt.proof.verdict import RowNames

        n_rows = n_rows if self.y is None else len(self.y)
        first = self.source.first_line(n_rows) if hasattr(self.source, "first_line") else None
        if first is None:
            return RowNames(1, f"Rows of {name_of(self.path)} are counted from 1; a header is not counted.")
        header = "its header is line 1" if first > 1 else "the first row is line 1"
        return RowNames(first, f"Row numbers are lines of {self.path}; {header}.")


def labelled_rows(path: str, options: dict[str, Any], in_pieces: bool | None = False) -> LabelledRows:
    """Return the rows of a file in memory, or as a source that is read in pieces; print its warnings.

    If `in_pieces` is None, rows are read in pieces if they might not fit into memory.
    """
    from rosenblatt.data.sources import read_table

    source: Any = None if path == "-" else open_rows(path, options)
    warn_of_columns(source)
    positive = options["positive"]
    if in_pieces or (in_pieces is None and is_beyond_memory(getattr(source, "n_bytes", None))):
        if positive is not None:
            raise click.UsageError(
                "--positive needs all rows in memory; give a file with two classes, or --in-memory"
            )
        return LabelledRows(source or open_rows(path, options), None, path, source)
    X, y, features = read_table(path, **read_arguments(options))
    return LabelledRows(X, against_rest(y, positive), path, source, features)


def is_beyond_memory(n_bytes: int | None) -> bool:
    """Return whether rows parsed from `n_bytes` of text would take more than half of the available memory.

    Parsed rows take up to four times the size of their text. Both the machine's memory and the limit of
    this process count.
    """
    limits = []
    with suppress(ImportError):  # Windows has no limits of this kind
        import resource

        limits.append(resource.getrlimit(resource.RLIMIT_AS)[0])
    with suppress(AttributeError, ValueError, OSError):
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return any(4 * (n_bytes or 0) > limit // 2 for limit in limits if limit > 0)


def typed_again(context: click.Context, defaults: dict[str, Any]) -> list[str]:
    """Return the user's reading options as arguments for another command on the same file."""
    about_rows = {param.name for param in click.command()(with_features(defaults)(lambda: None)).params}
    words: list[str] = []
    for param in context.command.params:
        value = context.params.get(param.name or "")
        if param.name in about_rows and value not in (param.get_default(context), None):
            words += words_of(param, value)
    return words


def read_arguments(options: dict[str, Any], skips_few: bool = False) -> dict[str, Any]:
    """Return the arguments of `read` that correspond to the options."""
    from rosenblatt.data.sources.reading import read

    if options.get("n_jobs") == 0:
        raise click.UsageError("--jobs: expected a number of threads, or -1 for one thread per core")
    given = {name: options[name] for name in signature(read).parameters if name in options}
    lists = {name: names_in(given[name]) for name in LISTS if name in given}
    if given.get("skip_bad") is None:
        given["skip_bad"] = None if skips_few and given.get("missing") != "error" else 0
    encoding = {"encoding": encoding_of(options)} if "numbers" in options else {}
    return {
        **given,
        "n_jobs": options.get("n_jobs") or -1,
        **lists,
        **encoding,
    }


def names_in(text: str | None) -> list[str]:
    """Split names at commas.

    >>> names_in("age,city")
    ['age', 'city']
    """
    return [part for part in (text or "").split(",") if part]


def encoding_of(options: dict[str, Any]) -> Any:
    """Return the `Encoding` that the options describe."""
    from rosenblatt.data.sources.encoding import AUTO, Encoding

    pairs: Any = AUTO
    if options["pairs"] != AUTO:
        pairs = tuple(tuple(pair.split(":")) for pair in names_in(options["pairs"]))
    if pairs != AUTO and any(len(pair) != 2 for pair in pairs):
        raise click.BadParameter(
            f"{options['pairs']!r}; expected two columns, as in city:shop", param_hint="--pairs"
        )
    characters = None
    if options["characters"]:
        fewest, _, most = options["characters"].partition("-")
        if not (fewest.isdigit() and (most or fewest).isdigit()):
            raise click.BadParameter(
                f"{options['characters']!r}; expected two numbers, as in 3-5", param_hint="--characters"
            )
        characters = (int(fewest), int(most or fewest))
    given = {name: options[name] for name in defaults_of(ENCODING)}
    return Encoding(**given | {"characters": characters, "pairs": pairs})
