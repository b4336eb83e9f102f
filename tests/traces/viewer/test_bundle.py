"""The modules as one script, and the style sheet: complete, in order, readable by everyone."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import rosenblatt.traces.viewer
from rosenblatt.traces.viewer.bundle import MODULES, module, script, style

FOLDER = Path(rosenblatt.traces.viewer.__file__).parent
THEMES = re.compile(r"\{\s*color-scheme: (light|dark);([^}]*)\}")


def themes() -> list[tuple[str, dict[str, str]]]:
    """Each block of colours in the style sheet, with the theme that it is for."""
    blocks = THEMES.findall(style())
    return [(name, dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6})", text))) for name, text in blocks]


def channels(colour: str) -> np.ndarray:
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0


def linear(colour: str) -> np.ndarray:
    part = channels(colour)
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """As the Web Content Accessibility Guidelines define it."""
    high, low = sorted(
        (float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other)), reverse=True
    )
    return (high + 0.05) / (low + 0.05)


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


@pytest.mark.parametrize("name", MODULES)
def test_modules_are_small(name: str) -> None:
    lines = module(name).splitlines()
    assert len(lines) < 400
    assert [line for line in lines if len(line) > 108] == []


# ---------------------------------------------------------------- the style sheet


def test_every_rule_is_about_the_viewer_only() -> None:
    plain = re.sub(r"/\*.*?\*/", "", style(), flags=re.DOTALL)
    selectors = [text.strip() for text in re.findall(r"([^{}]+)\{", plain)]
    for selector in selectors:
        if not selector.startswith("@"):
            assert all(".rosenblatt" in each for each in selector.split(",")), selector


def test_both_ways_to_a_theme_give_the_same_colours() -> None:
    for wanted in ("light", "dark"):
        blocks = [colours for name, colours in themes() if name == wanted]
        assert len(blocks) == 2
        assert blocks[0] == blocks[1]
        assert {f"--class-{number}" for number in range(10)} <= set(blocks[0])


def test_marks_and_texts_stand_out_from_the_paper() -> None:
    texts = ("--ink", "--quiet", "--link", "--w", "--old", "--add", "--wrong", "--proof")
    for _, colours in themes():
        for name, colour in colours.items():
            if name in texts:
                assert contrast(colour, colours["--paper"]) >= 4.5, name
                assert contrast(colour, colours["--faint"]) >= 4.5, name
            elif name.startswith("--class"):
                assert contrast(colour, colours["--paper"]) >= 3.0, name


# linear RGB as seen without the long, the middle or the short cones (Viénot, Brettel and Mollon, rounded)
WITHOUT_CONES = {
    "protanopia": [[0.1121, 0.8853, -0.0005], [0.1127, 0.8897, -0.0001], [0.0045, 0.0, 1.0019]],
    "deuteranopia": [[0.2920, 0.7054, -0.0003], [0.2934, 0.7089, 0.0], [-0.0210, 0.0256, 1.0019]],
    "tritanopia": [[1.0150, 0.1497, -0.1647], [-0.0095, 0.9210, 0.0885], [0.0627, 0.4187, 0.5186]],
}


@pytest.mark.parametrize("sight", WITHOUT_CONES)
def test_two_classes_and_the_three_arrows_differ_for_the_colour_blind(sight: str) -> None:
    pairs = [("--class-0", "--class-1"), ("--w", "--add"), ("--old", "--add"), ("--w", "--old")]
    for _, colours in themes():
        for one, other in pairs:
            seen = [
                np.clip(np.array(WITHOUT_CONES[sight]) @ linear(colours[name]), 0, 1) ** (1 / 2.2)
                for name in (one, other)
            ]
            assert np.linalg.norm(seen[0] - seen[1]) > 0.08, (sight, one, other)
