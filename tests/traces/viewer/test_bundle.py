"""The modules as one script, and the style sheet: complete, in order, readable by everyone."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path

import rosenblatt.traces.viewer
from rosenblatt.traces.viewer.bundle import MODULES, module, script, style

FOLDER = Path(rosenblatt.traces.viewer.__file__).parent


# ---------------------------------------------------------------- the script


def test_every_module_of_the_folder_is_in_the_script() -> None:
    assert sorted(MODULES) == sorted(path.stem for path in FOLDER.glob("*.js"))


def test_a_module_imports_only_from_modules_before_it() -> None:
    for number, name in enumerate(MODULES):
        wanted = re.findall(r'from "\./(\w+)\.js"', module(name))
        assert set(wanted) <= set(MODULES[:number]), name


def test_no_two_modules_use_the_same_name() -> None:
    declared = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
    counted = Counter(itertools.chain.from_iterable(declared.findall(module(name)) for name in MODULES))
    assert [name for name, times in counted.items() if times > 1] == []


def test_the_script_imports_nothing_and_exports_what_pages_and_widgets_need() -> None:
    assert re.findall(r"^import\b.*", script(), re.MULTILINE) == []
    assert re.findall(r"^export .*", script(), re.MULTILINE) == [
        "export default { render };",
        "export { Chart, Plane, Replay, mountEmbedded, mountReplay };",
    ]


def test_the_script_cannot_end_its_element() -> None:
    assert "</script" not in script().lower()
    assert "<!--" not in script()
    assert "</style" not in style().lower()
