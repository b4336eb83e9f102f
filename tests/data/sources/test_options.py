"""Signatures, docstrings, checks and the command line agree with the table of reading options."""

from __future__ import annotations

import ast
import inspect
import re
from copy import copy
from dataclasses import fields

import pytest

from rosenblatt import AutoPerceptron, Features, read
from rosenblatt.cli.fit import fit
from rosenblatt.cli.separate import separate
from rosenblatt.data.sources.encoding import WORDS, Encoding, FieldOptions
from rosenblatt.data.sources.options import (
    BY_NAME,
    COLUMNS,
    ENCODING,
    FILE,
    OPTIONS,
    TREATMENT,
    check_options,
    defaults_of,
)
from rosenblatt.errors import BadInput


def defaults_in(function):
    return {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}


def test_each_name_is_there_once():
    assert len(BY_NAME) == len(OPTIONS)


def test_read_has_the_options_with_their_defaults():
    own = {name: default for name, default in defaults_in(read).items() if name in BY_NAME}
    assert own == defaults_of(COLUMNS, TREATMENT, FILE)


def test_an_encoding_has_the_options_of_cells_with_their_defaults():
    assert {each.name: each.default for each in fields(Encoding)} == defaults_of(ENCODING)
    assert set(BY_NAME["words"].choices) == set(WORDS)


def test_options_of_columns_have_the_same_defaults():
    own = {each.name: each.default for each in fields(FieldOptions) if each.name in BY_NAME}
    assert own == {name: BY_NAME[name].default for name in own}


@pytest.mark.parametrize("estimator", [Features, AutoPerceptron])
def test_estimators_have_the_defaults_of_fit(estimator):
    usual = defaults_of(COLUMNS, ENCODING, TREATMENT, in_fit=True)
    own = {name: default for name, default in defaults_in(estimator).items() if name in usual}
    assert len(own) >= 4
    assert own == {name: usual[name] for name in own}


@pytest.mark.parametrize("place", [read, Encoding, Features])
def test_docstrings_list_the_choices_and_defaults(place):
    text = inspect.cleandoc(place.__doc__)
    defaults = defaults_in(place)
    for name, message in re.findall(r"^(\w+) : (.*)$", text, re.M):
        if name in BY_NAME and (default := re.search(r"default=(.+)$", message)):
            assert ast.literal_eval(default[1]) == defaults[name]
        if name in BY_NAME and (choices := re.match(r'\{("[^}]*)\}', message)):
            left_out = {"drop"} if place is Features and name == "missing" else set()
            assert set(ast.literal_eval(f"[{choices[1]}]")) == set(BY_NAME[name].choices) - left_out


@pytest.mark.parametrize(("command", "in_fit"), [(fit, True), (separate, False)])
def test_a_command_has_every_option_with_its_default(command, in_fit):
    params = copy(command).make_context("", ["x.csv"]).params  # click stores --help in the command
    assert params.keys() >= BY_NAME.keys()
    for name, default in defaults_of(ENCODING, TREATMENT, in_fit=in_fit).items():
        assert params[name] == (default if default != () else None)


@pytest.mark.parametrize(
    ("name", "value"),
    [("missing", "none"), ("ngrams", 4), ("ngrams", True), ("bits", 32), ("first_index", 2),
     ("skip_bad", -1), ("numbers", None), ("words", "idf"), ("format", "xls")],
)  # fmt: skip
def test_a_value_out_of_range_is_refused_with_the_name_of_its_option(name, value):
    with pytest.raises(BadInput, match=f"^{name}: (expected|got)"):
        check_options({name: value})
