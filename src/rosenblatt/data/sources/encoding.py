"""Encoding: options for converting the cells of a table to numbers, by kind of column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from rosenblatt.data.sources.options import check_options
from rosenblatt.data.sources.parsing.words import COUNTS, LOG_COUNTS, PRESENCE, Runs
from rosenblatt.errors import BadInput, bad_value

AUTO = "auto"
"""Pairs that are chosen from the training rows."""

RATIO = "log-count-ratio"
WORDS = {"counts": COUNTS, "presence": PRESENCE, "log": LOG_COUNTS, "tfidf": LOG_COUNTS, RATIO: PRESENCE}
"""The value of a word in a text: its count; 1; 1 + log(count); 1 + log(count) times
1 + log((1 + texts)/(1 + texts with the word)), a factor that is smallest for words in all texts; or the
absolute log ratio of the shares of the word in the texts of two classes (`Statistics.count_ratios`)."""

MOST_LETTERS = 8


@dataclass(frozen=True)
class Encoding:
    """State how cells become numbers. The defaults leave numbers unchanged and count words.

    Parameters
    ----------
    numbers : {"given", "standard", "largest", "rank", "piecewise", "bins"}, default="given"
        The encoding of numbers: unchanged; scaled to mean 0 and standard deviation 1; divided by the
        largest absolute value; replaced by the rank among the training values, scaled to −1 … 1; as
        piecewise-linear features between 17 quantiles; or as a category, the range between two of these
        quantiles.
    ngrams : int, default=1
        The largest number of words in an n-gram; 0 for no words.
    characters : (int, int) or None, default=None
        The minimum and maximum length of character n-grams; None for no character n-grams.
    words : {"counts", "presence", "log", "tfidf", "log-count-ratio"}, default="counts"
        The value of a word: its count; 1; 1 + log of its count; the value of "log" times the inverse
        document frequency of the word; or the log ratio of its frequencies in two classes.
    unit_length : bool, default=False
        Whether to scale the vector of words of each text to length 1.
    lower : bool, default=True
        Whether to convert texts to lower case.
    shortest : int, default=2
        The minimum number of letters of a word.
    pairs : tuple of (str, str) or "auto", default=()
        Pairs of columns whose categories are also combined; a number column is represented by 8 ranges.
        "auto" chooses the pairs that predict the label better than either of their columns alone.

    Raises
    ------
    BadInput
        If a parameter is out of range.

    Examples
    --------
    >>> Encoding(ngrams=4)
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: ngrams: expected a whole number from 0 to 3, got 4
    """

    numbers: str = "given"
    ngrams: int = 1
    characters: tuple[int, int] | None = None
    words: str = "counts"
    unit_length: bool = False
    lower: bool = True
    shortest: int = 2
    pairs: tuple[tuple[str, str], ...] | str = ()

    def __post_init__(self) -> None:
        check_options(vars(self))
        if self.characters is not None:
            fewest, most = _both(self.characters)
            object.__setattr__(self, "characters", (fewest, most))
        if not self.ngrams and self.characters is None:
            raise BadInput(
                "ngrams: got 0 and no characters, so a text would have no features; give one of them"
            )
        if isinstance(self.pairs, str):
            if self.pairs != AUTO:
                raise bad_value("pairs", self.pairs, "pairs of names of columns, or 'auto'")
            return
        pairs = tuple((str(one), str(other)) for one, other in self.pairs)
        object.__setattr__(self, "pairs", pairs)

    @property
    def runs(self) -> Runs:
        """Return the settings of the compiled loop that splits texts into n-grams."""
        fewest, most = self.characters or (0, 0)
        return Runs(self.ngrams, self.shortest, self.lower, fewest, most)

    @property
    def given_pairs(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs that the user named."""
        return () if isinstance(self.pairs, str) else self.pairs

    @property
    def counts_texts(self) -> bool:
        """Return whether the number of texts that contain each word is needed."""
        return self.words in ("tfidf", RATIO)

    @property
    def is_plain(self) -> bool:
        """Return whether words are only counted."""
        return self.words == "counts" and not self.unit_length

    def settings(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults, for JSON.

        Returns
        -------
        dict
            The settings by name.
        """
        plain = asdict(Encoding())
        return {name: value for name, value in asdict(self).items() if value != plain[name]}

    @staticmethod
    def from_settings(settings: Mapping[str, Any]) -> Encoding:
        """Return the encoding with these settings.

        Parameters
        ----------
        settings : mapping
            The result of `settings`.

        Returns
        -------
        Encoding
            The encoding.

        Raises
        ------
        BadInput
            If a setting is out of range.

        Examples
        --------
        >>> encoding = Encoding("standard", characters=(3, 5), pairs=(("a", "b"),))
        >>> Encoding.from_settings(encoding.settings()) == encoding
        True
        """
        known = dict(settings)
        if known.get("characters") is not None:
            known["characters"] = tuple(known["characters"])
        return Encoding(**known)


def _both(characters: Any) -> tuple[int, int]:
    """Return (fewest, most) letters of an n-gram, given as two numbers or as one number for both.

    Examples
    --------
    >>> _both(4), _both((3, 5))
    ((4, 4), (3, 5))
    """
    pair = (characters, characters) if isinstance(characters, int) else tuple(characters)
    whole = len(pair) == 2 and all(isinstance(n, int) and not isinstance(n, bool) for n in pair)
    if not whole or not 1 <= pair[0] <= pair[1] <= MOST_LETTERS:
        raise bad_value("characters", characters, f"two whole numbers, 1 ≤ fewest ≤ most ≤ {MOST_LETTERS}")
    return pair


@dataclass(frozen=True)
class FieldOptions:
    """Store the user's options for the columns of a table; columns are given by name or number (from 0).

    With `guesses_codes`, ID columns are dropped and dates are split into parts.
    """

    target: str | int | None = None
    weight: str | int | None = None
    text: Sequence[str | int] = ()
    categories: Sequence[str | int] = ()
    dates: Sequence[str | int] = ()
    leave_out: Sequence[str | int] = ()
    missing: str = "error"
    bits: int | None = 18  # None: chosen by the kind of text features
    labelled: bool = True
    encoding: Encoding = field(default_factory=Encoding)
    guesses_codes: bool = False

    def __post_init__(self) -> None:
        check_options(vars(self))

    def of_columns(self) -> dict[str, Any]:
        """Return the options by name, for `infer_fields`."""
        return {each.name: getattr(self, each.name) for each in fields(FieldOptions)}
