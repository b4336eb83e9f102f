"""Paths that users have imported stay: each is a module of the tree by another name."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import rosenblatt


@pytest.mark.parametrize(("short", "place"), rosenblatt._SHORT_PATHS.items())
def test_a_short_path_is_the_module_itself(short, place):
    assert import_module(f"rosenblatt.{short}") is import_module(f"rosenblatt.{place}")


def test_so_is_a_module_below_it_whichever_is_imported_first():
    for first, then in (("foundations", "course.foundations"), ("course.foundations", "foundations")):
        program = (
            f"import rosenblatt.{first}.bayes as one, rosenblatt.{then}.bayes as other\n"
            "assert one is other\n"
            "assert one.__name__ == one.__spec__.name == 'rosenblatt.course.foundations.bayes'"
        )
        subprocess.run([sys.executable, "-c", program], check=True)


def test_what_is_in_neither_place_is_not_found():
    with pytest.raises(ModuleNotFoundError, match=r"rosenblatt\.sight\.plots\.nothing"):
        import_module("rosenblatt.plots.nothing")
