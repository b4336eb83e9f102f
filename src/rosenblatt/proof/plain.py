"""Check a proof with Python's standard library alone: `python -m rosenblatt.proof.plain PROOF DATA.csv`.

DATA.csv holds numbers, with a comma between cells and no header; the last column is the label. This module
is slow, but can be read in a few minutes. It shares no code with `verify` and accepts the same proofs.
Below, a row is y·(x, 1) with y = ±1, as fractions; without an offset it is y·x. `proof.py` states what each
part of a proof claims.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import struct
import sys
from fractions import Fraction
from typing import Any

BLOCK = 65536  # rows in each block of the digest
Row = list[Fraction]
Table = list[list[float]]


class Rejected(Exception):
    """Signal that a proof is not valid."""


class NotNumbers(Exception):
    """Signal that a file is not a csv of finite numbers whose last column is the label."""


def require(condition: Any, reason: str) -> None:
    """Raise `Rejected` with this reason unless the condition holds."""
    if not condition:
        raise Rejected(reason)


def check(proof: Any, table: Table, labels: list[str]) -> dict[str, Any]:
    """Return what the proof establishes about the rows of a table and their labels, or raise `Rejected`."""
    try:
        return _check(proof, table, labels)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise Rejected(f"not a proof: {error!r}") from error


def _check(proof: dict[str, Any], table: Table, labels: list[str]) -> dict[str, Any]:
    require(proof["format"] == "rosenblatt-proof" and _of(int, proof["version"]) == 2, "another format")
    offset, multinomial = _of(bool, proof["offset"]), _of(bool, proof.get("multinomial", False))
    classes, question = _of(list, proof["classes"]), _of(list, proof["question"])
    require(all(isinstance(label, (str, int, float)) for label in classes + question), "other labels")
    if question:  # only the rows of two classes, or one class against all others
        require(len(question) <= 2 and not multinomial, "a question is about one class or two")
        if len(question) == 2:
            both = [i for i, label in enumerate(labels) if _is_in(label, question)]
            table, labels = [table[i] for i in both], [labels[i] for i in both]
        labels = ["1" if _is_in(label, question[:1]) else "-1" for label in labels]
    require(table and len(table) == _of(int, proof["n_rows"]), "another number of rows")
    require(all(len(x) == _of(int, proof["n_features"]) for x in table), "another number of features")
    numbers = [[k for k, name in enumerate(classes) if _is_in(label, [name])] for label in labels]
    require(all(len(number) == 1 for number in numbers), "the data have other labels")
    require(len({number[0] for number in numbers}) == len(classes), "a class has no row")
    require((len(classes) > 2) == multinomial, "one or two classes, or a multinomial regression")
    if multinomial:
        table = _pair_table(table, [number[0] for number in numbers], len(classes), offset)
        offset, signs = False, [1] * len(table)
    else:
        signs = [1 if number[0] == len(classes) - 1 else -1 for number in numbers]
    require(_of(str, proof["digest"]) == _digest(table, signs), "the proof is about other data")
    rows = [[y * Fraction(x) for x in [*xs, *[1.0] * offset]] for xs, y in zip(table, signs, strict=True)]
    facts = _Parts(rows, signs, len(table[0]), offset).check_all(proof["parts"])
    return {**facts, "errors": (0, None), "hinge_loss": None} if multinomial else facts


def _pair_table(table: Table, own: list[int], n_classes: int, offset: bool) -> Table:
    """Return (e_c − e_k) ⊗ (x, 1), without the first class, for each x of class c and each k ≠ c."""
    pairs = []
    for xs, c in zip(table, own, strict=True):
        x = [*xs, *[1.0] * offset]
        for k in range(n_classes):
            if k != c:
                factors = [(m == c) - (m == k) for m in range(1, n_classes)]
                pairs.append([factor * value for factor in factors for value in x])
    return pairs


def _digest(table: Table, signs: list[int]) -> str:
    whole = hashlib.sha256(f"{len(table)} rows, {len(table[0])} features, in blocks;".encode())
    for start in range(0, len(table), BLOCK):
        block, d = table[start : start + BLOCK], len(table[0])
        counts, columns, values = b"", b"", b""
        for xs in block:
            there = [j for j, x in enumerate(xs) if x != 0.0]
            counts += struct.pack("<Q", len(there))
            columns += struct.pack(f"<{len(there)}Q", *there) if len(there) < d else b""
            values += struct.pack(f"<{len(there)}d", *(xs[j] for j in there))
        part = hashlib.sha256(f"{len(block)} rows, {d} features;".encode())
        part.update(struct.pack(f"{len(block)}b", *signs[start : start + BLOCK]))
        for piece in (counts, columns, values):
            part.update(hashlib.sha256(piece).digest())
        whole.update(part.digest())
    return whole.hexdigest()


class _Parts:
    def __init__(self, rows: list[Row], signs: list[int], n_features: int, offset: bool) -> None:
        self.rows, self.signs, self.d, self.offset = rows, signs, n_features, offset
        self.width = n_features + offset
        self.kinds: set[str] = set()
        self.low, self.high = 0.0, math.inf
        self.off: list[int] = []  # the rows off the hyperplane of the quasi-separation that separates most
        self.span: list[dict[int, Fraction]] | None = None  # a basis of V in `coefficient_facts`
        self.moving: set[int] = set()
        self.ways: dict[int, set[int]] = {}  # the signs of each coefficient in the directions found
        self.growing: dict[int, str] = {}
        self.unidentified: set[int] = set()
        self.in_conflict: set[int] = set()
        self.conflicts = 0
        self.removals: list[int] = []  # how many rows are removed
        self.losses: list[tuple[Fraction, Fraction]] = []  # bounds of the smallest hinge loss

    def check_all(self, parts: Any) -> dict[str, Any]:
        for part in _of(list, parts):
            getattr(self, "check_" + part["kind"].replace("-", "_"))(part)
            self.kinds.add(part["kind"])
        if self.kinds & {"quasi-separation", "maximality", "collinearity", "growth"}:
            self.unidentified |= {j for j in range(self.d) if not any(row[j] for row in self.rows)}
        no = self.kinds & {"gordan", "overlap", "maximality"} or any(least > 0 for least, _ in self.losses)
        kind = (
            "separable" if "separator" in self.kinds else "overlapping" if "overlap" in self.kinds
            else "quasi-separable" if no and self.off else "not separable" if no else "undecided"
        )  # fmt: skip
        margin = (0.0, 0.0) if no and kind != "separable" else (self.low, self.high)
        limits = [self.limit(j) for j in range(self.width)] if self.kinds else []
        errors = self.conflicts, min(self.removals, default=None)
        hinge = (max(a for a, _ in self.losses), min(b for _, b in self.losses)) if self.losses else None
        return {
            "kind": kind,
            "margin": margin,
            "coefficients": limits,
            "errors": errors,
            "hinge_loss": hinge,
        }

    def limit(self, j: int) -> str | None:
        if j in self.unidentified:
            return "not identified"
        if j in self.growing or len(self.ways.get(j, ())) == 2:
            return self.growing.get(j, "±inf")
        if "separator" in self.kinds or j in self.moving or j in self.ways:
            return "not finite"
        return None if self.span is None else "finite"

    def check_separator(self, part: Any) -> None:
        w, products = self.direction(part)
        require(min(products) > 0, "a row is not strictly on its side")
        length2, claimed = _dot(w[: self.d], w[: self.d]), _number(part["margin"], float)
        if length2 == 0:
            require(claimed == math.inf, "w = 0, so the margin is infinite")
        else:  # the claim is the largest double that is at most the margin
            above, margin2 = math.nextafter(claimed, math.inf), min(products) ** 2
            require(claimed >= 0.0 and Fraction(claimed) ** 2 * length2 <= margin2, "a smaller margin")
            require(above == math.inf or Fraction(above) ** 2 * length2 > margin2, "a larger margin")
        self.low = max(self.low, claimed)
        self.removals.append(0)

    def check_combination(self, part: Any) -> None:
        total, weight = self.combine(part)
        balance = sum(self.signs[i] * k for i, k in self.weights(part))
        require(not self.offset or balance == 0, "the weights of the classes have different sums")
        length2, claimed = _dot(total[: self.d], total[: self.d]), _number(part["margin"], float)
        # the claim is the smallest double that is at least the margin
        below, is_infinite = math.nextafter(claimed, -math.inf), claimed == math.inf
        require(claimed >= 0.0, "a margin is at least 0")
        require(is_infinite or (Fraction(claimed) * weight) ** 2 >= length2, "a larger margin")
        require(claimed == 0.0 or (Fraction(below) * weight) ** 2 < length2, "a smaller margin")
        self.high = min(self.high, claimed)

    def check_gordan(self, part: Any) -> None:
        self.cancelling(part)
        if self.in_conflict.isdisjoint(part["rows"]):
            self.in_conflict.update(part["rows"])
            self.conflicts += 1

    def check_rest_separator(self, part: Any) -> None:
        removed = {_of(int, i) for i in _of(list, part["rows"])}
        require(len(removed) == len(part["rows"]), "a row is removed twice")
        require(all(0 <= i < len(self.rows) for i in removed), "a row that is not in the data")
        products = self.direction(part, is_monotone=False)[1]
        on_side = {i for i, product in enumerate(products) if product > 0}
        require(on_side | removed == set(range(len(self.rows))), "a row is not strictly on its side")
        self.removals.append(len(removed))

    def check_hinge_loss(self, part: Any) -> None:
        divisor, total = _number(part["divisor"], int), _number(part["total"], int)
        require(divisor > 0, "a divisor above 0")
        margins = [product / divisor for product in self.direction(part, is_monotone=False)[1]]
        least = Fraction(0)
        if _of(list, part["rows"]) or _of(list, part["weights"]):
            self.cancelling(part)
            weights = [weight for _, weight in self.weights(part)]
            require(max(weights) <= total, "a dual weight above 1")
            least = Fraction(sum(weights), total)
        self.losses.append((least, sum((max(Fraction(0), 1 - m) for m in margins), Fraction(0))))

    def check_quasi_separation(self, part: Any) -> None:
        products = self.direction(part)[1]
        off = [i for i, product in enumerate(products) if product > 0]
        require(min(products) >= 0 and off, "a row is on the wrong side, or all are on the hyperplane")
        require(len(off) == _of(int, part["separated"]), "another number of rows is separated")
        self.off = off if len(off) > len(self.off) else self.off

    def check_overlap(self, part: Any) -> None:
        self.unidentified |= self.check_span(part, range(len(self.rows)))

    def check_maximality(self, part: Any) -> None:
        on = sorted(set(range(len(self.rows))) - set(self.off))
        require(
            self.off and {_of(int, i) for i in part["rows"]} <= set(on), "a row is not on the hyperplane"
        )
        self.moving |= self.check_span(part, on)

    def check_collinearity(self, part: Any) -> None:
        relation = self.relation(part["relation"], range(len(self.rows)))
        require(relation, "a relation needs a factor other than 0")
        self.unidentified |= set(relation)

    def check_growth(self, part: Any) -> None:
        j, sign, total = _of(int, part["column"]), _of(int, part["sign"]), self.combine(part)[0]
        require(0 <= j < self.width and sign in (1, -1), "a growth is about a coefficient and a sign")
        units = [{c: Fraction(1)} for c in range(self.width)]
        span = units if "separator" in self.kinds else self.span
        require(span is not None, "no part before it determines which rows are separated")
        products = [(sum(total[c] * k for c, k in v.items()), v.get(j, 0)) for v in span or ()]
        factors = {product / own for product, own in products if own}  # total·v = factor·v[j] for all v
        require(len(factors) == 1 and min(factors) * sign > 0, "the sign is not proved")
        require(all(own or not product for product, own in products), "the sign is not proved")
        self.growing[j] = "+inf" if sign > 0 else "-inf"

    # ---------------------------------------------------------------- what the parts are made of

    def cancelling(self, part: Any) -> None:
        require(not any(self.combine(part)[0]), "the weighted rows do not sum to zero")

    def direction(self, part: Any, is_monotone: bool = True) -> tuple[Row, list[Fraction]]:
        """Return (w, b) and the functional margin of each row.

        Unless a row may be on the wrong side, note the signs of the weights.
        """
        numbers = [_number(text) for text in [*_of(list, part["w"]), part["b"]]]
        require(len(numbers) == self.d + 1 and len(set(map(type, numbers))) == 1, "w does not fit the data")
        require(self.offset or numbers[-1] == 0, "an offset in a proof without one")
        w = [Fraction(number) for number in numbers]
        for j, number in enumerate(w):
            if number and is_monotone:
                self.ways.setdefault(j, set()).add(1 if number > 0 else -1)
        return w, [_dot(row, w[: self.width]) for row in self.rows]

    def weights(self, part: Any) -> list[tuple[int, int]]:
        rows = [_of(int, i) for i in _of(list, part["rows"])]
        weights = [_number(text, int) for text in _of(list, part["weights"])]
        require(rows and len(rows) == len(weights) == len(set(rows)), "each row has one weight")
        require(min(weights) > 0, "a weight is not above 0")
        require(min(rows) >= 0 and max(rows) < len(self.rows), "a row is not in the data")
        return list(zip(rows, weights, strict=True))

    def combine(self, part: Any) -> tuple[Row, int]:
        """Return the weighted sum of the rows, and the sum of the weights."""
        pairs = self.weights(part)
        total = [sum((k * self.rows[i][j] for i, k in pairs), Fraction(0)) for j in range(self.width)]
        return total, sum(k for _, k in pairs)

    def check_span(self, part: Any, among: Any) -> set[int]:
        """Check that the rows sum to zero and span the rows `among`; return the columns of the span V."""
        self.cancelling(part)
        columns = [_of(int, c) for c in _of(list, part["columns"])]
        require(len(set(columns)) == len(columns), "a column occurs twice")
        require(all(0 <= c < self.width for c in columns), "a column is not in the data")
        rank = _rank([[self.rows[i][c] for c in columns] for i in part["rows"]])
        require(rank == len(columns), "the rows do not have full rank in the columns")
        empty = {j for j in range(self.d) if not any(self.rows[i][j] for i in among)}
        relations = [self.relation(each, among) for each in _of(list, part["relations"])]
        others = [set(relation) - set(columns) for relation in relations]
        require(all(len(other) == 1 for other in others), "a relation explains one column")
        require(set(columns).union(empty, *others) == set(range(self.width)), "a column is not explained")
        self.span = [*relations, *({j: Fraction(1)} for j in empty)]
        return {j for relation in self.span for j in relation}

    def relation(self, plain: Any, among: Any) -> dict[int, Fraction]:
        """Return the nonzero factors of a relation between columns that holds in the rows `among`."""
        factors = {int(c): Fraction(int(_number(text))) for c, text in plain.items()}
        relation = {c: factor for c, factor in factors.items() if factor}
        require(all(0 <= c < self.width for c in relation), "a relation is about columns of the data")
        for i in among:
            require(not sum(k * self.rows[i][c] for c, k in relation.items()), "a relation does not hold")
        return relation


def _dot(a: Row, b: Row) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _rank(rows: list[Row]) -> int:
    rank, left = 0, [row for row in rows if any(row)]
    while left:
        pivot = left.pop()
        c = next(j for j, number in enumerate(pivot) if number)
        left = [[a - row[c] / pivot[c] * b for a, b in zip(row, pivot, strict=True)] for row in left]
        left, rank = [row for row in left if any(row)], rank + 1
    return rank


def _number(text: str, kind: type | None = None) -> Any:
    """Parse a hexadecimal float, which has an exponent or is infinite, or a hexadecimal integer."""
    require(type(text) is str, "numbers are hexadecimal text")
    number = float.fromhex(text) if "p" in text or "i" in text else int(text, 16)
    require(kind is None or type(number) is kind, f"expected {kind}")
    return number


def _of(kind: Any, value: Any) -> Any:
    require(type(value) is kind, f"expected {kind.__name__}, got {value!r:.60}")
    return value


def _is_in(label: str, classes: list[Any]) -> bool:
    """Return whether the text of a label is one of the classes; numbers are compared by value."""
    try:
        return label in classes or float(label) in [name for name in classes if not isinstance(name, str)]
    except ValueError:
        return False


def read_rows(path: str) -> tuple[Table, list[str]]:
    """Return the rows of a csv of finite numbers, and the texts in its last column."""
    rows, labels = [], []
    with open(path, encoding="utf-8", newline="") as file:
        for k, cells in enumerate(csv.reader(file), 1):
            try:
                rows.append([float(cell) for cell in cells[:-1]])
                labels.append(cells[-1])
            except (ValueError, IndexError):
                raise NotNumbers(f"{path}: line {k}: expected numbers and a label, and no header") from None
            if not all(map(math.isfinite, rows[-1])) or len(rows[-1]) != len(rows[0]) or not rows[0]:
                raise NotNumbers(f"{path}: line {k}: expected as many finite numbers as in line 1")
    return rows, labels


def main(arguments: list[str]) -> int:
    """Check a proof file against a csv file; print what it proves, or why it is not valid."""
    if len(arguments) != 2:
        print("usage: python -m rosenblatt.proof.plain PROOF DATA.csv", file=sys.stderr)
        return 64
    try:
        rows, labels = read_rows(arguments[1])
        with open(arguments[0], encoding="utf-8") as file:
            facts = check(json.load(file), rows, labels)
    except (OSError, UnicodeDecodeError, csv.Error, NotNumbers) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 65
    except (ValueError, RecursionError, Rejected) as error:
        print(f"Not valid: {error}")
        return 1
    print("Valid:", ", ".join(f"{name} {value}" for name, value in facts.items() if value))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
