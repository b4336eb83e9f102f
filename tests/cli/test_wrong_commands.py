"""What is typed wrongly: one sentence that names options and files, never the parameters of Python."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from rosenblatt.cli.main import main

NUMBERS = "a,b,kind\n" + "".join(
    f"{row},{row % 3},{'spam' if row % 2 else 'ham'}\n" for row in range(1, 13)
)
FILES = {
    "n.csv": NUMBERS,
    "three.csv": "a,b,kind\n1,2,x\n3,4,y\n5,6,z\n2,2,x\n",
    "one.csv": "a,kind\n1,x\n2,x\n",
    "gap.csv": "a,kind\n1,x\n,y\n3,y\n2,x\n",
    "late.csv": "a,b,kind\n1,2,x\n3,,\n",
    "huge.csv": "a,kind\n1e308,x\n-1e308,y\n1e308,y\n",
    "words.csv": "a,b,kind\n1,2,x\n3,4,y\n5,six,y\n",
}

SAID = {
    "fit n.csv --target nope": "--target: expected one of 'a', 'b', 'kind'",
    "fit n.csv --target 9": "--target: got 9, but the file has 3 columns",
    "fit n.csv --set C=-1": "--set C: expected a finite number above 0, got -1.0",
    "fit n.csv --set D=1": "--set: 'D=1'; passive_aggressive_1 has the parameters C",
    "fit n.csv --classes spam": "--classes: expected at least two classes",
    "fit n.csv --classes spam,eggs": "name all classes in advance (--classes)",
    "fit n.csv --categories nope": "--categories: there is no column 'nope'",
    "fit n.csv --dates nope": "--dates: there is no column 'nope'",
    "fit n.csv --text nope": "--text: there is no column 'nope'",
    "fit n.csv --leave-out nope": "--leave-out: there is no column 'nope'",
    "fit n.csv --weight nope": "--weight: ",
    "fit n.csv --pairs a:no": "--pairs: 'no' is not a column of categories or numbers; name it in",
    "fit n.csv --pairs a": "'a'; expected two columns, as in city:shop",
    "fit n.csv --characters 5-3": "--characters: expected two whole numbers",
    "fit n.csv --delimiter ab": "--delimiter: expected one character",
    "fit n.csv --encoding nope": "--encoding: expected an encoding that Python knows",
    "fit n.csv --hold-out 0.0001": "--hold-out: 0.0001 of the rows of n.csv is less than one row",
    "fit n.csv --no-header": "name it in --categories",
    "fit one.csv": "(list classes that appear later: --classes)",
    "fit gap.csv --missing error": "(--missing zero) or drop their row (--missing drop)",
    "fit three.csv --rule alma --multiclass ultraconservative": "not suit --multiclass ultraconserv",
    "fit three.csv --tie positive --multiclass ultraconservative": "use --tie mistake, or --multicl",
    "fit huge.csv --numbers given --rule rosenblatt": "(--numbers largest does)",
    "predict n.csv n.csv": "give a model that fit --out wrote",
    "evaluate n.csv n.csv": "give a model that fit --out wrote",
    "separate three.csv": "labels: 3 classes, but a hyperplane has two sides; --table tests every",
    "separate gap.csv": "(--missing zero)",
    "separate late.csv": "has no value",
    "separate words.csv --categories nope": "--categories: there is no column 'nope'",
    "verify p.json n.csv --target nope": "--target: expected one of",
    "trace --data three.csv": "--positive CLASS takes one class against the rest",
    "trace --data n.csv --target nope": "--target: expected one of",
    "convert n.csv out.svm --target nope": "--target: expected one of",
    "convert gap.csv out.npy": "(--missing zero)",
    "tune one.csv": "labels: only one class, 'x'",
    "tune three.csv --folds 5": "--folds: expected a whole number from 2 to 4, got 5",
    "tune n.csv --text nope": "--text: there is no column 'nope'",
}

PYTHON = re.compile(r"\b[a-z_]+=['\"\[(TFN]|\b[Xy]: |\b[a-z_]+\(X|sklearn|partial_fit|Traceback|BadInput")


@pytest.mark.parametrize("words", SAID)
def test_a_wrong_command_gets_a_suggestion(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "p.json").write_text("{}")
    result = CliRunner().invoke(main, words.split())
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code >= 64
    [error] = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert SAID[words] in error
    assert not PYTHON.search(error)
