"""Every option for reading rows and encoding their cells, stated once in `OPTIONS`.

The command line, the checks of `read` and `Encoding`, the settings that a model stores, and the defaults of
`fit` and `Features` are derived from this table; `tests/data/sources/test_options.py` compares the
signatures with it. `rosenblatt --help` imports this file, so the file imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from types import MappingProxyType
from typing import Any

from rosenblatt.data.sources.formats import FORMATS
from rosenblatt.errors import bad_choice, bad_value

COLUMNS, ENCODING, TREATMENT, FILE = "columns", "encoding", "treatment", "file"
"""What an option is about: the roles of columns, the fields of `Encoding`, the other treatment of cells, or
how a file is read."""

SAME = object()


@dataclass(frozen=True)
class ReadingOption:
    """Describe an option: its default, its range, its meaning, and how it is written on the command line.

    `in_fit` is the default of `fit`, `tune`, `AutoPerceptron` and `Features`. Names of columns are lists in
    Python and separated by commas on the command line (`is_list`). `words` are the names of the option on
    the command line, if not --name.
    """

    name: str
    about: str
    default: Any
    help: str
    in_fit: Any = SAME
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    is_flag: bool = False
    is_list: bool = False
    words: tuple[str, ...] = ()
    metavar: str | None = None
    rare: bool = True
    expected: str = ""  # the values that are allowed, in words, if not a range

    def check(self, value: Any) -> None:
        """Raise an error that states the expected values if this value is invalid."""
        if value is None and None in (self.default, self.in_fit):
            return
        if self.choices and value not in self.choices:
            raise bad_choice(self.name, value, self.choices)
        if self.least is None:
            return
        is_whole = isinstance(value, Integral) and not isinstance(value, bool)
        if not is_whole or value < self.least or (self.most is not None and value > self.most):
            expected = self.expected or f"a whole number from {self.least} to {self.most}"
            raise bad_value(self.name, value, expected)


OPTIONS: tuple[ReadingOption, ...] = (
    ReadingOption(
        "target", COLUMNS, None,
        "Label column, by name or position: 0 is the first, -1 the last [default: the last column].",
        metavar="COLUMN", rare=False,
    ),
    ReadingOption(
        "text", COLUMNS, (), "Text columns, separated by commas.", metavar="COLUMNS", is_list=True,
        rare=False,
    ),
    ReadingOption(
        "categories", COLUMNS, (), "Categorical columns, separated by commas.", metavar="COLUMNS",
        is_list=True, rare=False,
    ),
    ReadingOption(
        "dates", COLUMNS, (), "Columns of dates or times.", metavar="COLUMNS", is_list=True, rare=False
    ),
    ReadingOption(
        "leave_out", COLUMNS, (), "Columns to drop.", metavar="COLUMNS", is_list=True,
        words=("--leave-out", "--drop"), rare=False,
    ),
    ReadingOption(
        "weight", COLUMNS, None, "Column with the weight of each row.", metavar="COLUMN", rare=False
    ),
    ReadingOption(
        "first_index", COLUMNS, None, "Index of the first feature in svmlight files [default: detected].",
        least=0, most=1, expected="0, 1 or None",
    ),
    ReadingOption(
        "numbers", ENCODING, "given",
        "given = unchanged numbers; standard = mean 0, variance 1; piecewise = piecewise linear; "
        "bins = a category per range; largest = divided by the largest absolute value; rank = ranks.",
        in_fit="standard", choices=("given", "standard", "piecewise", "bins", "largest", "rank"),
        rare=False,
    ),
    ReadingOption(
        "missing", TREATMENT, "error",
        "Missing values: error = stop; zero = use 0; drop = drop the row; mark = use 0 and add a feature "
        "'is missing'.",
        in_fit="mark", choices=("error", "zero", "drop", "mark"), rare=False,
    ),
    ReadingOption(
        "words", ENCODING, "counts",
        "Value of a word: its count; presence = 1; log = 1 + log(count); tfidf = log · idf; "
        "log-count-ratio compares its frequencies in two classes.",
        in_fit="tfidf", choices=("counts", "presence", "log", "tfidf", "log-count-ratio"),
    ),
    ReadingOption(
        "ngrams", ENCODING, 1, "Maximum length of word n-grams; 0 for none.", in_fit=2, least=0, most=3,
        rare=False,
    ),
    ReadingOption(
        "characters", ENCODING, None, "Add character n-grams, such as 3-5.", metavar="N-M", rare=False
    ),
    ReadingOption(
        "guesses_codes", TREATMENT, False,
        'Drop ID columns, recognise dates, and read "1.234,5" and "5 %" as numbers.',
        in_fit=True, is_flag=True, words=("--guess/--no-guess",),
    ),
    ReadingOption(
        "shortest", ENCODING, 2, "Minimum word length, in letters.", in_fit=1, least=1, most=8,
        words=("--shortest", "--min-word-length"),
    ),
    ReadingOption(
        "lower", ENCODING, True, "Convert text to lower case.", is_flag=True, words=("--lower/--keep-case",)
    ),
    ReadingOption(
        "unit_length", ENCODING, False, "Normalise the word vector of each text to unit length.",
        in_fit=True, is_flag=True, words=("--unit-length/--any-length",),
    ),
    ReadingOption(
        "pairs", ENCODING, (),
        "Add a feature for each combination of a value of A and a value of B (numbers are divided into "
        "ranges); auto = for the columns that predict the label better together than alone.",
        metavar="A:B,...|auto",
    ),
    ReadingOption(
        "bits", TREATMENT, 18, "Hash words and categories into 2^BITS features", in_fit=None, least=1,
        most=31,
    ),
    ReadingOption(
        "format", FILE, None, "File format [default: detected].",
        choices=tuple(FORMATS), words=("--format",),
    ),
    ReadingOption(
        "header", FILE, None,
        "Read the first line of a csv file as column names, or as a row [default: detected].",
        is_flag=True, words=("--header/--no-header",),
    ),
    ReadingOption(
        "delimiter", FILE, None, "Delimiter of csv files: , ; | tab or blanks [default: detected].",
        metavar="CHARACTER",
    ),
    ReadingOption(
        "charset", FILE, None, "Character encoding: utf-16, latin-1, cp1252, ... [default: UTF-8].",
        words=("--encoding",), metavar="NAME",
    ),
    ReadingOption(
        "skip_bad", FILE, 0,
        "Skip up to N malformed lines and report their number [default: 0; fit, tune and evaluate: 1% of "
        "the rows of a table].",
        in_fit=None, least=0, expected="a number of lines, or None", metavar="N",
    ),
    ReadingOption(
        "n_jobs", FILE, -1, "Number of parser threads [default: one per core].", words=("--jobs",),
        metavar="N",
    ),
)  # fmt: skip

BY_NAME: Mapping[str, ReadingOption] = MappingProxyType({option.name: option for option in OPTIONS})
LISTS = tuple(option.name for option in OPTIONS if option.is_list)


def defaults_of(*about: str, in_fit: bool = False) -> dict[str, Any]:
    """Return the defaults of the options about these subjects: those of `read`, or of `fit`.

    >>> defaults_of(TREATMENT), defaults_of(TREATMENT, in_fit=True)["missing"]
    ({'missing': 'error', 'guesses_codes': False, 'bits': 18}, 'mark')
    """
    return {
        option.name: option.in_fit if in_fit and option.in_fit is not SAME else option.default
        for option in OPTIONS
        if option.about in about
    }


def check_options(values: Mapping[str, Any]) -> None:
    """Raise an error if one of these values is invalid; names that are no options are ignored.

    >>> check_options({"ngrams": 4})
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: ngrams: expected a whole number from 0 to 3, got 4
    """
    for name, value in values.items():
        if name in BY_NAME:
            BY_NAME[name].check(value)
