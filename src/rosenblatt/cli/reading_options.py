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
from rosenblatt.data.sources.files import FORMATS, name_of
from rosenblatt.models.default_settings import ENCODING, READING

_ROLES = [
    option(
        "--target", group="Input", metavar="COLUMN",
        help="Label column, by name or position: 0 is the first, -1 the last [default: the last column].",
    ),
    option("--text", group="Input", metavar="COLUMNS", help="Text columns, separated by commas."),
    option(
        "--categories", group="Input", metavar="COLUMNS",
        help="Categorical columns, separated by commas.",
    ),
    option(
        "--dates", group="Input", metavar="COLUMNS",
        help="Columns of dates or times.",
    ),
    option("--leave-out", "--drop", group="Input", metavar="COLUMNS", help="Columns to drop."),
    option("--weight", group="Input", metavar="COLUMN", help="Column with the weight of each row."),
    option(
        "--first-index", group="Input", rare=True, type=click.IntRange(0, 1),
        help="Index of the first feature in svmlight files [default: detected].",
    ),
]  # fmt: skip

PLAIN = {
    "numbers": "given", "words": "counts", "ngrams": 1, "shortest": 2, "missing": "error", "bits": 18,
    "guesses_codes": False, "unit_length": False,
}  # fmt: skip
GOOD = ENCODING | READING
"""Default encodings: numbers unchanged, and the defaults for training."""
LISTS = ("text", "categories", "dates", "leave_out")
"""The options with names of columns, separated by commas."""


def _encoding(defaults: dict[str, Any]) -> list[Callable[..., Any]]:
    """Return the options that control how cells become numbers, with these defaults."""
    some_bits = defaults["bits"] or "18, or 22 with n-grams"
    return [
        option(
            "--numbers", group="Features",
            type=click.Choice(["given", "standard", "piecewise", "bins", "largest", "rank"]),
            default=defaults["numbers"], show_default=True,
            help="given = unchanged numbers; standard = mean 0, deviation 1; piecewise = linear between "
            "quantiles; bins = a category per range; largest = divided by the largest; rank = ranks.",
        ),
        option(
            "--missing", group="Features", type=click.Choice(["error", "zero", "drop", "mark"]),
            default=defaults["missing"], show_default=True,
            help="Missing values: error = stop; zero = use 0; drop = drop the row; mark = use 0 and add a "
            "feature 'is missing'.",
        ),
        option(
            "--words", group="Features", rare=True,
            type=click.Choice(["counts", "presence", "log", "tfidf", "log-count-ratio"]),
            default=defaults["words"], show_default=True,
            help="Value of a word: its count; presence = 1; log = 1 + log(count); tfidf = log · idf; "
            "log-count-ratio compares its frequencies in two classes.",
        ),
        option(
            "--ngrams", group="Features", type=click.IntRange(0, 3), default=defaults["ngrams"],
            show_default=True, help="Maximum length of word n-grams; 0 for none.",
        ),
        option(
            "--characters", group="Features", metavar="N-M",
            help="Add character n-grams, such as 3-5.",
        ),
        option(
            "--guess/--no-guess", "guesses_codes", group="Features", rare=True,
            default=defaults["guesses_codes"], show_default=True,
            help='Drop ID columns, recognise dates, and read "1.234,5" and "5 %" as numbers.',
        ),
        option(
            "--shortest", "--min-word-length", group="Features", rare=True, type=click.IntRange(1, 8),
            default=defaults["shortest"], show_default=True, help="Minimum word length, in letters.",
        ),
        option(
            "--lower/--keep-case", group="Features", rare=True, default=True, show_default=True,
            help="Convert text to lower case.",
        ),
        option(
            "--unit-length/--any-length", group="Features", rare=True, default=defaults["unit_length"],
            show_default=True, help="Normalise the word vector of each text to unit length.",
        ),
        option(
            "--pairs", group="Features", rare=True, metavar="A:B,...|auto",
            help="Add a feature for each pair of values of the columns A and B (for numbers, of their "
            "ranges); auto = only for pairs that predict the label better than either column alone.",
        ),
        option(
            "--bits", group="Features", rare=True, type=click.IntRange(1, 30), default=defaults["bits"],
            help=f"Hash words and categories into 2^BITS features [default: {some_bits}].",
        ),
    ]  # fmt: skip


_FILE = [
    option(
        "--format", "file_format", group="Input", rare=True, type=click.Choice(FORMATS),
        help="File format [default: detected].",
    ),
    option(
        "--header/--no-header", group="Input", rare=True, default=None,
        help="Read the first line of a csv file as column names, or as a row [default: detected].",
    ),
    option(
        "--delimiter", group="Input", rare=True, metavar="CHARACTER",
        help="Delimiter of csv files: , ; | tab or blanks [default: detected].",
    ),
    option(
        "--encoding", "charset", group="Input", rare=True, metavar="NAME",
        help="Character encoding: utf-16, latin-1, cp1252, ... [default: UTF-8].",
    ),
    option(
        "--skip-bad", group="Input", rare=True, type=click.IntRange(0), metavar="N",
        help="Skip up to N malformed lines and report their number [default: 0; fit, tune and evaluate: 1% "
        "of the rows of a table].",
    ),
    option(
        "--jobs", group="Input", rare=True, type=int, metavar="N",
        help="Number of parser threads [default: one per core].",
    ),
]  # fmt: skip


def with_features(defaults: dict[str, Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds the options for reading rows and encoding features."""
    return add_options([*_ROLES, *_encoding(defaults), *_FILE])


with_rows = add_options(_FILE)
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
    """Rows of a file with its path and source. X is an array, or a source if y is None."""

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

    if options.get("jobs") == 0:
        raise click.UsageError("--jobs: expected a number of threads, or -1 for one thread per core")
    given = {name: options[name] for name in signature(read).parameters if name in options}
    lists = {name: names_in(given[name]) for name in LISTS if name in given}
    if given.get("skip_bad") is None:
        given["skip_bad"] = None if skips_few and given.get("missing") != "error" else 0
    encoding = {"encoding": encoding_of(options)} if "numbers" in options else {}
    return {
        "format": options.get("file_format"),
        "n_jobs": options.get("jobs") or -1,
        **given,
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
    names = ("numbers", "words", "ngrams", "shortest", "lower", "unit_length")
    return Encoding(**{name: options[name] for name in names}, characters=characters, pairs=pairs)
