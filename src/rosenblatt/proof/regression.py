"""Determine, with proofs, which coefficients of a logistic regression have a finite estimate (`overlap`).

The maximum likelihood estimate is finite if and only if the classes overlap (Albert and Anderson 1984). If
some direction has no point on the wrong side and at least one point off its hyperplane, then moving the
weights along this direction always increases the likelihood. `coefficient_facts` states what follows for
each coefficient.

Nothing depends on the logistic function except that log F and log(1 − F) are strictly increasing and
decreasing, concave, and tend to 0 at one end. So the results hold for every link with these properties: for
logit, probit and complementary log-log (Silvapulle 1981).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.data.labels import check_labels, classes_of
from rosenblatt.errors import BadInput, counted
from rosenblatt.numeric.blocks import native
from rosenblatt.numeric.row_batches import (
    as_rows,
    check_finite,
    class_name,
    column_names,
    n_features,
    n_rows,
)
from rosenblatt.proof.clock import Clock, run_to_limit
from rosenblatt.proof.coefficient_facts import Limit
from rosenblatt.proof.coefficient_search import CoefficientSearch
from rosenblatt.proof.findings import check_offset, class_names, label_in_memory
from rosenblatt.proof.labelled_rows import RowsInMemory
from rosenblatt.proof.multinomial_rows import rows_of_pairs
from rosenblatt.proof.proof import Proof
from rosenblatt.proof.statsmodels_rows import is_model, rows_of_model
from rosenblatt.proof.verdict import RowNames, full_stop, regression_name, through_origin
from rosenblatt.text_table import aligned_lines
from rosenblatt.training.progress import Progress

MOST_LISTED = 40  # coefficients in a report; of more, only those that are not finite are listed
MEANING = {
    "±inf": "±inf: the data do not determine whether it tends to +inf, to -inf or to a finite limit.",
    "not finite": "not finite: infinite or not identified; the search ended before the sign was proved.",
    "not identified": "not identified: the columns are linearly dependent, so drop one of them.",
    None: "?: not decided.",
}


class Coefficient(NamedTuple):
    """State the limit of a coefficient as the likelihood tends to its supremum.

    Parameters
    ----------
    name : str or int
        The name or the number of its column, or "intercept".
    limit : str or None
        "finite", "+inf", "-inf", "±inf" (the data do not determine the sign), "not finite" (the sign was
        not proved in time), "not identified" (its column depends linearly on others), or None if undecided.
    of_class : class or None, default=None
        In a multinomial regression, the class whose coefficient it is, relative to the first class.

    Examples
    --------
    >>> overlap([[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1]).coefficients[0]
    Coefficient(name=0, limit='+inf', of_class=None)
    """

    name: Any
    limit: Limit | None
    of_class: Any = None


@dataclass(frozen=True)
class Overlapping:
    """State whether the classes overlap and, if not, which coefficients of a regression are infinite.

    Without an offset, the regression has no intercept and hyperplanes go through the origin.

    Parameters
    ----------
    finite : bool or None
        Whether a logistic regression has a finite estimate; None if undecided.
    kind : str
        As in `Verdict`.
    direction : tuple of (ndarray, float) or None
        (w, b) with no row on the wrong side. For a multinomial regression, w has one row, and b one number,
        for each class after the first.
    rows : ndarray of int64
        The rows off the hyperplane of the direction. As the coefficients diverge along the direction, the
        predicted probabilities of the labels of these rows approach 1.
    features : tuple
        The columns with a nonzero weight in the direction.
    proof : Proof
        The proof.
    coefficients : tuple of Coefficient
        The limit of each coefficient; the intercept is the last one of its class.
    most_rows : int
        A proved upper bound on the number of rows that a single direction can place strictly on their
        correct side. It is `len(rows)` unless the search ended early.

    Examples
    --------
    >>> found = overlap([[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> found.finite, found.separation, [limit for _, limit, _ in found.coefficients]
    (False, 'quasi-complete', ['+inf', '-inf'])
    """

    finite: bool | None
    kind: str
    direction: tuple[NDArray[np.float64], Any] | None
    rows: NDArray[np.int64]
    features: tuple[Any, ...]
    proof: Proof
    coefficients: tuple[Coefficient, ...]
    most_rows: int

    @property
    def separation(self) -> str | None:
        """The kind of separation: "complete", "quasi-complete", "absent", or None if undecided."""
        kinds = {"separable": "complete", "quasi-separable": "quasi-complete", "overlapping": "absent"}
        return kinds.get(self.kind)

    def __repr__(self) -> str:
        return f"<Overlapping: {self.kind}, {counted(len(self.rows), 'row')} separated>"

    def __str__(self) -> str:
        return self.in_words()

    def in_words(self, rows: RowNames = RowNames()) -> str:  # noqa: B008
        """Return the report as text.

        Parameters
        ----------
        rows : RowNames
            How rows are named; by default by their numbers from 0.

        Returns
        -------
        str
            The sentences, and a table of the coefficients.
        """
        lines = [self._headline()]
        if len(self.rows):
            lines.append(self._separated_rows_text(rows))
        return "\n".join([*lines, *_coefficient_lines(self.coefficients)])

    def _headline(self) -> str:
        offset, multinomial = self.proof.offset, self.proof.multinomial
        regression = f"a {'multinomial ' * multinomial}{regression_name(offset)}"
        hyperplane = f"a hyperplane{through_origin(offset)}"
        if self.finite:
            overlap = (
                "The classes overlap"
                if offset or multinomial
                else f"Every {hyperplane[2:]} has a row on the wrong side, unless all rows lie on it"
            )
            return f"{overlap}: {regression} has a finite estimate (proved)."
        if self.finite is None and self.kind == "not separable":
            return f"Not decided: the classes cannot be separated by {hyperplane}, but they may be partly."
        if self.finite is None:
            return (
                "Not decided within the time limit: the classes may or may not be separable by "
                f"{hyperplane}."
            )
        how = "completely" if self.kind == "separable" else "partly"
        by = "" if offset or multinomial else f" by {hyperplane}"
        return f"The classes are {how} separated{by}: {regression} has no finite estimate (proved)."

    def _separated_rows_text(self, rows: RowNames) -> str:
        are_off = (
            "is off the hyperplane, on its side"
            if len(self.rows) == 1
            else "are off the hyperplane, on the correct side"
        )
        if self.proof.multinomial:
            are_off = f"{'is' if len(self.rows) == 1 else 'are'} separated from another class"
        off = f"{len(self.rows):,} of {counted(self.proof.n_rows, 'row')} {are_off}"
        more = "No direction separates more rows (proved)."
        if self.most_rows > len(self.rows):
            more = f"Another direction may separate more, but at most {self.most_rows:,} (proved)."
        return f"{full_stop(f'{off}: {rows.row_list(self.rows)}')} {rows.said}\n{more}"


def _coefficient_lines(coefficients: tuple[Coefficient, ...]) -> list[str]:
    """Return a table of the limits of the coefficients, and the meaning of unusual limits."""
    limits = [each.limit for each in coefficients]
    if not any(limits) or all(limit == "finite" for limit in limits):
        return []
    listed, ending = list(coefficients), []
    if len(listed) > MOST_LISTED:
        listed = [each for each in listed if each.limit != "finite"]
        ending = [f"{counted(len(coefficients) - len(listed), 'other coefficient')}: finite."]
    if len(listed) > MOST_LISTED:
        ending.append(f"{counted(len(listed) - MOST_LISTED, 'more coefficient')} not listed here.")
    has_classes = any(each.of_class is not None for each in listed)
    table = [
        [*([class_name(each.of_class)] if has_classes else []), str(each.name), each.limit or "?"]
        for each in listed[:MOST_LISTED]
    ]
    heads = [[*(["class"] if has_classes else []), "coefficient", "estimate (proved)"]]
    meanings = [MEANING[limit] for limit in MEANING if limit in limits]
    return [*aligned_lines([*heads, *table]), *ending, *meanings]


def overlap(
    X: Any,
    y: ArrayLike | None = None,
    offset: bool = True,
    time_limit: float | None = None,
    progress: bool | None = None,
    feature_names: Sequence[str] | None = None,
) -> Overlapping:
    """Determine, with proofs, which coefficients of a logistic regression have a finite estimate.

    The same holds for probit and complementary log-log links. With more than two classes, the regression
    is multinomial.

    Parameters
    ----------
    X : array-like, sparse matrix, table or statsmodels model
        The rows. Without `y`, a model or results of statsmodels: Logit, Probit, MNLogit, or GLM with the
        family Binomial. Their constant is one of the columns.
    y : array-like of shape (n_rows,), default=None
        Their labels.
    offset : bool, default=True
        Whether the regression has an intercept.
    time_limit : float or None, default=None
        The time limit in seconds.
    progress : bool or None, default=None
        None shows progress on a terminal after two seconds; True always; False never.
    feature_names : sequence of str or None, default=None
        Names of the columns; None uses those of a table, or numbers.

    Returns
    -------
    Overlapping
        The facts with their proof; prints as a report.

    Raises
    ------
    BadInput
        If the data cannot be used.

    References
    ----------
    Albert & Anderson, Biometrika 71 (1984). Silvapulle, JRSS B 43 (1981). Konis, DPhil thesis (2007).

    Examples
    --------
    >>> dose, died = [[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> print(overlap(dose, died))
    The classes are partly separated: a logistic regression has no finite estimate (proved).
    2 of 4 rows are off the hyperplane, on the correct side: 0, 3. Rows are counted from 0.
    No direction separates more rows (proved).
    coefficient  estimate (proved)
    0                         +inf
    intercept                 -inf
    """
    given = column_names(X)
    if y is None:
        if not is_model(X):
            raise BadInput("y: expected the labels of X, or a model of statsmodels alone")
        X, y, given = rows_of_model(X)
        offset = False
    check_offset(offset)
    rows = as_rows(X)
    check_finite(rows, None)
    classes = class_names(classes_of(check_labels(y, n_rows(rows))))
    is_multinomial = len(classes) > 2
    if is_multinomial:
        pairs = rows_of_pairs(rows, y, classes, bool(offset))
        labelled = RowsInMemory(label_in_memory(native(pairs), np.ones(n_rows(pairs))).batch, (1,))
    else:
        labelled = label_in_memory(native(rows), y)
    with Progress(progress, None, "steps") as bar:
        search = CoefficientSearch(labelled, bool(offset) and not is_multinomial)
        clock = Clock(time_limit, bar)
        run_to_limit(lambda: search.run(0.99, clock))
    names: list[Any] = list(feature_names or given or ()) or list(range(n_features(rows)))
    if is_multinomial:
        return _multinomial_report(search, names, classes, bool(offset), n_rows(rows))
    return _report(search, [*names, "intercept"])


def _report(search: CoefficientSearch, names: list[Any]) -> Overlapping:
    """Return the result of a search about two classes; `names` are the names of the coefficients."""
    verdict = search.findings.verdict(0.0, "proved")
    finite = {"overlapping": True, "separable": False, "quasi-separable": False}.get(verdict.kind)
    direction = verdict.hyperplane if verdict.separable else verdict.direction
    moving = [] if direction is None else np.flatnonzero(direction[0]).tolist()
    return Overlapping(
        finite=finite,
        kind=verdict.kind,
        direction=direction,
        rows=np.arange(verdict.proof.n_rows) if verdict.separable else verdict.separated,
        features=tuple(names[j] for j in moving),
        proof=replace(verdict.proof, parts=search.parts()),
        coefficients=tuple(Coefficient(*each) for each in zip(names, search.limits(), strict=False)),
        most_rows=search.most_separated,
    )


def _multinomial_report(
    search: CoefficientSearch, names: list[Any], classes: tuple[Any, ...], offset: bool, n_rows: int
) -> Overlapping:
    """Return the result of a search about rows of pairs as a result about the examples."""
    names_of_class = [*names, *(["intercept"] if offset else [])]
    found = _report(search, names_of_class * (len(classes) - 1))
    direction = found.direction
    if direction is not None:
        w = direction[0].reshape(len(classes) - 1, -1)
        direction = (w[:, : len(names)], w[:, -1] if offset else np.zeros(len(w)))
    p, rows = len(names_of_class), np.unique(found.rows // (len(classes) - 1))
    about_examples: dict[str, Any] = {
        "n_rows": n_rows, "n_features": len(names), "classes": classes, "multinomial": True
    }  # fmt: skip
    return replace(
        found,
        direction=direction,
        rows=rows,
        features=tuple(name for name in names if name in set(found.features)),
        proof=replace(found.proof, offset=offset, **about_examples),
        coefficients=tuple(
            each._replace(of_class=classes[1 + i // p]) for i, each in enumerate(found.coefficients)
        ),
        most_rows=len(rows) if found.most_rows == len(found.rows) else n_rows,
    )
