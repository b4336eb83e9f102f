"""Signatures, docstrings, checks, model files and --help agree with the table of settings."""

from __future__ import annotations

import ast
import inspect
import math
import re

import click
import pytest
from click.testing import CliRunner

from rosenblatt import KernelPerceptron, Learner, Perceptron, PolynomialThreshold, averaging, kernels
from rosenblatt.cli.setting_options import with_settings
from rosenblatt.data.sources import read
from rosenblatt.errors import BadInput
from rosenblatt.loops.shared import SHARINGS
from rosenblatt.numeric.row_batches import TIES
from rosenblatt.storage.fields import Section
from rosenblatt.storage.parameters import decode_parameters, encode_parameters
from rosenblatt.training import orders, settings
from rosenblatt.training.dual import support
from rosenblatt.training.settings import (
    COMMAND,
    KERNEL,
    LEARNER,
    PERCEPTRON,
    POLYNOMIAL,
    SETTINGS,
    STREAM,
    WHOLE,
    Setting,
    StreamSettings,
    check,
    fixed_in,
    settings_of,
    whole,
)
from rosenblatt.training.streams.stream_run import StreamRun

CLASSES = {
    PERCEPTRON: Perceptron,
    KERNEL: KernelPerceptron,
    POLYNOMIAL: PolynomialThreshold,
    LEARNER: Learner,
}
ESTIMATORS = [PERCEPTRON, KERNEL, POLYNOMIAL]


