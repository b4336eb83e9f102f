"""Table: what every reader returns, and the two questions every reader has about its labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Table(NamedTuple):
    """The rows of a file, their labels, and the names of the features where the file has them.

    >>> Table([[1.0, 2.0]], [1], ["width", "height"]).feature_names
    ['width', 'height']
    """

    X: Any
    """A numpy array or a scipy.sparse.csr_array, float64 unless the file holds float32."""
    y: NDArray[Any]
    """int64 where all labels are whole numbers, else float64; text where the file has text."""
    feature_names: list[str] | None = None


def tidy_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Labels as int64 where all are whole numbers, else as float64; text stays text.

    >>> import numpy as np
    >>> tidy_labels(np.array([-1.0, 1.0])), tidy_labels(np.array([0.5, 1.0]))
    (array([-1,  1]), array([0.5, 1. ]))
    """
    import numpy as np

    if labels.dtype.kind == "S":
        return labels.astype(np.str_)
    if labels.dtype.kind == "f":
        # beyond 2^53 neighbouring doubles are further than 1 apart: such a label was not counted
        whole = (labels == np.floor(labels)).all() and (np.abs(labels) <= 2.0**53).all()
        return labels.astype(np.int64 if whole else np.float64)
    return labels.astype(np.int64) if np.can_cast(labels.dtype, np.int64) else labels


def target_column(target: str | int | None, n_columns: int, names: Sequence[str] | None, file: str) -> int:
    """The number of the label's column: the last one, or the one that `target` names or counts.

    >>> target_column("class", 3, ["class", "width", "height"], "plants.csv")
    0
    >>> target_column(-2, 3, None, "plants.csv")
    1
    """
    if target is None:
        return n_columns - 1
    if names is not None and isinstance(target, str) and target in names:
        if list(names).count(target) > 1:
            raise BadInput(f"{file}: target: several columns have this name, {target!r}; give a number")
        return list(names).index(target)
    try:
        column = int(target)  # the command line has only text: "-2" is a number where it is no name
    except ValueError:
        known = f"one of {listed(names)}" if names else "a number, for the file has no header with names"
        raise BadInput(f"{file}: target: expected {known}, got {target!r}") from None
    if not -n_columns <= column < n_columns:
        raise BadInput(
            f"{file}: target: got {column}, but the file has {n_columns} columns; "
            f"give {-n_columns}…{n_columns - 1} (0 is the first, -1 the last)"
        )
    return column % n_columns


def listed(names: Sequence[str | int], most: int = 8) -> str:
    """The names, and how many more there are.

    >>> listed(["a", "b", "c", "d"], most=2)
    "'a', 'b' and 2 more"
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more
