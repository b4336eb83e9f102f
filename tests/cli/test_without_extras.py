"""With a plain `pip install`, every command works or names the extra that it needs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from rosenblatt.cli.main import main
from tests.cli.commands import EXTRAS, FILES, NEED_AN_EXTRA, WORK

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


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """(exit code, output, exception) of each command, in a process that has no extras."""
    here = tmp_path_factory.mktemp("bare")
    for name, content in FILES.items():
        (here / name).write_text(content)
    script = BARE % (EXTRAS, (*WORK, *NEED_AN_EXTRA))
    done = subprocess.run([sys.executable, "-c", script], cwd=here, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {line: facts for line, *facts in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("line", WORK)
def test_a_command_works_without_any_extra(results, line):
    code, output, error = results[line]
    assert code == 0, (output, error)


@pytest.mark.parametrize(("line", "extra"), NEED_AN_EXTRA.items())
def test_a_command_names_the_extra_that_it_needs(results, line, extra):
    code, output, error = results[line]
    assert code not in (0, 1), error
    assert f"rosenblatt[{extra}]" in output


def test_every_command_is_tried():
    assert {line.split()[0] for line in (*WORK, *NEED_AN_EXTRA)} == set(main.commands)