def test_each_name_is_there_once():
    names = [setting.name for setting in SETTINGS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("place", CLASSES)
def test_a_signature_has_the_settings_of_its_place_with_their_defaults(place):
    written = {
        name: parameter.default for name, parameter in inspect.signature(CLASSES[place]).parameters.items()
    }
    assert written == {name: setting.default for name, setting in settings_of(place).items()}


@pytest.mark.parametrize("place", ESTIMATORS)
def test_a_docstring_explains_the_settings_of_its_place(place):
    text = inspect.cleandoc(CLASSES[place].__doc__)
    text = text[text.index("Parameters\n---") : text.index("Attributes\n---")]
    explained = re.findall(r"^(\w+(?:, \w+)*) :(.*)$", text, re.M)
    names_in_it = [name for names, _ in explained for name in names.split(", ")]
    assert sorted(names_in_it) == sorted(settings_of(place))
    for names, message in explained:
        setting = settings_of(place)[names.split(", ")[0]]
        if default := re.search(r"default=(.+)$", message):
            assert ast.literal_eval(default[1]) == setting.default
        if choices := re.search(r'\{("[^}]*)\}', message):
            assert set(ast.literal_eval(f"[{choices[1]}]")) == set(setting.choices)


@pytest.mark.parametrize(
    ("place", "name", "offered"),
    [
        (PERCEPTRON, "keep", averaging.KEEPERS),
        (KERNEL, "keep", support.KEEPERS),
        (POLYNOMIAL, "keep", support.KEEPERS),
        (PERCEPTRON, "tie", TIES),
        (PERCEPTRON, "order", orders.ORDERS),
        (PERCEPTRON, "sharing", SHARINGS),
        (KERNEL, "kernel", kernels.KERNELS),
    ],
)
def test_choices_are_what_the_packages_offer(place, name, offered):
    assert settings_of(place)[name].choices == tuple(offered)


@pytest.mark.parametrize("place", [*CLASSES, STREAM])
def test_defaults_pass_their_own_checks(place):
    defaults = {name: setting.default for name, setting in settings_of(place).items()}
    check(place, defaults)
    check(place, defaults, planned=True)


# ---------------------------------------------------------------- refusals

X, Y = [[0.0, 1.0], [1.0, 0.5], [2.0, -1.0]], [0, 1, 0]
NO_NAMES = ["strange", "", 1.0, ["last"], b"last", True]
NO_FLAGS = ["yes", 1, 0.0, [True]]
NO_NUMBERS = [-1, 1.5, "3", True, math.nan, [2]]
WRONG = {settings.among: NO_NAMES, settings.true_or_false: NO_FLAGS, whole: NO_NUMBERS}
"""What a check of the table refuses. Other settings have checks of their own, and tests beside them."""


def take(place, values):
    """Give settings to what has them, as a user does."""
    if place == STREAM:
        StreamRun(read([(X, Y)]), StreamSettings(**values)).go()
    elif place == LEARNER:
        way = {"multiclass": "ultraconservative"} if "sharing" in values else {}  # it is not read otherwise
        Learner(**way, **values)
    else:
        CLASSES[place](**values).fit(X, Y)


def wrong_values():
    for place in (*CLASSES, STREAM):
        for setting in settings_of(place).values():
            values = WRONG.get(setting.check, [])
            values = [*values, setting.least - 1] if setting.check is whole else values
            if place in ESTIMATORS and values and setting.default is not None and not setting.or_none:
                values = [*values, None]
            yield from ((place, setting, value) for value in values)


@pytest.mark.parametrize(
    ("place", "setting", "value"),
    list(wrong_values()),
    ids=lambda part: part.name if isinstance(part, Setting) else repr(part),
)
def test_a_wrong_value_is_refused_with_its_name_what_was_found_and_what_is_allowed(place, setting, value):
    with pytest.raises(BadInput) as refusal:
        take(place, {setting.name: value})
    message = str(refusal.value)
    assert message.startswith(f"{setting.name}: ")
    assert repr(value) in message
    if setting.check is settings.among:
        assert all(repr(choice) in message for choice in setting.choices)
    elif setting.check is whole:
        assert f"expected a whole number of at least {setting.least}, got" in message
    else:
        assert "expected True or False, got" in message


@pytest.mark.parametrize("place", [*ESTIMATORS, STREAM])
def test_passes_without_an_end_are_refused(place):
    with pytest.raises(BadInput, match=r"^epochs: expected a number of passes, or None with until="):
        take(place, {"epochs": None})


OTHER = {
    "rule": "margin", "keep": "voted", "offset": lambda was: not was, "tie": "positive", "coef0": 2.0,
    "multiclass": "ultraconservative", "sharing": "uniform", "allow_new_classes": True, "kernel": "linear",
    "degree": 5, "gamma": 0.25, "budget": 5, "way": "map",
}  # fmt: skip


@pytest.mark.parametrize("warm", [False, True], ids=["partial_fit", "warm fit"])
@pytest.mark.parametrize(
    ("place", "name"), [(place, name) for place in ESTIMATORS for name in fixed_in(place)]
)
def test_what_must_not_change_while_learning_continues_is_refused_by_its_name(place, name, warm):
    model = CLASSES[place](random_state=0, warm_start=warm).fit(X, Y)
    before, was = model.decision_function(X).tolist(), getattr(model, name)
    model.set_params(**{name: OTHER[name](was) if callable(OTHER[name]) else OTHER[name]})
    with pytest.raises(
        BadInput, match=rf"^{name}: .* now, but learning began with .*; continue as it began"
    ):
        (model.fit if warm else model.partial_fit)(X, Y)
    assert model.set_params(**{name: was}).decision_function(X).tolist() == before
    assert model.set_params(warm_start=False).fit(X, Y).epochs_ == 10


@pytest.mark.parametrize(
    "setting",
    [setting for setting in settings_of(PERCEPTRON).values() if setting.instead],
    ids=lambda setting: setting.name,
)
def test_settings_a_stream_lacks_are_refused_with_an_alternative(setting):
    value = {"class_weight": "balanced", "validation": 0.2}.get(setting.name, True)
    with pytest.raises(BadInput) as refusal:
        Perceptron(**{setting.name: value}).fit_stream([(X, Y)])
    assert str(refusal.value) == f"{setting.name}: got {value!r}, but a stream has none; {setting.instead}"


def test_a_stream_has_its_settings_and_keeps_them():
    chosen = StreamSettings(epochs=3)
    assert (chosen.epochs, chosen.but(keep="voted").epochs, chosen.keep) == (3, 3, "last")
    with pytest.raises(TypeError, match="a stream has no setting 'warm_start'; it has rule, keep, "):
        StreamSettings(warm_start=True)
    with pytest.raises(AttributeError, match="settings cannot be changed"):
        chosen.epochs = 4
    with pytest.raises(AttributeError, match="no setting 'epoch'"):
        _ = chosen.epoch


@pytest.fixture
def patience(monkeypatch):
    """One more line in the table."""
    line = Setting(
        "patience", 5, (PERCEPTRON, STREAM, COMMAND), "Passes to wait.", (WHOLE,), check=whole, least=1
    )
    monkeypatch.setattr(settings, "SETTINGS", (*SETTINGS, line))
    settings_of.cache_clear()
    yield
    settings_of.cache_clear()


@pytest.mark.usefixtures("patience")
def test_one_line_makes_a_setting_that_is_checked():
    check(STREAM, vars(StreamSettings(patience=3)))
    with pytest.raises(BadInput, match=r"^patience: expected a whole number of at least 1, got 0$"):
        check(STREAM, vars(StreamSettings(patience=0)))


@pytest.mark.usefixtures("patience")
def test_one_line_makes_a_setting_that_files_have():
    part = encode_parameters({"patience": 3}, PERCEPTRON)
    found = decode_parameters(Section(*part.split()), PERCEPTRON)
    assert found["patience"] == 3
    assert decode_parameters(Section({}, {}), PERCEPTRON)["patience"] == 5  # a file from before it
    with pytest.raises(BadInput, match="patience: expected a whole"):
        decode_parameters(Section({"patience": "long"}, {}), PERCEPTRON)


@pytest.mark.usefixtures("patience")
def test_one_line_makes_a_setting_that_the_command_line_has():
    @click.command()
    @with_settings(COMMAND)
    def command(**options):
        click.echo(options["patience"])

    message = CliRunner().invoke(command, ["--help"]).output
    assert re.search(r"--patience INTEGER RANGE +Passes to wait\. +\[default: 5; x>=1\]", message)
    assert CliRunner().invoke(command, ["--patience", "7"]).output == "7\n"
