"""`{module}`: an entry for every public name of a module, in the order in which the module lists them.

A page names only the module, so a new public name gets an entry automatically:

    ```{module} rosenblatt.rules
    ```

Names after the module are those to show; without them it is all that the module makes public.
"""

from __future__ import annotations

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer

sys.path.insert(0, str(Path(__file__).parent))
from docstrings_as_rst import as_rst

MODULE = re.compile(r"^```\{module\} ([\w.]+) *([\w ]*)\n```$", re.MULTILINE)


def public_names(module: ModuleType) -> list[str]:
    """`__all__`, or what is defined in the module itself and does not begin with an underscore.

    >>> public_names(import_module("rosenblatt.lectures"))
    ['EXAMPLES', 'Addition', 'Example', 'Line', 'Run']
    """
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return list(listed)
    own = vars(module).items()
    return [name for name, value in own if name[0] != "_" and _made_in(value, module.__name__)]


def _made_in(value: Any, module: str) -> bool:
    return callable(value) and getattr(value, "__module__", None) == module


def entry(package: str, name: str) -> list[str]:
    """Return the autodoc directive for one name.

    >>> entry("rosenblatt.rules", "as_rule")
    ['.. autofunction:: rosenblatt.rules.as_rule', '']
    """
    value = resolve_name(f"{package}.{name}")
    full = f"{package}.{name}"
    if inspect.ismodule(value):
        return [f".. py:module:: {full}", ""]
    if inspect.isclass(value):
        return [f".. autoclass:: {full}", "    :members:", *_inherited(value), ""]
    if callable(value):
        return [f".. autofunction:: {full}", ""]
    head = [f".. py:data:: {name}", f"    :module: {package}", ""]
    return [*head, *(f"    {line}" for line in documented(package, name)), ""]


def _inherited(cls: type) -> list[str]:
    """Return the option that shows members inherited from this package, but none of other packages."""
    is_ours = {base: base.__module__.startswith("rosenblatt.") for base in cls.__mro__[1:]}
    if not any(is_ours.values()):
        return []
    others = ", ".join(base.__name__ for base, ours in is_ours.items() if not ours)
    return [f"    :inherited-members: {others}"]


def documented(package: str, name: str) -> list[str]:
    """Return the string below a constant, from the module that defines it."""
    for module in [package, *(other for other in sys.modules if other.startswith(f"{package}."))]:
        below = ModuleAnalyzer.for_module(module).find_attr_docs()
        if ("", name) in below:
            return as_rst(below["", name])
    return []


def written_out(page: str) -> str:
    """Return a page with each `{module}` replaced by the entries of its names.

    >>> print(written_out("```{module} rosenblatt.geometry inner\\n```"))
    ```{eval-rst}
    .. autofunction:: rosenblatt.geometry.inner
    <BLANKLINE>
    ```
    """

    def entries(found: re.Match[str]) -> str:
        package, chosen = found.groups()
        return _block(package, chosen.split()) if chosen else by_file(package)

    return MODULE.sub(entries, page)


def _block(package: str, names: list[str]) -> str:
    return "\n".join(["```{eval-rst}", *(line for name in names for line in entry(package, name)), "```"])


def by_file(package: str) -> str:
    """Return the entries of all public names of a package.

    In a package with one file per algorithm, each file has a section that starts with its docstring.

    >>> by_file("rosenblatt.kernels").splitlines()[1]
    '.. py:module:: rosenblatt.kernels'
    """
    module = resolve_name(package)
    names = sorted(public_names(module), key=lambda name: _rank(getattr(module, name)))
    homes = {name: getattr(getattr(module, name), "__module__", package) for name in names}
    files = [home for home in dict.fromkeys(homes.values()) if _has_class(home, package, module, homes)]
    written = ["```{eval-rst}\n.. py:module:: " + package + "\n```"]
    for home in files:
        title, *about = inspect.getdoc(import_module(home)).splitlines()
        text = "\n".join(["```{eval-rst}", *as_rst(about), "```"]) if any(about) else ""
        inside = [name for name in names if homes[name] == home]
        written += [f"## {title.rstrip('.')}", text, _block(package, inside)]
    rest = [name for name in names if homes[name] not in files]
    if files and rest:
        written.append("## By name, and the shape of them all")
    return "\n\n".join([part for part in written if part] + ([_block(package, rest)] if rest else []))


def _rank(value: Any) -> int:
    """Return the sort key: classes, then functions, then constants."""
    return 0 if inspect.isclass(value) else 1 if callable(value) else 2


def _has_class(home: str, package: str, module: Any, homes: dict[str, str]) -> bool:
    """Whether a file below the package is the home of a class that is not the shape of the others."""
    inside = [getattr(module, name) for name, file in homes.items() if file == home]
    is_below = home.startswith(f"{package}.") and not home.endswith(".shape")
    return is_below and any(inspect.isclass(value) for value in inside)


def write_out(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the source of a page when it is read (a Sphinx hook)."""
    if docname.startswith("api/"):
        source[0] = written_out(source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the hook with Sphinx."""
    app.connect("source-read", write_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
