"""Docstrings of everything in the reference follow numpydoc, section by section."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from numpydoc.validate import validate

import rosenblatt

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "api").glob("*.md"))

# not required: GL01 (text begins on the line of the quotes), ES01 (a paragraph), RT02 (names of results),
# SA01 (See Also); examples are required of classes and functions, not of each method
CHECKS = {
    "GL02", "GL03", "GL05", "GL06", "GL07", "GL08", "GL09", "GL10", "SS01", "SS02", "SS03", "SS04", "SS05",
    "SS06", "PR01", "PR02", "PR03", "PR04", "PR05", "PR06", "PR07", "PR08", "PR09", "PR10",
    "RT01", "RT03", "RT04", "RT05", "YD01", "SA02", "SA03", "SA04",
}  # fmt: skip
CHECKS_OF_TOP_LEVEL = CHECKS | {"EX01"}
CHECKS_OF_PROTOCOL = CHECKS_OF_TOP_LEVEL - {"PR01"}  # it has no constructor

# what many classes implement is documented where the interface is; in a class a summary is enough
SUMMARY = {"GL08", "SS01", "SS02", "SS03", "SS04", "SS05", "SS06"}
INTERFACES = {
    "rosenblatt.rules.": {"facts", "claims", "no_claims", "start", "widen"},  # rules.rule_hooks
    "rosenblatt.kernels.": {"matrix", "is_of_products", "diagonal", "roots", "error"},  # Kernel
}


def public_objects(reference: Any) -> Iterator[Any]:
    """Every class and function that a page of the reference or `rosenblatt.__all__` names."""
    for page in PAGES:
        for package, chosen in reference.MODULE.findall(page.read_text(encoding="utf-8")):
            module = resolve_name(package)
            for name in chosen.split() or reference.public_names(module):
                yield getattr(module, name)
    for name in rosenblatt.__all__:
        yield getattr(rosenblatt, name)


def members(cls: type) -> Iterator[tuple[type, str]]:
    """The public methods and properties of a class that this package defines, with their owners."""
    for owner in cls.__mro__:
        if owner.__module__.startswith("rosenblatt."):
            for name, value in vars(owner).items():
                function = getattr(value, "fget", None) or getattr(value, "__func__", value)
                is_ours = inspect.isfunction(function) and function.__name__ == name  # no lambda
                if is_ours and not name.startswith("_"):
                    yield owner, name


@functools.cache
def public(load: Any) -> dict[str, set[str]]:
    """The checks for each public object, by its import path."""
    reference = load(ROOT / "docs" / "_ext" / "api_modules.py")
    found = {}
    for value in public_objects(reference):
        if inspect.isclass(value) or (callable(value) and hasattr(value, "__qualname__")):
            is_protocol = getattr(value, "_is_protocol", False)
            checks = CHECKS_OF_PROTOCOL if is_protocol else CHECKS_OF_TOP_LEVEL
            found[f"{value.__module__}.{value.__qualname__}"] = checks
        if inspect.isclass(value):
            for owner, name in members(value):
                implements = any(
                    owner.__module__.startswith(package) and name in names and not is_protocol
                    for package, names in INTERFACES.items()
                )
                found[f"{owner.__module__}.{owner.__qualname__}.{name}"] = SUMMARY if implements else CHECKS
    return found


def errors_of(path: str, checks: set[str]) -> list[str]:
    """The failed checks of one docstring."""
    return [f"{path}: {code} {text}" for code, text in validate(path)["errors"] if code in checks]


def test_every_public_docstring_follows_numpydoc(load):
    errors = [error for path, checks in public(load).items() for error in errors_of(path, checks)]
    assert errors == []


def test_the_check_covers_methods_properties_and_what_is_inherited(load):
    assert len(public(load)) > 480
    assert {
        "rosenblatt.models.perceptron.Perceptron.fit",
        "rosenblatt.models.perceptron.Perceptron.coef_",
        "rosenblatt.models.calibrating.Probable.calibrate",
        "rosenblatt.geometry.l2_norm",
        "rosenblatt.rules.rule_hooks.threshold",
        "rosenblatt.serve.client.Client.learn",
    } <= public(load).keys()


def undocumented(number):
    return number


def badly_documented(number):
    """gives the number back

    Parameters
    ----------
    numbr : the number
    """
    return number


@pytest.mark.parametrize(
    ("function", "codes"),
    [
        (undocumented, {"GL08"}),
        (badly_documented, {"SS02", "SS03", "SS05", "PR01", "PR02", "RT01", "EX01"}),
    ],
)
def test_a_bad_docstring_would_be_noticed(function, codes, monkeypatch):
    monkeypatch.setattr(rosenblatt, function.__name__, function, raising=False)
    errors = errors_of(f"rosenblatt.{function.__name__}", CHECKS_OF_TOP_LEVEL)
    assert codes <= {error.split(": ")[1].split()[0] for error in errors}
