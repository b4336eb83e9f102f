"""Wrong commands: one sentence that names options and files, never the parameters of Python."""

from __future__ import annotations

import re
import shlex

import pytest

from rosenblatt.cli.exits import BAD_DATA, BAD_USE, CANNOT_WRITE, NO_FILE
from tests.cli.runner import run_command

NUMBERS = "a,b,kind\n" + "".join(
    f"{row},{row % 3},{'spam' if row % 2 else 'ham'}\n" for row in range(1, 13)
)
FILES = {
    "n.svm": "+1 1:1 2:2\n-1 1:3 2:1\n+1 2:4\n",
    "n.csv": NUMBERS,
    "three.csv": "a,b,kind\n1,2,x\n3,4,y\n5,6,z\n2,2,x\n",
    "one.csv": "a,kind\n1,x\n2,x\n",
    "gap.csv": "a,kind\n1,x\n,y\n3,y\n2,x\n",
    "late.csv": "a,b,kind\n1,2,x\n3,,\n",
    "huge.csv": "a,kind\n1e308,x\n-1e308,y\n1e308,y\n",
    "p.json": "{}",
    "talk.csv": "a,kind\nwhat a film,x\nwhat a play,y\nwhat a day,x\n",
    "words.csv": "a,b,kind\n1,2,x\n3,4,y\n5,six,y\n",
}

