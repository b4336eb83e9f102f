"""Help texts: groups of options, and examples that run as printed."""

from __future__ import annotations

import gzip
import shlex
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from rosenblatt.cli.main import main
from rosenblatt.cli.option_groups import Option

DOCS = Path(__file__).parents[2] / "docs"
FLOWERS = Path(__file__).parents[2] / "src/rosenblatt/course/lab/site/chapters/data/flowers.csv"
IN_ORDER = (
    "fit", "tune", "predict", "evaluate", "inspect", "explain", "export", "convert", "separate", "verify",
    "trace", "demo", "suspects",
)  # fmt: skip
ELSEWHERE = ("serve", "replay", "backup", "lab", "warm-up")  # they serve, need a log, or take a minute


def show(*words: str) -> str:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    return result.output


def examples(command: click.Command) -> list[str]:
    """Return the command lines below "Example:" or "Examples:" in a help text."""
    _, _, text = (command.help or "").partition("Example")
    return [line.strip() for line in text.splitlines() if line.startswith(" ") and line.strip()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with the files that the examples name."""
    rows = "".join(f"{'+1' if k % 3 else '-1'} 1:{k % 3} 2:{k % 5}\n" for k in range(60))
    vw = "".join(f"{1 if k % 2 else -1} | money:{k % 2} free hello:{k % 3}\n" for k in range(40))
    random = np.random.default_rng(0).normal(size=(40, 2))
    days = "age,price,clicked\n" + "".join(f"{a:.3f},{b:.3f},{int(a > b)}\n" for a, b in random)
    mails = "text,kind\n" + "win the money now,spam\nsee you at lunch,ham\n" * 20
    flowers = FLOWERS.read_text()
    texts = {
        "train.svm": rows, "test.svm": rows, "train.svm.gz": rows, "log.vw.gz": vw, "mails.csv": mails,
        "flowers.csv": flowers, "new.csv": flowers, "days/1.csv": days, "days/1.csv.gz": days,
        "points.csv": "x1,x2,y\n1,2,1\n2,1,1\n-1,-2,-1\n-2,-1,-1\n",
    }  # fmt: skip
    (tmp_path / "days").mkdir()
    for name, text in texts.items():
        content = text.encode()
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_examples_of_the_help_texts_run_as_typed(folder):
    assert sorted((*IN_ORDER, *ELSEWHERE)) == sorted(main.commands)
    for name, command in {**{name: main.commands[name] for name in IN_ORDER}, "rosenblatt": main}.items():
        lines = examples(command)
        assert lines, f"{name} has no example"
        for line in lines:
            before, _, after = line.partition(" | ")
            piped = gzip.decompress(Path("log.vw.gz").read_bytes()) if before.startswith("zcat") else None
            words = shlex.split(after or before)[1:]
            typed = [str(each) for word in words for each in (Path().glob(word) if "*" in word else [word])]
            result = CliRunner().invoke(main, typed, input=piped)
            assert result.exit_code == 0, f"{line}\n{result.output}"


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_examples_of_other_commands_have_options_that_exist(name):
    for line in examples(main.commands[name]):
        if line.startswith(f"rosenblatt {name}"):
            parent = click.Context(main, **main.context_settings)
            words = shlex.split(line)[2:]
            main.commands[name].make_context(name, words, parent=parent, resilient_parsing=True)


def test_every_option_has_a_help_text_and_every_command_a_summary():
    for name, command in main.commands.items():
        assert command.get_short_help_str(200), name
        for param in command.params:
            if isinstance(param, click.Option):
                assert param.help, f"{name} {param.opts[0]}"


def test_fit_help_fits_on_two_screens_and_help_all_has_every_option():
    short, whole = show("fit", "--help"), show("fit", "--help-all")
    assert len(short.splitlines()) <= 90
    rare = [param for param in main.commands["fit"].params if isinstance(param, Option) and param.rare]
    assert len(rare) > 10
    for param in rare:
        assert f"  {param.opts[0]}" not in short
        assert f"  {param.opts[0]}" in whole
    order = [
        short.index(f"\n{group}:") for group in ("Input", "Features", "Training", "Evaluation", "Output")
    ]
    assert order == sorted(order)


def test_the_reference_in_the_docs_equals_the_help(load):
    reference = load(DOCS / "_ext" / "cli_reference.py").reference()
    assert (DOCS / "cli.md").read_text() == reference, "make cli-reference writes it anew"
