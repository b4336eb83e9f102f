"""The features of a table's columns as an ONNX graph: numbers, ranges, categories and their pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from rosenblatt.data.sources.derived_fields import mark_of, name_of_pair
from rosenblatt.data.sources.field_roles import CATEGORY, DATE, NUMBER, TEXT
from rosenblatt.data.sources.number_ranges import edges_of, name_of_ranges, names_of_pieces, names_of_ranges
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.errors import BadInput
from rosenblatt.models.onnx.graph import Graph

MOST_PAIRS = 100_000
"""Largest number of combinations of values of two columns in a graph."""


def input_columns(fields: FieldFeatures) -> dict[str, bool]:
    """Return the columns of a table that a graph has as inputs, and whether they are numbers."""
    roles = {column: role for column, role in fields.columns if role in (NUMBER, CATEGORY, TEXT, DATE)}
    for column, role in roles.items():
        if role in (TEXT, DATE):
            what = "splits text into words" if role == TEXT else "reads dates"
            raise BadInput(
                f"to_onnx: column {column!r} is {'text' if role == TEXT else 'a date'}, and ONNX has no "
                f"operator that {what}; leave the column out (leave_out=[{column!r}]), or export only the "
                "classifier of a pipeline and give it the features"
            )
    return {column: role == NUMBER for column, role in roles.items()}


class ColumnFeatures:
    """Add the features of columns to a graph.

    `known` contains the names of the model's features; values of categories without one have no feature.
    """

    def __init__(self, graph: Graph, fields: FieldFeatures, known: Iterable[str]) -> None:
        self._graph, self._fields = graph, fields
        self._known = set(known)
        statistics = fields.statistics
        self._scales = statistics.scales if statistics else {}
        self._knots = statistics.knots if statistics else {}
        self._levels: dict[str, tuple[list[str], str, str]] = {}
        self.names: list[str] = []
        self._parts: list[str] = []

    def add(self) -> str:
        """Add all features, and return the matrix that has them in the order of `names`."""
        fields = self._fields
        if fields.encoding.numbers != "bins":
            for column in fields.names(NUMBER):
                self._add_number(column)
        pairs = {name_of_pair(pair): pair for pair in fields.pairs}
        for column in fields.names(CATEGORY):
            if column in pairs:
                self._add_pair(column, *pairs[column])
            else:
                levels, table, missing = self._levels_of(column)
                self._append([f"{column}={level}" for level in levels], table)
                self._mark(column, missing)
        return self._graph.node("Concat", *self._parts, axis=1)

    def _append(self, names: list[str], value: str) -> None:
        if names:
            self.names += names
            self._parts.append(value)

    def _mark(self, column: str, missing: str) -> None:
        if self._fields.missing == "mark":
            self._append([mark_of(column)], self._as_double(missing))

    def _as_double(self, value: str) -> str:
        return self._graph.node("Cast", value, to=self._graph.onnx.TensorProto.DOUBLE)

    def _add_number(self, column: str) -> None:
        graph, x = self._graph, self._graph.columns[column]
        missing = graph.node("IsNaN", x)
        numbers = self._fields.encoding.numbers
        if numbers == "piecewise":
            knots = np.array(self._knots[column])
            names = names_of_pieces(column, self._knots[column])
            value = self._pieces(x, knots) if names else x
        else:
            names, scale = [column], self._scales.get(column)
            value = x
            if scale is not None and scale.knots:  # ranks between −1 and 1
                positions = np.linspace(-1.0, 1.0, len(scale.knots))
                rises, knots = np.unique(scale.knots, return_index=True)
                last = len(scale.knots) - 1 - np.unique(scale.knots[::-1], return_index=True)[1]
                value = self._ranks(x, rises, positions[knots], positions[last])
            elif scale is not None:
                value = graph.node("Div", graph.node("Sub", x, scale.centre), scale.divisor)
        self._append(names, graph.node("Where", missing, 0.0, value))
        self._mark(column, missing)

    def _pieces(self, x: str, knots: Any) -> str:
        """Return clip((x − k)/(k′ − k), 0, 1) for each range [k, k′] between neighbouring knots."""
        graph = self._graph
        inside = graph.node("Min", graph.node("Max", x, knots[:-1]), knots[1:])
        return graph.node("Div", graph.node("Sub", inside, knots[:-1]), np.diff(knots))

    def _ranks(self, x: str, knots: Any, first: Any, last: Any) -> str:
        """Return a function that goes from last[k] to first[k+1] between knots, and jumps at each knot."""
        graph = self._graph
        rises = graph.node("MatMul", self._pieces(x, knots), (first[1:] - last[:-1])[:, None])
        steps = self._as_double(graph.node("GreaterOrEqual", x, knots))
        jumps = graph.node("MatMul", steps, (last - first)[:, None])
        return graph.node("Add", graph.node("Add", rises, jumps), float(first[0]))

    def _levels_of(self, column: str, in_pair: bool = False) -> tuple[list[str], str, str]:
        """Return the values of a categorical column, a matrix with 1 for the value, and what is missing.

        A number column has its ranges as values.
        """
        if column not in self._levels:
            numbers = {name_of_ranges(name): name for name in self._fields.names(NUMBER)}
            numbers |= {name: name for name in numbers.values()} if in_pair else {}
            make = self._ranges if column in numbers else self._values
            self._levels[column] = make(numbers.get(column, column), in_pair)
        return self._levels[column]

    def _ranges(self, column: str, in_pair: bool) -> tuple[list[str], str, str]:
        graph, x = self._graph, self._graph.columns[column]
        edges = edges_of(self._knots[column], in_pair)
        low, high = np.append(-np.inf, edges), np.append(edges, np.inf)
        is_inside = graph.node("And", graph.node("GreaterOrEqual", x, low), graph.node("Less", x, high))
        return names_of_ranges(edges.tolist()), self._as_double(is_inside), graph.node("IsNaN", x)

    def _values(self, column: str, in_pair: bool) -> tuple[list[str], str, str]:
        graph, x = self._graph, self._graph.columns[column]
        values = sorted(self._values_by_column.get(column, ()))
        is_value = graph.node("Equal", x, np.array([values], object)) if values else ""
        table = self._as_double(is_value) if values else ""
        return values, table, graph.node("Equal", x, np.array([[""]], object))

    @cached_property
    def _values_by_column(self) -> Mapping[str, set[str]]:
        """The values of each categorical column that occur in the names of features, also of pairs."""
        columns = [name for name, role in self._fields.columns if role == CATEGORY]
        found: dict[str, set[str]] = {column: set() for column in columns}
        for column in columns:
            prefix = f"{column}="
            found[column] = {name[len(prefix) :] for name in self._known if name.startswith(prefix)}
        for pair in self._fields.pairs:  # a value may have a weight only together with another
            prefix = f"{name_of_pair(pair)}="
            for name in self._known:
                parts = name[len(prefix) :].split(" & ") if name.startswith(prefix) else ()
                for column, value in zip(pair, parts, strict=len(parts) == 2):
                    if column in found and len(parts) == 2:
                        found[column].add(value)
        return found

    def _add_pair(self, column: str, one: str, other: str) -> None:
        (levels, table, missing), (others, other_table, other_missing) = (
            self._levels_of(each, in_pair=True) for each in (one, other)
        )
        names = [f"{column}={a} & {b}" for a, b in product(levels, others)]
        if len(names) > MOST_PAIRS:
            raise BadInput(
                f"to_onnx: {column!r} has {len(names):,} combinations of values; train without this pair"
            )
        places = np.array([k for k, name in enumerate(names) if name in self._known], np.int64)
        if len(places):
            graph = self._graph
            first = graph.node("Gather", table, places // len(others), axis=1)
            second = graph.node("Gather", other_table, places % len(others), axis=1)
            self._append([names[k] for k in places.tolist()], graph.node("Mul", first, second))
        self._mark(column, self._graph.node("Or", missing, other_missing))
