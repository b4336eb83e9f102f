"""What users import: modules that are what they seem, and functions that no module hides."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from pkgutil import iter_modules, walk_packages

import pytest

import rosenblatt

SHORT = {
    "examples": "numeric.row_batches",
    "foundations": "course.foundations",
    "lectures": "course.lectures",
    "teachers": "training.online.example_teachers",
}


def packages():
    for found in walk_packages(rosenblatt.__path__, "rosenblatt."):
        if found.ispkg:
            yield found.name
    yield "rosenblatt"


def hidden_by_modules(name):
    """Public functions and classes of a package that importing a module of the same name would replace."""
    package = import_module(name)
    modules = {found.name for found in iter_modules(package.__path__)}
    return [
        public
        for public in getattr(package, "__all__", ())
        if public in modules and not inspect.ismodule(getattr(package, public))
    ]


@pytest.mark.parametrize("name", sorted(packages()))
def test_no_module_hides_a_public_name_of_its_package(name):
    assert hidden_by_modules(name) == []


def test_a_module_that_hides_a_function_is_found(tmp_path, monkeypatch):
    folder = tmp_path / "shadowed"
    folder.mkdir()
    (folder / "__init__.py").write_text("__all__ = ['draw']\ndef draw(): ...\n")
    (folder / "draw.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert hidden_by_modules("shadowed") == ["draw"]
    sys.modules.pop("shadowed")


@pytest.mark.parametrize(("short", "place"), SHORT.items())
def test_a_short_path_has_the_public_names_of_its_place(short, place):
    module, tree = import_module(f"rosenblatt.{short}"), import_module(f"rosenblatt.{place}")
    assert module.__spec__.origin.endswith(f"{short}.py")
    public = getattr(tree, "__all__", None) or [
        name
        for name, value in vars(tree).items()
        if name[0] != "_" and getattr(value, "__module__", "") == tree.__name__
    ]
    assert sorted(module.__all__) == sorted(public)
    assert all(getattr(module, name) is getattr(tree, name) for name in public)


@pytest.mark.parametrize("alias", ["certificates", "sources", "learning", "engine"])
def test_there_are_no_other_names_for_packages(alias):
    with pytest.raises(ModuleNotFoundError, match=f"rosenblatt.{alias}"):
        import_module(f"rosenblatt.{alias}")
    assert not any(type(finder).__module__.startswith("rosenblatt") for finder in sys.meta_path)
