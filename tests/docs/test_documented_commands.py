"""The commands of the user guide, typed in order in the folder that its first lines of Python make."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from rosenblatt.cli.main import main

GUIDE = Path(__file__).parents[2] / "docs" / "from_a_file_to_a_model.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT_CODE = re.compile(r"# exit code (\d+)")


def commands(page):
    """Each command, with its exit code and what the page says it prints (None: nothing is said)."""
    blocks = [(kind, text.replace("\\\n", " ")) for kind, text in BLOCK.findall(page)]
    for (kind, text), (next_kind, shown) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        lines = [line for line in text.splitlines() if line.startswith("rosenblatt ")]
        if kind not in ("sh", ""):
            continue
        for line in lines:
            coded = EXIT_CODE.search(line)
            answer = shown if next_kind == "text" and line is lines[-1] else None
            yield line, int(coded.group(1)) if coded else 0, answer


def as_pattern(shown):
    """What a page shows, with … for what differs from run to run."""
    return ".*".join(re.escape(part) for part in shown.strip().split("…"))


def type_them(typed):
    """Run each command; its exit code and what it prints must be those of the page."""
    for line, code, shown in typed:
        result = CliRunner().invoke(main, shlex.split(line, comments=True)[1:])
        assert result.exit_code == code, f"{line}\n{result.output}"
        if shown is not None:
            assert re.fullmatch(as_pattern(shown), result.stdout.strip(), re.DOTALL), (
                f"{line}\n{result.stdout}"
            )


@pytest.fixture(scope="module")
def folder():
    """The folder that the page's Python makes before the first command."""
    page = GUIDE.read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_examples(page[: page.index("```sh")])
    names: dict[str, object] = {}
    for example in examples:
        exec(example.source, names)
    return names["folder"]


def test_every_command_of_the_guide_prints_what_the_page_shows(folder, monkeypatch):
    monkeypatch.chdir(folder)
    typed = list(commands(GUIDE.read_text(encoding="utf-8")))
    assert {shlex.split(line)[1] for line, _, _ in typed} >= {
        "convert",
        "fit",
        "inspect",
        "evaluate",
        "trace",
        "separate",
        "verify",
        "export",
    }
    type_them(typed)


def test_the_guide_shows_the_table_of_columns_that_fit_prints(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (fit,) = (line for line, _, _ in commands(GUIDE.read_text(encoding="utf-8")) if " fit " in line)
    result = CliRunner().invoke(main, shlex.split(fit)[1:])
    (shown,) = (
        text for _, text in BLOCK.findall(GUIDE.read_text(encoding="utf-8")) if "treated as" in text
    )
    assert [line.rstrip() for line in result.stderr.strip().splitlines()] == shown.strip().splitlines()


def test_a_command_that_prints_something_else_would_be_noticed():
    assert re.fullmatch(as_pattern("3 rows in … s"), "3 rows in 0.1 s")
    assert not re.fullmatch(as_pattern("3 rows in … s"), "4 rows in 0.1 s")
