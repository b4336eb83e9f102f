"""Answers against labels, as text."""

from __future__ import annotations

from rosenblatt.arithmetic.examples import plain
from rosenblatt.errors import counted
from rosenblatt.learning.streams.progressive import Evaluation

MOST_CLASSES = 12  # of a matrix that a terminal can show


def evaluation_text(found: Evaluation, source: str, n_bad: int = 0) -> str:
    """The error, what each class got, and the confusion matrix where there are few classes."""
    wrong = round(found.error * found.examples)
    lines = [f"Error {found.error:.4f}: {wrong:,} of {found.examples:,} rows of {source} are wrong."]
    if found.unknown:
        lines.append(f"{found.unknown:,} of them have labels that are no classes of the model.")
    if n_bad:
        lines.append(f"{counted(n_bad, 'bad line')} {'was' if n_bad == 1 else 'were'} passed over.")
    names = [str(plain(label)) for label in found.classes]
    width = max(8, *(len(name) for name in names[:MOST_CLASSES]))
    lines.append(f"{'class':>{width}} {'rows':>10} {'precision':>10} {'recall':>8} {'F1':>8}")
    shown = sorted(range(len(names)), key=lambda k: -found.confusion[k].sum())[:MOST_CLASSES]
    measured = found.per_class()
    for k in sorted(shown):
        each = measured[k]
        lines.append(
            f"{names[k]:>{width}} {each['rows']:10,} {_part(each['precision']):>10} "
            f"{_part(each['recall']):>8} {_part(each['f1']):>8}"
        )
    if len(names) > MOST_CLASSES:
        lines.append(
            f"… and {len(names) - MOST_CLASSES} more classes; --json has them all, and the matrix."
        )
        return "\n".join(lines)
    columns = max(10, width + 1)
    lines.append("Rows of each class (down) by the answer (across):")
    lines.append(" " * width + "".join(f"{name:>{columns}}" for name in names))
    lines += [
        f"{name:>{width}}" + "".join(f"{count:{columns},}" for count in row)
        for name, row in zip(names, found.confusion.tolist(), strict=True)
    ]
    return "\n".join(lines)


def _part(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