REFUSED = {
    BAD_USE: {
        "train-me": "No such command 'train-me'",
        "fit n.csv --set D=1": "--set: 'D=1'; passive_aggressive_1 has the parameters C",
        "fit n.csv --pairs a": "'a'; expected two columns, as in city:shop",
        "fit n.svm --out n.svm": "--out: n.svm is an input file",
        "fit n.svm --out m --checkpoint m": "--checkpoint: m is also given as --out",
        "fit n.svm --jobs 0": "--jobs: expected a number of threads",
        "fit n.svm --every often": "expected a time such as 30s",
        "fit n.svm --report r.html --proof-time -1s": "expected a time such as 30s",
        "fit n.svm --rule adaline": "'adaline' is not one of 'rosenblatt', 'margin'",
        "fit n.csv --threshold accuracy>=1": 'such as "precision>=0.9"',
        "fit n.csv --folds 3 --hold-out 0.1": "--folds and --hold-out: give one of them",
        "fit talk.csv --words log-count-ratio --folds 2": "the values depend on the labels of all rows",
        "convert n.svm n.svm": "n.svm is an input file",
        "convert n.svm ./n.svm": "./n.svm is an input file",
        "separate n.csv --remove --table": "--table and --remove: give one of them",
        "separate n.csv --hinge-loss --regression": "--regression and --hinge-loss: give one of them",
        "separate n.csv --remove --in-pieces": "--remove needs the rows in memory; omit --in-pieces",
        "separate n.csv --remove --continue-from p.json": "--remove: cannot be continued; omit",
        "separate n.csv --table --in-pieces": "--table needs the rows in memory; omit --in-pieces",
        "separate three.csv --positive rose": "'rose' is not one of the classes 'x', 'y', 'z'",
        "separate three.csv --positive x --table": "--positive and --table: give one of them",
        "separate three.csv --positive x --in-pieces": "--positive needs all rows in memory",
        "trace --example 005-moon": "--example: '005-moon'; the examples are 001-perceptron, 001-line, ",
        "trace --example xor --data n.csv": "--example and --data: give one of them",
        "trace --html x.html": "give --example or --data",
        "trace --example xor --part cube": "xor has 'halfspace'",
        "trace --example 001-exercise --part 3": "by name or by number from 1",
        "trace --example 001-line --html x.html": "not a run",
        "trace --example 001-exercise --part 2 --jsonl x": "Examples with steps: 001-p",
        "trace --example 001-exercise --part 2 --epochs 2": "a setting of a run",
        "trace --part 2": "--part: names a part of a worked example",
        "trace --example xor --target y": "--target: applies to a file; give --data",
        "trace --data n.csv --html n.csv": "--html: n.csv is an input file",
        "trace --example xor --degree 2": "apply to a kernel; give --kernel",
        "trace --example xor --kernel rbf": "'rbf' is not one of",
    },
    BAD_DATA: {
        "fit n.csv --target nope": "--target: expected one of 'a', 'b', 'kind'",
        "fit n.csv --target 9": "--target: got 9, but the file has 3 columns",
        "fit n.csv --set C=-1": "--set C: expected a finite number above 0, got -1.0",
        "fit n.csv --classes spam": "--classes: expected at least two classes",
        "fit n.csv --classes spam,eggs": "name all classes in advance (--classes)",
        "fit n.csv --categories nope": "--categories: there is no column 'nope'",
        "fit n.csv --dates nope": "--dates: there is no column 'nope'",
        "fit n.csv --text nope": "--text: there is no column 'nope'",
        "fit n.csv --leave-out nope": "--leave-out: there is no column 'nope'",
        "fit n.csv --weight nope": "--weight: ",
        "fit n.csv --pairs a:no": "--pairs: 'no' is not a column of categories or numbers; name it in",
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
        "fit three.csv --threshold 'cost 1:2'": "--threshold: needs two classes, but there are 3",
        "tune one.csv": "labels: only one class, 'x'",
        "tune three.csv --folds 5": "--folds: expected a whole number from 2 to 4, got 5",
        "tune n.csv --text nope": "--text: there is no column 'nope'",
        "predict n.csv n.csv": "give a model that fit --out wrote",
        "evaluate n.csv n.csv": "give a model that fit --out wrote",
        "inspect n.csv": "give a model that fit --out wrote",
        "export n.csv --onnx m.onnx": "give a model that fit --out wrote",
        "convert n.csv out.svm --target nope": "--target: expected one of",
        "convert gap.csv out.npy": "(--missing zero)",
        "convert n.svm other.xyz": "the file name shows no format",
        "separate three.csv": "labels: 3 classes, but a hyperplane has two sides; --table tests every",
        "separate gap.csv": "(--missing zero)",
        "separate late.csv": "has no value",
        "separate words.csv --categories nope": "--categories: there is no column 'nope'",
        "verify p.json n.csv --target nope": "--target: expected one of",
        "trace --data three.csv": "--positive CLASS takes one class against the rest",
        "trace --data n.csv --target nope": "--target: expected one of",
        "trace --example xor --kernel gaussian --gamma wide": "'scale' or 'auto'",
        "trace --example 004-two-points --kernel linear": "use --order shuffled",
    },
    NO_FILE: {
        "fit none.svm": "none.svm: there is no such file",
        "predict none.safetensors n.svm": "none.safetensors: there is no such file",
        "separate none.csv": "none.csv: there is no such file",
        "verify none.json n.csv": "none.json: there is no such file",
        "verify n.csv none.csv": "none.csv: there is no such file",
        "trace --data none.csv": "none.csv: there is no such file",
    },
    CANNOT_WRITE: {
        "fit n.svm --out no/such/m.safetensors": "--out: there is no such folder",
        "trace --data n.csv --html no/folder/x.html": "no/folder/x.html: ",
    },
}
"""Commands by their exit code, each with a part of the sentence."""

PYTHON = re.compile(r"\b[a-z_]+=['\"\[(TFN]|\b[Xy]: |\b[a-z_]+\(X|sklearn|partial_fit|Traceback|BadInput")


@pytest.mark.parametrize(
    ("command", "code", "sentence"),
    [(command, code, part) for code, commands in REFUSED.items() for command, part in commands.items()],
)
def test_a_wrong_command_is_refused_with_a_remedy(command, code, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    result = run_command(*shlex.split(command))
    assert result.exit_code == code
    assert not result.stdout or command.startswith("trace")  # which prints the steps before it writes them
    [error] = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert sentence in error
    assert not PYTHON.search(error)


def test_a_file_whose_rows_have_no_features_gets_a_message(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.vw").write_text("[\n")
    result = run_command("fit", "rows.vw", "--skip-bad", "5", "--out", "m.safetensors")
    assert result.exit_code >= 64
    assert "rows.vw" in result.stderr
