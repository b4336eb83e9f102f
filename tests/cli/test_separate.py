"""`rosenblatt separate` and `rosenblatt verify`: results, proofs, exit codes and messages."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import rosenblatt
from rosenblatt import separate, verify
from rosenblatt.cli.main import main
from rosenblatt.proof.verdict import RowNames
from tests.cli.runner import run_command

PETS = "height,weight,species\n1,2,cat\n2,1,cat\n5,5,dog\n6,7,dog\n"
EELS = PETS + "9,1,eel\n5,6,eel\n"
XOR = "-1 1:-1 2:-1\n+1 1:-1 2:1\n+1 1:1 2:-1\n-1 1:1 2:1\n"
DOSES = "dose,died\n1,0\n2,0\n2,1\n3,1\n"


@pytest.fixture
def workdir(tmp_path, monkeypatch):
    """A fresh folder with files, in which commands are typed."""
    monkeypatch.chdir(tmp_path)
    texts = {"pets.csv": PETS, "eels.csv": EELS, "xor.svm": XOR, "doses.csv": DOSES}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_rows_in_pieces_have_a_proof_that_holds_for_the_rows_in_memory_too(workdir):
    found = run_command("separate", "pets.csv", "--in-pieces", "--proof", "pets.json")
    assert found.exit_code == 0
    assert found.output.startswith(run_command("separate", "pets.csv").output.splitlines()[0])
    for how in ("--in-pieces", "--in-memory"):
        assert "The proof is valid" in run_command("verify", "pets.json", "pets.csv", how).output
    assert run_command("separate", "xor.svm", "--in-pieces").exit_code == 1


def test_rows_beyond_memory_are_read_in_blocks_by_default(workdir, monkeypatch):
    from rosenblatt.cli import reading_options

    assert not reading_options.is_beyond_memory(10**6)
    assert reading_options.is_beyond_memory(10**15)
    monkeypatch.setattr(reading_options, "is_beyond_memory", lambda n_bytes: n_bytes > 10)
    run_command("separate", "pets.csv", "--proof", "pets.json")
    assert json.loads((workdir / "pets.json").read_text())["version"] == 2


# ---------------------------------------------------------------- the answer and its exit code


def test_separable_is_exit_code_0_and_a_report(workdir):
    result = run_command("separate", "pets.csv")
    assert result.exit_code == 0
    X, y = [[1, 2], [2, 1], [5, 5], [6, 7]], ["cat", "cat", "dog", "dog"]
    lines = RowNames(2, "Row numbers are lines of pets.csv; its header is line 1.")
    assert result.stdout == f"{separate(X, y).in_words(lines)}\n"
    assert result.stderr == ""
    assert result.stdout.startswith("The classes 'cat' and 'dog' can be separated by a hyperplane")


SAID = {
    "a header": ("a,b\n1,x\n2,x\n1,y\n3,y\n", "d.csv", "Rows 2 and 4", "its header is line 1."),
    "no header": ("+1 1:1\n-1 2:1\n-1 1:1\n", "d.svm", "Rows 1 and 3", "the first row is line 1."),
    "blank lines at the end": ("a,b\n1,x\n1,y\n\n\n", "d.csv", "Rows 2 and 3", "header is line 1."),
    "a blank line between": ("a,b\n1,x\n\n1,y\n", "d.csv", "Rows 1 and 2", "counted from 1"),
    "a row of two lines": (
        't,n,b\n"pp\nqq",1,x\n"pp\nqq",1,y\n',
        "d.csv",
        "Rows 1 and 2",
        "counted from 1",
    ),
    "a row that is dropped": ("a,b\n,x\n1,x\n1,y\n", "d.csv", "Rows 1 and 2", "from 1"),
}


@pytest.mark.parametrize("name", SAID)
def test_equal_rows_with_different_labels_are_named_by_the_lines_of_the_file(workdir, name):
    """Or by their number, where not every line is a row: it says which."""
    text, file, rows, how = SAID[name]
    Path(file).write_text(text)
    options = ["--missing", "drop"] if "dropped" in name else []
    found = run_command("separate", file, "--proof", "p.json", *options).stdout
    checked = run_command("verify", "p.json", file, *options).stdout
    for words in (found, checked):
        assert f"{rows} are equal and have different labels" in words
        assert how in words


def test_verify_states_what_was_claimed_what_it_means_and_what_it_is_about(workdir):
    run_command("separate", "pets.csv", "--proof", "p.json")
    lines = run_command("verify", "p.json", "pets.csv").stdout.splitlines()
    assert lines[0].startswith("The proof is valid: every number in it was checked against pets.csv")
    assert lines[1].startswith("Claim: a straight boundary (a hyperplane) has the two classes on")
    assert lines[2].startswith("Meaning: a linear rule can classify every one of these rows correctly.")
    assert lines[3].startswith(
        "Data: exactly the 4 rows of 2 features in pets.csv, labelled 'cat' and 'dog'"
    )
    assert lines[4].startswith("Valid: a hyperplane separates 4 rows of 2 features; the best margin is")
    result = run_command("verify", "p.json", "doses.csv")
    assert "p.json therefore proves nothing about the current content of doses.csv" in result.stderr


def test_not_decided_is_exit_code_2(workdir):
    result = run_command("separate", "pets.csv", "--time-limit", "0")
    assert result.exit_code == 2
    assert result.stdout.startswith("It is not decided whether a hyperplane separates the classes")
    assert "ended early" in result.stdout


def test_standard_input_is_a_file_too(workdir):
    result = run_command("separate", "-", "--format", "csv", input=PETS)
    assert result.exit_code == 0
    facts, of_file = (
        text.splitlines() for text in (result.stdout, run_command("separate", "pets.csv").stdout)
    )
    assert facts.pop(2) == (
        "3 rows determine the margin: 1, 2, 3. "
        "Rows of standard input are counted from 1; a header is not counted."
    )
    assert of_file.pop(2).startswith(
        "3 rows determine the margin: 2, 3, 4. Row numbers are lines of pets.csv"
    )
    assert facts == of_file


# ---------------------------------------------------------------- JSON


def strict(text):
    """JSON as machines other than Python read it: without NaN and Infinity."""

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_json_is_the_verdict(workdir):
    result = run_command("separate", "pets.csv", "--json")
    assert result.exit_code == 0
    answer = strict(result.stdout)
    verdict = separate([[1, 2], [2, 1], [5, 5], [6, 7]], ["cat", "cat", "dog", "dog"])
    assert (answer["separable"], answer["kind"], answer["ended"]) == (True, "separable", "proved")
    assert answer["margin"] == list(verdict.margin)
    assert answer["mistake_bound"] == verdict.mistake_bound
    assert answer["hyperplane"] == {"w": verdict.hyperplane[0].tolist(), "b": verdict.hyperplane[1]}
    assert answer["support"] == verdict.support.tolist()


# ---------------------------------------------------------------- proofs


@pytest.mark.parametrize(
    ("file", "code", "words"),
    [
        ("pets.csv", 0, "Valid: a hyperplane separates 4 rows of 2 features"),
        ("xor.svm", 1, "Valid: no hyperplane separates 4 rows of 2 features, and every"),
        ("doses.csv", 1, "(quasi-separable)"),
    ],
)
def test_a_proof_is_written_and_verified(workdir, file, code, words):
    result = run_command("separate", file, "--proof", "proof.json")
    assert result.exit_code == code
    assert "Proof written to proof.json" in result.stdout
    checked = run_command("verify", "proof.json", file)
    assert checked.exit_code == 0
    assert words in checked.stdout
    assert checked.stderr == ""


@pytest.mark.parametrize(
    "options",
    [[], ["--target", "height"], ["--format", "csv"], ["--target", "two words"], ["--no-offset"]],
    ids=str,
)
def test_the_command_it_suggests_can_be_typed(workdir, options):
    """The command after "Check it with" must work as it stands: options, and spaces in names, included."""
    file, proof = workdir / "my pets.data", workdir / "my proof.json"
    file.write_text("height,two words\n0,1\n1,1\n1,0\n0,0\n")
    assert run_command("separate", file, "--proof", proof, *options).exit_code == 1
    result = run_command("separate", file, "--proof", proof, *options)
    hint = re.search(r"Check it with: (rosenblatt .+)", result.stdout).group(1)
    program, *words = shlex.split(hint)
    assert program == "rosenblatt"
    checked = run_command(*words)
    assert checked.exit_code == 0, checked.output


def tamper(path, change):
    plain = json.loads(path.read_text())
    change(plain)
    path.write_text(json.dumps(plain))


def wider(plain):
    part = plain["parts"][0]
    part["margin"] = float.hex(np.nextafter(float.fromhex(part["margin"]), np.inf).item())


TAMPERINGS = {
    "a margin one unit larger": (wider, "a margin of .* is claimed"),
    "another digest": (lambda plain: plain.update(digest="0" * 64), "other data"),
    "other classes": (lambda plain: plain.update(classes=["cat", "eel"]), "other labels"),
    "weights turned round": (
        lambda plain: plain["parts"][0].update(w=["-0x1.0p+0", "-0x1.0p+0"]),
        "row",
    ),
    "another format": (lambda plain: plain.update(format="a recipe"), ""),
    "without parts": (lambda plain: plain.pop("parts"), "parts"),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_tampered_proof_is_exit_code_1_with_the_reason(workdir, name):
    change, reason = TAMPERINGS[name]
    assert run_command("separate", "pets.csv", "--proof", "p.json").exit_code == 0
    tamper(workdir / "p.json", change)
    result = run_command("verify", "p.json", "pets.csv")
    assert result.exit_code == 1
    assert re.fullmatch(rf"Not valid: .*{reason}.*\.\n", result.stdout)
    assert ".." not in result.stdout.replace("…", "")


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"{", b"\xff\xfe", PETS.encode(), b"[" * 100_000])
def test_a_file_that_is_no_proof_is_not_valid(workdir, content):
    (workdir / "p.json").write_bytes(content)
    result = run_command("verify", "p.json", "pets.csv")
    assert result.exit_code == 1
    assert re.fullmatch(r"Not valid: .+\n", result.stdout)


def test_a_proof_that_decides_nothing_is_exit_code_2(workdir):
    assert run_command("separate", "pets.csv", "--proof", "p.json").exit_code == 0
    tamper(workdir / "p.json", lambda plain: plain.update(parts=[]))
    assert run_command("separate", "pets.csv", "--time-limit", "0", "--proof", "late.json").exit_code == 2
    for proof in ("p.json", "late.json"):
        result = run_command("verify", proof, "pets.csv")
        assert "nothing is decided" in result.stdout
        assert "inf" not in result.stdout
        assert result.exit_code == 2


# ---------------------------------------------------------------- tables


def test_a_table_of_more_than_two_classes(workdir):
    result = run_command("separate", "eels.csv", "--table")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["margin", "cat", "dog", "eel", "the", "rest"]
    assert [line.split()[0] for line in lines[1:4]] == ["cat", "dog", "eel"]
    assert lines[4].startswith("6 tests: ")
    assert "overlap" in result.stdout
    assert "2.475" in result.stdout
    margins = lines[:4]
    assert run_command("separate", "eels.csv", "--table", "--jobs", "2").stdout.splitlines()[:4] == margins


def test_a_table_as_json(workdir):
    answer = strict(run_command("separate", "eels.csv", "--table", "--json").stdout)
    assert answer["complete"] is True
    assert [(row["first"], row["second"]) for row in answer["rows"]][:4] == [
        ("cat", "the rest"),
        ("dog", "the rest"),
        ("eel", "the rest"),
        ("cat", "dog"),
    ]


def test_a_table_not_decided_is_exit_code_2(workdir):
    result = run_command("separate", "eels.csv", "--table", "--time-limit", "0")
    assert result.exit_code == 2
    assert "6 undecided" in result.stdout


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_table_is_drawn(workdir, ending):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    result = run_command("separate", "eels.csv", "--table", "--plot", f"table.{ending}")
    assert result.exit_code == 0
    assert (workdir / f"table.{ending}").stat().st_size > 1000


# ---------------------------------------------------------------- what goes wrong is a sentence


@pytest.mark.parametrize("place", ["nowhere/p.json", "folder"])
def test_a_proof_that_cannot_be_written_is_no_answer(workdir, place):
    """Exit code 1 would say that the classes cannot be separated."""
    (workdir / "folder").mkdir()
    code = run_command("separate", "pets.csv", "--proof", place).exit_code
    assert code >= 64
    assert place in run_command("separate", "pets.csv", "--proof", place).stderr


@pytest.mark.parametrize("picture", ["table.xyz", "table", "nowhere/table.png"])
def test_a_picture_that_cannot_be_drawn_is_reported(workdir, picture):
    pytest.importorskip("matplotlib").use("agg")
    result = run_command("separate", "eels.csv", "--table", "--plot", picture)
    assert result.exit_code >= 64
    assert result.stderr.startswith(("Error: ", "Usage: "))


def test_without_matplotlib_a_picture_is_refused_with_the_remedy(workdir, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    result = run_command("separate", "eels.csv", "--table", "--plot", "x.png")
    assert result.exit_code >= 64
    assert "pip install 'rosenblatt[plots]'" in result.stderr


def test_ctrl_c_while_the_file_is_read_is_exit_code_130(workdir, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("rosenblatt.data.sources.reading.read_table", interrupt)
    result = run_command("separate", "pets.csv")
    assert result.exit_code == 130
    assert result.stderr.strip() == "Interrupted."


def test_the_command_verifies_proofs_made_in_python(workdir):
    X, y = np.array([[1.0, 2], [2, 1], [5, 5], [6, 7]]), ["cat", "cat", "dog", "dog"]
    separate(X, y).proof.save("python.json")
    assert run_command("verify", "python.json", "pets.csv").exit_code == 0
    run_command("separate", "pets.csv", "--proof", "command.json")
    assert verify("command.json", X, y).separable
    assert (workdir / "python.json").read_bytes() == (workdir / "command.json").read_bytes()


# ---------------------------------------------------------------- one class against the rest

FLOWERS = Path(rosenblatt.__file__).parent / "course/lab/site/chapters/data/flowers.csv"


def run_on_flowers(*words):
    return CliRunner().invoke(main, [*words, "--target", "species"])


def test_positive_separates_one_class_of_several_from_the_others(tmp_path):
    proof = str(tmp_path / "setosa.json")
    found = run_on_flowers("separate", str(FLOWERS), "--positive", "setosa", "--proof", proof)
    assert found.exit_code == 0
    assert "The classes 'not setosa' and 'setosa' can be separated" in found.output
    assert f"rosenblatt verify {proof} {FLOWERS} --target species --positive setosa" in found.output
    assert run_on_flowers("verify", proof, str(FLOWERS), "--positive", "setosa").exit_code == 0
    assert run_on_flowers("verify", proof, str(FLOWERS), "--positive", "virginica").exit_code == 1
    assert run_on_flowers("separate", str(FLOWERS), "--positive", "versicolor").exit_code == 1


# ---------------------------------------------------------------- --remove

LABELS = "x,y,label\n0,0,no\n0,1,no\n1,0,no\n4,4,yes\n4,5,yes\n5,4,yes\n0.3,0.3,yes\n"


def test_remove_names_rows_by_line_and_verify_checks_both_numbers(workdir):
    (workdir / "labels.csv").write_text(LABELS)
    found = run_command("separate", "labels.csv", "--remove", "--proof", "proof.json")
    assert found.exit_code == 1
    assert "the data without 1 of the rows; no smaller number suffices (proved)" in found.output
    assert "This row suffices: 8. Row numbers are lines of labels.csv; its header" in found.output
    command = re.search(r"Check it with: rosenblatt (.*)", found.output)
    checked = run_command(*shlex.split(command[1]))
    assert checked.exit_code == 0
    assert "the data without 1 of the rows; no smaller number suffices" in checked.output
    (workdir / "labels.csv").write_text(LABELS.replace("0.3,0.3", "0.3,0.4"))
    assert run_command(*shlex.split(command[1])).exit_code == 1


def test_remove_prints_json_with_indices_and_line_numbers(workdir):
    (workdir / "labels.csv").write_text(LABELS)
    found = json.loads(run_command("separate", "labels.csv", "--remove", "--json").output)
    assert (found["rows"], found["row_numbers"], found["least"], found["exact"]) == ([6], [8], 1, True)
    assert found["conflicts"][0][-1] == 6
    assert len(found["hyperplane"]["w"]) == 2


def test_remove_has_exit_code_0_if_no_row_must_go_and_2_if_nothing_is_proved(workdir):
    assert run_command("separate", "pets.csv", "--remove").exit_code == 0
    found = run_command("separate", "xor.svm", "--remove", "--time-limit", "0")
    assert found.exit_code == 2
    assert "whether any must be removed is not decided" in found.output


# ---------------------------------------------------------------- --hinge-loss and --continue-from


def test_hinge_loss_is_a_fraction_and_verify_checks_it(workdir):
    (workdir / "losses.csv").write_text("x,label\n0,a\n1,b\n2,a\n2,b\n3,a\n5,b\n")
    found = run_command("separate", "losses.csv", "--hinge-loss", "--proof", "proof.json")
    assert found.exit_code == 1
    assert "The smallest total hinge loss of a hyperplane is 24/5 = 4.8 (proved)." in found.output
    checked = run_command(*shlex.split(re.search(r"Check it with: rosenblatt (.*)", found.output)[1]))
    assert checked.exit_code == 0
    assert "The smallest total hinge loss is 24/5 = 4.8 (proved)." in checked.output
    as_json = json.loads(run_command("separate", "losses.csv", "--hinge-loss", "--json").output)
    assert (as_json["least"], as_json["most"], as_json["exact"]) == ("24/5", "24/5", True)
    assert run_command("separate", "pets.csv", "--hinge-loss").exit_code == 0
    assert run_command("separate", "losses.csv", "--hinge-loss", "--time-limit", "0").exit_code == 2


def test_a_search_without_time_continues_from_its_proof_file(workdir):
    first = run_command("separate", "xor.svm", "--time-limit", "0", "--proof", "proof.json")
    assert first.exit_code == 2
    more = ("--continue-from", "proof.json", "--proof", "proof.json")
    assert run_command("separate", "xor.svm", *more).exit_code == 1
    assert run_command("verify", "proof.json", "xor.svm").exit_code == 0
    missing = run_command("separate", "xor.svm", "--continue-from", "missing.json")
    assert (missing.exit_code, "missing.json" in missing.output) == (66, True)
    other = run_command("separate", "pets.csv", "--continue-from", "proof.json")
    assert other.exit_code == 65
    assert "continue_from: the proof is about other labels" in other.output
