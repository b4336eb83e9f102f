"""What a plain `pip install` has: every command works, or names the extra it needs in a sentence."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

ROWS = "size,says,kind\n" + "1,no more of this please,a\n2,more of it please do,b\n" * 20
WORK = (
    "demo", "fit rows.csv --out m.safetensors", "predict m.safetensors rows.csv",
    "evaluate m.safetensors rows.csv", "inspect m.safetensors", "fit numbers.csv --report r.html --quiet",
    "separate numbers.csv --proof p.json", "trace --example 003-cycle --html t.html",
    "convert numbers.csv n.parquet",
)  # fmt: skip
NEED_AN_EXTRA = {"export m.safetensors --onnx m.onnx": "onnx", "lab": "lab"}
BARE = """
import json, sys

class Blocked:  # nothing of these is installed
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in %r:
            raise ImportError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
from click.testing import CliRunner
from rosenblatt.cli.main import main

for line in %r:
    result = CliRunner().invoke(main, line.split())
    print(json.dumps([line, result.exit_code, result.output, repr(result.exception)]))
"""
EXTRAS = ("pandas", "polars", "matplotlib", "onnx", "starlette", "uvicorn", "torch", "IPython", "anywidget")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """(exit code, output, exception) of each command, in a process that has no extras."""
    here = tmp_path_factory.mktemp("bare")
    (here / "rows.csv").write_text(ROWS)
    (here / "numbers.csv").write_text("a,b,kind\n1,2,x\n3,1,y\n2,5,x\n4,0,y\n")
    script = BARE % (EXTRAS, (*WORK, *NEED_AN_EXTRA))
    done = subprocess.run([sys.executable, "-c", script], cwd=here, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {line: told for line, *told in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("line", WORK)
def test_a_command_works_without_any_extra(results, line):
    code, output, error = results[line]
    assert code == 0, (output, error)


@pytest.mark.parametrize(("line", "extra"), NEED_AN_EXTRA.items())
def test_a_command_names_the_extra_that_it_needs(results, line, extra):
    code, output, error = results[line]
    assert code not in (0, 1), error
    assert f"rosenblatt[{extra}]" in output
