"""Table: all rows of a file with their labels, and the position of the label column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Table(NamedTuple):
    """Hold the rows of a file, their labels, and the feature names if the file has them.

    >>> Table([[1.0, 2.0]], [1], ["width", "height"]).feature_names
    ['width', 'height']
    """

    X: Any
    """A numpy array or a scipy.sparse.csr_array, float64 unless the file holds float32."""
    y: NDArray[Any]
    """int64 if all labels are whole numbers, otherwise float64; text if the file has text."""
    feature_names: list[str] | None = None


def target_field(target: str | int | None, n_fields: int, names: Sequence[str] | None, file: str) -> int:
    """Return the index of the label column: by default the last, or the one given by name or number.

    >>> target_field("class", 3, ["class", "width", "height"], "plants.csv")
    0
    >>> target_field(-2, 3, None, "plants.csv")
    1
    """
    if target is None:
        return n_fields - 1
    if names is not None and isinstance(target, str) and target in names:
        if list(names).count(target) > 1:
            raise BadInput(f"{file}: target: several columns have this name, {target!r}; give a number")
        return list(names).index(target)
    try:
        column = int(
            target
        )  # the command line passes text, so "-2" is a number unless a column has this name
    except ValueError:
        known = f"one of {list_names(names)}" if names else "a number, because the file has no header"
        raise BadInput(f"{file}: target: expected {known}, got {target!r}") from None
    if not -n_fields <= column < n_fields:
        raise BadInput(
            f"{file}: target: got {column}, but the file has {n_fields} columns; "
            f"give {-n_fields}…{n_fields - 1} (0 is the first, -1 the last)"
        )
    return column % n_fields


def list_names(names: Sequence[str | int], most: int = 8) -> str:
    """Return a text that lists the first names and the number of the remaining names.

    >>> list_names(["a", "b", "c", "d"], most=2)
    "'a', 'b' and 2 more"
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more
