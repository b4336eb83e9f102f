"""`Features`, a scikit-learn transformer that encodes the columns of tables as numbers."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.sources.encoding import AUTO
from rosenblatt.data.sources.feature_names import ALL, NONE, NameRecorder, Vocabulary
from rosenblatt.data.sources.hashing import MOST_BITS, hashed_names
from rosenblatt.data.sources.naming import FeatureNames
from rosenblatt.data.sources.reading import is_arrow
from rosenblatt.errors import BadInput, bad_choice, counted
from rosenblatt.models.html_summary import ShowsSummary, columns_summary

if TYPE_CHECKING:
    from rosenblatt.data.sources.table_fields import FieldFeatures, StatisticsCollector


@dataclass
class _Begun:
    """Hold what `partial_fit` continues from.

    `collector` is None if the features need no statistics.
    """

    fields: FieldFeatures
    names: list[str]
    parameters: dict[str, Any]
    collector: StatisticsCollector | None
    recorder: NameRecorder

    def refuse_ranges(self, has_names: bool) -> None:
        """Raise an error if the features, or their names, are known only after the last row."""
        if self.fields.encoding.pairs == AUTO:
            raise BadInput("pairs: 'auto' compares all rows with y; use fit, or name the pairs")
        if has_names and self.fields.has_ranges:
            raise BadInput(
                "partial_fit: the names of ranges of numbers (numbers='bins', or a number in pairs) are "
                "known only after the last row; use bits=18 with names='none', or fit"
            )


class Features(ShowsSummary, TransformerMixin, BaseEstimator):
    """Encode the columns of a table as numbers.

    Numbers are scaled, each category and each word becomes a feature, dates are split into parts, and
    missing values are marked. The transformer accepts pandas, polars and pyarrow tables, arrays of numbers,
    and a Series or list of texts. The kind of each column is inferred from its first rows, as in
    `rosenblatt fit`; `columns_` lists the kinds and the reasons.

    Parameters
    ----------
    numbers : {"standard", "piecewise", "bins", "largest", "rank", "given"}, default="standard"
        The encoding of numbers: scaled to mean 0 and standard deviation 1; as piecewise-linear features
        between 17 quantiles; as a category, the range between two of these quantiles; divided by the
        largest absolute value; replaced by the rank among the training values, scaled to −1 … 1; or
        unchanged.
    text, categories, dates, leave_out : sequence of str, default=()
        Columns to treat as text, as categories or as dates, or to drop, whatever their values suggest.
    ngrams : int, default=2
        The largest number of words in an n-gram.
    characters : (int, int) or None, default=None
        The minimum and maximum length of character n-grams; None for no such features.
    words : {"presence", "counts", "log", "tfidf", "log-count-ratio"}, default="tfidf"
        The value of a word: 1; its count; 1 + log of its count; the value of "log" times the inverse
        document frequency of the word; or the log ratio of its frequencies in the two classes of y.
    unit_length : bool, default=True
        Whether to scale the word features of each text to unit length.
    lower : bool, default=True
        Whether to convert texts to lower case.
    shortest : int, default=1
        The minimum number of letters of a word.
    pairs : sequence of (str, str) or "auto", default=()
        Pairs of columns; each combination of their categories, or ranges of numbers, becomes another
        feature. "auto" chooses pairs that predict y better than either of their columns alone.
    missing : {"mark", "zero", "error"}, default="mark"
        What to do with missing values: encode them as 0 and add an indicator feature; encode them as 0; or
        raise an error.
    bits : int or None, default=None
        The number of bits of a hashed feature: names are hashed into 2**bits features. With None, each name
        seen in `fit` has its own feature.
    names : {"all", "none"}, default="all"
        Whether `fit` stores the names of hashed features, so that `get_feature_names_out` returns them. To
        record them, `fit` hashes all rows. Without `bits`, names are always stored.

    Attributes
    ----------
    columns_ : dict of str to (str, str)
        The kind of each column, and the reason for it.
    vocabulary_ : ndarray or None
        The names of the features; None if names are hashed or all columns are numbers.
    recorded_names_ : Vocabulary or None
        The stored names of hashed features.
    n_features_in_, feature_names_in_ : int and ndarray
        The number and the names of the columns.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [20, 30, None], "city": ["Rome", "Oslo", "Rome"]})
    >>> features = Features().fit(table)
    >>> features.get_feature_names_out().tolist()
    ['age', 'age is missing', 'city=Oslo', 'city=Rome']
    >>> features.transform(table).toarray()
    array([[-1.,  0.,  0.,  1.],
           [ 1.,  0.,  1.,  0.],
           [ 0.,  1.,  0.,  1.]])
    """

    def __init__(
        self,
        *,
        numbers: str = "standard",
        text: Sequence[str] = (),
        categories: Sequence[str] = (),
        dates: Sequence[str] = (),
        leave_out: Sequence[str] = (),
        ngrams: int = 2,
        characters: tuple[int, int] | None = None,
        words: str = "tfidf",
        unit_length: bool = True,
        lower: bool = True,
        shortest: int = 1,
        pairs: Sequence[tuple[str, str]] | str = (),
        missing: str = "mark",
        bits: int | None = None,
        names: Literal["all", "none"] = "all",
    ) -> None:
        self.numbers = numbers
        self.text = text
        self.categories = categories
        self.dates = dates
        self.leave_out = leave_out
        self.ngrams = ngrams
        self.characters = characters
        self.words = words
        self.unit_length = unit_length
        self.lower = lower
        self.shortest = shortest
        self.pairs = pairs
        self.missing = missing
        self.bits = bits
        self.names = names

    def fit(self, X: Any, y: Any = None) -> Features:
        """Infer the kind of each column, and compute the statistics and names for the encoding.

        Parameters
        ----------
        X : table or array-like of shape (n_rows, n_columns)
            The rows.
        y : array-like of shape (n_rows,), default=None
            The labels, needed only for pairs="auto" and words="log-count-ratio".

        Returns
        -------
        Features
            The transformer itself.

        Raises
        ------
        BadInput
            If the table or a parameter cannot be used.
        """
        batches = batches_of(X)
        self.__dict__.pop("_begun", None)
        return self._learn(self._begin(batches[0]), batches, y)

    def partial_fit(self, X: Any, y: Any = None) -> Features:
        """Add rows to the statistics and the names; the result is that of one `fit` on all rows.

        The kind of each column is inferred from the rows of the first call.

        Parameters
        ----------
        X : table or array-like of shape (n_rows, n_columns)
            The rows.
        y : object, default=None
            Ignored.

        Returns
        -------
        Features
            The transformer itself.

        Raises
        ------
        BadInput
            If the table or a parameter cannot be used; also if the features depend on all rows
            (``pairs="auto"``, and ranges of numbers with names), or if `fit` was called before.

        Examples
        --------
        >>> features = Features().partial_fit([[1.0], [2.0]]).partial_fit([[6.0]])
        >>> (features.transform([[3.0]]) == Features().fit([[1.0], [2.0], [6.0]]).transform([[3.0]])).all()
        np.True_
        """
        batches = batches_of(X)
        begun = vars(self).get("_begun")
        if begun is None:
            if "fields_" in vars(self):
                raise BadInput(
                    "partial_fit: these features come from fit, which does not keep what is needed to add "
                    "rows; call partial_fit on a new Features"
                )
            begun = self._begin(batches[0])
            begun.refuse_ranges(has_names=self.bits is None or self.names == ALL)
        else:
            self._check_width(X, batches)
            if begun.parameters != self.get_params():
                raise BadInput(
                    "partial_fit: a parameter has changed since the first call; restore it, or begin with "
                    "a new Features"
                )
        for batch in batches:
            begun.fields.check_columns(batch.schema, "X")  # an error must not leave half of the rows
        self._learn(begun, batches, None)
        self._begun = begun
        return self

    def _begin(self, batch: Any) -> _Begun:
        """Return the kinds of the columns, inferred from a record batch, with no statistics and names."""
        from rosenblatt.data.sources.encoding import Encoding
        from rosenblatt.data.sources.field_inference import infer_fields
        from rosenblatt.data.sources.table_fields import FieldFeatures, StatisticsCollector

        encoding = Encoding(
            self.numbers, self.ngrams, self.characters, self.words, self.unit_length, self.lower,
            self.shortest, self.pairs if isinstance(self.pairs, str) else tuple(self.pairs),
        )  # fmt: skip
        if self.names not in (ALL, NONE):
            raise bad_choice("names", self.names, (ALL, NONE))
        if self.missing == "drop":
            raise BadInput(
                "missing: 'drop' would drop rows but not their labels; use 'mark', 'zero' or 'error'"
            )
        fields = infer_fields(
            batch, text=self.text, categories=self.categories, dates=self.dates,
            leave_out=self.leave_out, missing=self.missing,
            bits=MOST_BITS if self.bits is None else self.bits, labelled=False, encoding=encoding,
            guesses_codes=True,
        )  # fmt: skip
        if not isinstance(fields, FieldFeatures):
            raise BadInput("X: a sparse table already has features; give a table with columns")
        collector = StatisticsCollector(fields, "X") if fields.needs_statistics else None
        return _Begun(fields, batch.schema.names, self.get_params(), collector, NameRecorder())

    def _learn(self, begun: _Begun, batches: list[Any], y: Any) -> Features:
        """Add record batches to the statistics and names, and set the fitted attributes."""
        from rosenblatt.data.sources.derived_fields import mark_of

        fields, recorder = begun.fields, begun.recorder
        if begun.collector is not None:
            labels = None if y is None else np.unique(np.asarray(y), return_inverse=True)[1]
            begun.collector.add_all(batches, labels)
            fields = begun.collector.fields_with_statistics()
        vocabulary, recorded = None, None
        are_named = self.bits is None or self.names == ALL
        if fields.is_hashed and are_named:
            for batch in batches:
                replace(fields, recorder=recorder).chunk(batch, "X").release()
            if self.bits is None:
                gaps = fields.statistics.missing if fields.statistics else {}
                marks = [mark_of(name) for name, n in gaps.items() if n] if self.missing == "mark" else []
                vocabulary = sorted({*fields.names_of_numbers, *marks, *recorder.names().texts()})
            else:
                recorded = Vocabulary.of(recorder.names(), np.empty(0, np.uint32), ALL)
        return self._take_fields(fields, begun.names, vocabulary, recorded)

    def _take_fields(
        self,
        fields: Any,
        names: Sequence[str],
        vocabulary: Sequence[str] | None,
        recorded: Vocabulary | None = None,
    ) -> Features:
        """Set the fitted attributes: the treatment and names of the columns, and the names of the features.

        `load` uses this; `vocabulary` is None if features are hashed or all columns are numbers, and
        `recorded` holds the names of hashed features.
        """
        self.recorded_names_ = recorded
        self.fields_ = fields
        self.n_features_in_, self.feature_names_in_ = len(names), np.array(names, object)
        self.columns_ = {name: (role, fields.reasons.get(name, "")) for name, role in fields.columns}
        self.vocabulary_: NDArray[Any] | None = None
        if vocabulary is not None:
            self.vocabulary_ = np.array(vocabulary, object)
            indices, signs = hashed_names(list(vocabulary), MOST_BITS)
            self._sorted = np.argsort(indices, kind="stable")
            self._indices, self._signs = indices[self._sorted], signs
        return self

    def _summary(self) -> str:
        if not hasattr(self, "fields_"):
            return ""
        from rosenblatt.data.sources.described_fields import columns_by_treatment

        n_features = self.fields_.n_features if self.vocabulary_ is None else len(self.vocabulary_)
        size = f"{counted(self.n_features_in_, 'column')}, {counted(n_features, 'feature')}"
        return columns_summary([f"{size}.", *columns_by_treatment(self.fields_)])

    def transform(self, X: Any) -> NDArray[np.float64] | csr_array:
        """Return the rows as numbers.

        Parameters
        ----------
        X : table or array-like of shape (n_rows, n_columns)
            The rows.

        Returns
        -------
        ndarray or csr_array of shape (n_rows, n_features)
            An array if all columns are numbers, otherwise a sparse array.

        Raises
        ------
        BadInput
            If the columns of X differ from those seen in `fit`, or a cell cannot be read.
        """
        check_is_fitted(self, "fields_")
        batches = batches_of(X)
        self._check_width(X, batches)
        chunks = [self.fields_.chunk(batch, "X") for batch in batches]
        for chunk in chunks:
            if chunk.bad:
                first = chunk.bad[0]
                raise BadInput(f"X row {first.line}: {first.problem}")
            if chunk.infinite:
                first = chunk.infinite[0]
                warnings.warn(
                    f"infinite cells treated as missing, the first in row {first.line}: {first.problem}",
                    stacklevel=2,
                )
        if not self.fields_.is_hashed:
            return np.concatenate([np.array(chunk.X, np.float64) for chunk in chunks])
        from scipy.sparse import vstack

        rows = csr_array(vstack([csr_array(chunk.X, copy=True) for chunk in chunks]))
        return rows if self.vocabulary_ is None else self._renumber(rows)

    def _check_width(self, X: Any, batches: list[Any]) -> None:
        """Raise an error if an array has another number of columns than the rows seen in `fit`."""
        n_columns = len(batches[0].schema.names)
        if n_columns != self.n_features_in_ and not is_arrow(X):
            raise BadInput(
                f"X has {n_columns} features, but Features is expecting {self.n_features_in_} features as "
                "input; give the columns that it was fitted to"
            )

    def _renumber(self, rows: Any) -> Any:
        """Renumber hashed features to the features seen in `fit`, and drop all others."""
        assert self.vocabulary_ is not None
        at = np.minimum(np.searchsorted(self._indices, rows.indices), max(0, len(self._indices) - 1))
        known = self._indices[at] == rows.indices if len(self._indices) else np.zeros(len(at), np.bool_)
        places = self._sorted[at[known]]
        starts = np.concatenate([[0], np.cumsum(known)])[rows.indptr]
        values = rows.data[known] * self._signs[places]
        named = csr_array((values, places, starts), shape=(rows.shape[0], len(self.vocabulary_)))
        named.sort_indices()
        return named

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the name of each feature; those without a stored name are named by their number.

        Parameters
        ----------
        input_features : object, default=None
            Ignored.

        Returns
        -------
        ndarray of str
            The names.
        """
        check_is_fitted(self, "fields_")
        if self.vocabulary_ is not None:
            return self.vocabulary_
        names = self.fields_.feature_names
        if names is not None:
            return np.array(names, object)
        named = FeatureNames(self.fields_.settings(), None, self.recorded_names_)
        features = named.of(range(self.fields_.n_features))
        return np.array([feature.name for feature in features.values()], object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.target_tags.required = False
        return tags


def batches_of(X: Any) -> list[Any]:
    """Return X as record batches: a table, an array with the columns x0, x1, …, or a column of texts.

    A list or array of texts becomes the column "text"; a Series keeps its name.

    >>> batches_of(["good film", "bad film"])[0].schema.names
    ['text']
    """
    import pyarrow as pa

    from rosenblatt.data.sources.arrow_files import table_batches

    is_series = hasattr(X, "to_frame") and not hasattr(X, "columns")
    is_listed = isinstance(X, Sequence | np.ndarray) and any(isinstance(x, str) for x in X)
    if is_series or is_listed:
        cells = pa.array(np.asarray(X, object), from_pandas=True)
        name = getattr(X, "name", None)
        X = pa.table({name if isinstance(name, str) else "text": cells})
    if is_arrow(X):
        batches = list(table_batches(X, "X"))
        if not batches:
            raise BadInput("X: there are no rows; give a table with rows")
        return batches
    from sklearn.utils import check_array

    rows = check_array(X, dtype="numeric", ensure_all_finite="allow-nan")
    columns = [pa.array(column, from_pandas=True) for column in rows.T]
    return [pa.record_batch(columns, [f"x{j}" for j in range(len(columns))])]
