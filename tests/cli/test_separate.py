"""`rosenblatt separate` and `rosenblatt verify`: answers, proofs, exit codes and sentences."""

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
def here(tmp_path, monkeypatch):
    """A fresh folder with files, in which commands are typed."""
    monkeypatch.chdir(tmp_path)
    texts = {"pets.csv": PETS, "eels.csv": EELS, "xor.svm": XOR, "doses.csv": DOSES}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_rows_in_pieces_have_a_proof_that_holds_for_the_rows_in_memory_too(here):
    found = run_command("separate", "pets.csv", "--in-pieces", "--proof", "pets.json")
    assert found.exit_code == 0
    assert found.output.startswith(run_command("separate", "pets.csv").output.splitlines()[0])
    for how in ("--in-pieces", "--in-memory"):
        assert "The proof is valid" in run_command("verify", "pets.json", "pets.csv", how).output
    assert run_command("separate", "xor.svm", "--in-pieces").exit_code == 1
    assert "omit --in-pieces" in refusal(64, "separate", "pets.csv", "--table", "--in-pieces")


def test_rows_beyond_memory_are_read_in_blocks_by_default(here, monkeypatch):
    from rosenblatt.cli import reading_options

    assert not reading_options.is_beyond_memory(10**6)
    assert reading_options.is_beyond_memory(10**15)
    monkeypatch.setattr(reading_options, "is_beyond_memory", lambda n_bytes: n_bytes > 10)
    run_command("separate", "pets.csv", "--proof", "pets.json")
    assert json.loads((here / "pets.json").read_text())["version"] == 2


def refusal(code, *words, **named):
    """One sentence on stderr, nothing on stdout, and this exit code; the sentence."""
    result = run_command(*words, **named)
    assert "Traceback" not in result.stderr
    sentences = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert len(sentences) == 1
    assert result.stdout == ""
    others = [line for line in result.stderr.splitlines() if line and line not in sentences]
    assert all(line.startswith(("Usage: ", "Try ")) for line in others)
    assert result.exit_code == code
    return sentences[0]


# ---------------------------------------------------------------- the answer and its exit code


def test_separable_is_exit_code_0_and_a_report(here):
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
def test_equal_rows_with_different_labels_are_named_by_the_lines_of_the_file(here, name):
    """Or by their number, where not every line is a row: it says which."""
    text, file, rows, how = SAID[name]
    Path(file).write_text(text)
    options = ["--missing", "drop"] if "dropped" in name else []
    found = run_command("separate", file, "--proof", "p.json", *options).stdout
    checked = run_command("verify", "p.json", file, *options).stdout
    for words in (found, checked):
        assert f"{rows} are equal and have different labels" in words
        assert how in words


def test_a_proof_about_two_of_many_classes_names_the_rows_of_the_file(here):
    Path("many.csv").write_text("a,b\n9,z\n1,x\n8,z\n1,y\n3,y\n")
    run_command("separate", "many.csv", "--table", "--proof", "proofs")
    told = [
        run_command("verify", proof, "many.csv").stdout for proof in sorted(Path("proofs").glob("*.json"))
    ]
    pairs = [words for words in told if "labelled 'x' and 'y'" in words or "labelled 'y' and 'x'" in words]
    assert len(pairs) == 1
    assert "Rows 3 and 5 are equal and have different labels" in pairs[0]
    assert any("the class 'z' against all others" in words for words in told)


def test_verify_states_what_was_claimed_what_it_means_and_what_it_is_about(here):
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


def test_not_separable_is_exit_code_1(here):
    result = run_command("separate", "xor.svm")
    assert result.exit_code == 1
    assert "The classes -1 and 1 cannot be separated by a hyperplane" in result.stdout
    assert "they overlap" in result.stdout
    assert "4 rows prove that the convex hulls of the classes intersect" in result.stdout


def test_quasi_separable_is_exit_code_1(here):
    result = run_command("separate", "doses.csv")
    assert result.exit_code == 1
    assert "(quasi-separable)" in result.stdout
    assert "no finite estimate" in result.stdout


def test_not_decided_is_exit_code_2(here):
    result = run_command("separate", "pets.csv", "--time-limit", "0")
    assert result.exit_code == 2
    assert result.stdout.startswith("It is not decided whether a hyperplane separates the classes")
    assert "ended early" in result.stdout


def write_npz(path):
    np.savez(path, X=np.array([[1.0, 2.0], [2.0, 1.0], [5.0, 5.0], [6.0, 7.0]]), y=[0, 0, 1, 1])


@pytest.mark.parametrize("kind", ["csv", "tsv", "svmlight", "npz", "npy"])
def test_every_format_has_the_same_answer(here, kind):
    rows = [[1, 2, 0], [2, 1, 0], [5, 5, 1], [6, 7, 1]]
    path = here / f"table.{kind}"
    if kind == "npz":
        write_npz(path)
    elif kind == "npy":
        np.save(path, np.array(rows, float))
    elif kind == "svmlight":
        path.write_text("".join(f"{y} 1:{a} 2:{b}\n" for a, b, y in rows))
    else:
        path.write_text("".join(("\t" if kind == "tsv" else ",").join(map(str, r)) + "\n" for r in rows))
    unnamed = here / "table.data"
    unnamed.write_bytes(path.read_bytes())
    for words in ([path], [unnamed, "--format", kind]):
        result = run_command("separate", *words, "--proof", "proof.json")
        assert result.exit_code == 0, result.output
        assert "2.47487" in result.stdout
        assert run_command("verify", "proof.json", *words).exit_code == 0


def test_standard_input_is_a_file_too(here):
    result = run_command("separate", "-", "--format", "csv", input=PETS)
    assert result.exit_code == 0
    told, of_file = (
        text.splitlines() for text in (result.stdout, run_command("separate", "pets.csv").stdout)
    )
    assert told.pop(2) == (
        "3 rows determine the margin: 1, 2, 3. "
        "Rows of standard input are counted from 1; a header is not counted."
    )
    assert of_file.pop(2).startswith(
        "3 rows determine the margin: 2, 3, 4. Row numbers are lines of pets.csv"
    )
    assert told == of_file


def test_the_target_is_any_column(here):
    (here / "first.csv").write_text("sick,dose\nno,1\nno,2\nyes,5\n")
    by_name = run_command("separate", "first.csv", "--target", "sick")
    assert by_name.exit_code == 0
    assert "'no' and 'yes'" in by_name.stdout
    assert run_command("separate", "first.csv", "--target", "0").stdout == by_name.stdout


def test_without_offset_hyperplanes_go_through_the_origin(here):
    (here / "line.csv").write_text("x,y\n1,0\n2,1\n")
    assert run_command("separate", "line.csv").exit_code == 0
    assert run_command("separate", "line.csv", "--offset").exit_code == 0
    result = run_command("separate", "line.csv", "--no-offset")
    assert result.exit_code == 1
    assert "through the origin" in result.stdout


# ---------------------------------------------------------------- JSON


def strict(text):
    """JSON as machines other than Python read it: without NaN and Infinity."""

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_json_is_the_verdict(here):
    result = run_command("separate", "pets.csv", "--json")
    assert result.exit_code == 0
    answer = strict(result.stdout)
    verdict = separate([[1, 2], [2, 1], [5, 5], [6, 7]], ["cat", "cat", "dog", "dog"])
    assert (answer["separable"], answer["kind"], answer["ended"]) == (True, "separable", "proved")
    assert answer["margin"] == list(verdict.margin)
    assert answer["mistake_bound"] == verdict.mistake_bound
    assert answer["hyperplane"] == {"w": verdict.hyperplane[0].tolist(), "b": verdict.hyperplane[1]}
    assert answer["support"] == verdict.support.tolist()


def test_json_with_a_proof_is_json_alone(here):
    result = run_command("separate", "xor.svm", "--json", "--proof", "p.json")
    assert result.exit_code == 1
    answer = strict(result.stdout)
    assert (answer["separable"], answer["hyperplane"], answer["mistake_bound"]) == (False, None, None)
    assert (here / "p.json").exists()


@pytest.mark.parametrize(
    "words", [["pets.csv", "--time-limit", "0"], ["one.csv"]], ids=["undecided", "one class"]
)
def test_json_is_json_if_a_margin_has_no_limit(here, words):
    (here / "one.csv").write_text("x,y\n1,0\n2,0\n")
    strict(run_command("separate", *words, "--json").stdout)


# ---------------------------------------------------------------- proofs


@pytest.mark.parametrize(
    ("file", "code", "words"),
    [
        ("pets.csv", 0, "Valid: a hyperplane separates 4 rows of 2 features"),
        ("xor.svm", 1, "Valid: no hyperplane separates 4 rows of 2 features, and every"),
        ("doses.csv", 1, "(quasi-separable)"),
    ],
)
def test_a_proof_is_written_and_verified(here, file, code, words):
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
def test_the_command_it_suggests_can_be_typed(here, options):
    """The command after "Check it with" must work as it stands: options, and spaces in names, included."""
    file, proof = here / "my pets.data", here / "my proof.json"
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
def test_a_tampered_proof_is_exit_code_1_with_the_reason(here, name):
    change, reason = TAMPERINGS[name]
    assert run_command("separate", "pets.csv", "--proof", "p.json").exit_code == 0
    tamper(here / "p.json", change)
    result = run_command("verify", "p.json", "pets.csv")
    assert result.exit_code == 1
    assert re.fullmatch(rf"Not valid: .*{reason}.*\.\n", result.stdout)
    assert ".." not in result.stdout.replace("…", "")


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"{", b"\xff\xfe", PETS.encode(), b"[" * 100_000])
def test_a_file_that_is_no_proof_is_not_valid(here, content):
    (here / "p.json").write_bytes(content)
    result = run_command("verify", "p.json", "pets.csv")
    assert result.exit_code == 1
    assert re.fullmatch(r"Not valid: .+\n", result.stdout)


def test_a_proof_about_other_data_is_not_valid(here):
    run_command("separate", "pets.csv", "--proof", "p.json")
    (here / "other.csv").write_text(PETS.replace("5,5", "5,4"))
    result = run_command("verify", "p.json", "other.csv")
    assert result.exit_code == 1
    assert result.stdout == "Not valid: the proof is about other data: their digests differ.\n"
    assert run_command("verify", "p.json", "eels.csv").exit_code == 1
    assert run_command("verify", "p.json", "xor.svm").exit_code == 1


def test_a_proof_that_decides_nothing_is_exit_code_2(here):
    assert run_command("separate", "pets.csv", "--proof", "p.json").exit_code == 0
    tamper(here / "p.json", lambda plain: plain.update(parts=[]))
    assert run_command("separate", "pets.csv", "--time-limit", "0", "--proof", "late.json").exit_code == 2
    for proof in ("p.json", "late.json"):
        result = run_command("verify", proof, "pets.csv")
        assert "nothing is decided" in result.stdout
        assert "inf" not in result.stdout
        assert result.exit_code == 2


# ---------------------------------------------------------------- tables


def test_a_table_of_more_than_two_classes(here):
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


def test_a_table_resumes_from_its_folder(here, monkeypatch):
    first = run_command("separate", "eels.csv", "--table", "--proof", "proofs")
    assert first.exit_code == 0
    assert "Proofs written to proofs" in first.stdout
    paths = sorted((here / "proofs").iterdir())
    assert len(paths) == 6
    for path in paths:
        assert run_command("verify", path, "eels.csv").exit_code == 0
    paths[0].unlink()

    from rosenblatt.comparisons import separability_table as table

    searches, decide = [], table.decide
    monkeypatch.setattr(table, "decide", lambda *a: (searches.append(1), decide(*a))[1])
    again = run_command("separate", "eels.csv", "--table", "--proof", "proofs")
    assert again.stdout == first.stdout
    assert len(searches) == 1
    assert sorted((here / "proofs").iterdir()) == paths


def test_a_table_as_json(here):
    answer = strict(run_command("separate", "eels.csv", "--table", "--json").stdout)
    assert answer["complete"] is True
    assert [(row["first"], row["second"]) for row in answer["rows"]][:4] == [
        ("cat", "the rest"),
        ("dog", "the rest"),
        ("eel", "the rest"),
        ("cat", "dog"),
    ]


def test_a_table_not_decided_is_exit_code_2(here):
    result = run_command("separate", "eels.csv", "--table", "--time-limit", "0")
    assert result.exit_code == 2
    assert "6 undecided" in result.stdout


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_table_is_drawn(here, ending):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    result = run_command("separate", "eels.csv", "--table", "--plot", f"table.{ending}")
    assert result.exit_code == 0
    assert (here / f"table.{ending}").stat().st_size > 1000


# ---------------------------------------------------------------- what goes wrong is a sentence


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["separate"], "FILE"),
        (["verify", "p.json"], "FILE"),
        (["separate", "pets.csv", "--quickly"], "--quickly"),
        (["separate", "pets.csv", "--tolerance", "wide"], "wide"),
        (["separate", "pets.csv", "--tolerance", "7"], "tolerance"),
        (["separate", "pets.csv", "--tolerance", "nan"], "tolerance"),
        (["separate", "pets.csv", "--time-limit", "-1"], "-1"),
        (["separate", "pets.csv", "--time-limit", "nan"], "nan"),
        (["separate", "pets.csv", "--format", "xls"], "svmlight"),
        (["separate", "pets.csv", "--plot", "x.png"], "--table"),
        (["separates", "pets.csv"], "separates"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_typed_wrongly_is_exit_code_64(here, words, says):
    assert says in refusal(64, *words)


BAD_FILES = {
    "nan.csv": ("a,y\n1,0\nnan,1\n", "nan.csv line 3, column 1: column 'a'"),
    "gap.csv": ("a,y\n1,0\n,1\n", "gap.csv line 3, column 1: column 'a'"),
    "inf.csv": ("a,y\n1,0\ninf,1\n", "inf"),
    "text.csv": ("a,y\n1,0\ntwo,1\n", "two"),
    "empty.csv": ("", "empty.csv"),
    "head.csv": ("a,b,y\n", "head.csv"),
    "short.csv": ("a,b,y\n1,2,0\n1,2\n", "line 3"),
    "broken.svm": ("+1 1:2\n-1 2:x\n", "broken.svm line 2"),
    "broken.npz": ("PK\x03\x04 nothing", "broken.npz"),
    "measured.csv": ("a,y\n1,0.25\n2,0.75\n", "continuous"),
}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("table", [False, True])
def test_a_file_that_cannot_be_used_is_exit_code_65(here, name, table):
    content, says = BAD_FILES[name]
    (here / name).write_text(content)
    assert says in refusal(65, "separate", name, *(["--table"] if table else []))


def test_a_column_that_is_not_there_is_refused_with_those_that_are(here):
    message = refusal(65, "separate", "pets.csv", "--target", "colour")
    assert "'height', 'weight', 'species'" in message


def test_more_than_two_classes_get_a_hint_at_the_option(here):
    message = refusal(65, "separate", "eels.csv")
    assert "3 classes" in message
    assert "--table" in message


@pytest.mark.parametrize(
    "words",
    [["separate", "none.csv"], ["verify", "none.json", "pets.csv"], ["verify", "pets.csv", "none.csv"]],
    ids=" ".join,
)
def test_a_file_that_is_not_there_is_exit_code_66(here, words):
    assert re.fullmatch(r"Error: none\.\w+: there is no such file\.?", refusal(66, *words))


def test_a_folder_is_no_file(here):
    (here / "empty").mkdir()
    assert "is a folder without files" in refusal(65, "separate", "empty")
    (here / "proofs").mkdir()
    assert "proofs" in refusal(65, "verify", "proofs", "pets.csv")


def beyond_64(*words):
    """Refused with an exit code that no answer has; the sentence."""
    code = run_command(*words).exit_code
    assert code >= 64, f"exit code {code} is an answer"
    return refusal(code, *words)


@pytest.mark.parametrize("place", ["nowhere/p.json", "folder"])
def test_a_proof_that_cannot_be_written_is_no_answer(here, place):
    """Exit code 1 would say that the classes cannot be separated."""
    (here / "folder").mkdir()
    code = run_command("separate", "pets.csv", "--proof", place).exit_code
    assert code >= 64
    assert place in run_command("separate", "pets.csv", "--proof", place).stderr


def test_a_folder_of_proofs_that_is_a_file_is_refused(here):
    (here / "proofs").write_text("mine")
    assert "proofs" in beyond_64("separate", "eels.csv", "--table", "--proof", "proofs")
    assert (here / "proofs").read_text() == "mine"


@pytest.mark.parametrize("picture", ["table.xyz", "table", "nowhere/table.png"])
def test_a_picture_that_cannot_be_drawn_is_reported(here, picture):
    pytest.importorskip("matplotlib").use("agg")
    result = run_command("separate", "eels.csv", "--table", "--plot", picture)
    assert result.exit_code >= 64
    assert result.stderr.startswith(("Error: ", "Usage: "))


def test_without_matplotlib_a_picture_is_refused_with_the_remedy(here, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    result = run_command("separate", "eels.csv", "--table", "--plot", "x.png")
    assert result.exit_code >= 64
    assert "pip install 'rosenblatt[plots]'" in result.stderr


def test_a_file_that_fit_reads_is_read(here):
    Path("words.csv").write_text("colour,kind\n" + "red,yes\nblue,no\n" * 3)
    assert run_command("fit", "words.csv", "--target", "kind", "--out", "words.safetensors").exit_code == 0
    result = run_command("separate", "words.csv", "--target", "kind", "--proof", "words.json")
    assert result.exit_code == 0
    assert run_command("verify", "words.json", "words.csv", "--target", "kind").exit_code == 0


def test_ctrl_c_while_the_file_is_read_is_exit_code_130(here, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("rosenblatt.data.sources.reading.read_table", interrupt)
    result = run_command("separate", "pets.csv")
    assert result.exit_code == 130
    assert result.stderr.strip() == "Interrupted."


def test_the_command_verifies_proofs_made_in_python(here):
    X, y = np.array([[1.0, 2], [2, 1], [5, 5], [6, 7]]), ["cat", "cat", "dog", "dog"]
    separate(X, y).proof.save("python.json")
    assert run_command("verify", "python.json", "pets.csv").exit_code == 0
    run_command("separate", "pets.csv", "--proof", "command.json")
    assert verify("command.json", X, y).separable
    assert (here / "python.json").read_bytes() == (here / "command.json").read_bytes()


# ---------------------------------------------------------------- one class against the rest

FLOWERS = Path(rosenblatt.__file__).parent / "course/lab/examples/flowers.csv"


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


def test_positive_labels_the_named_class_plus_in_a_trace():
    found = run_on_flowers("trace", "--data", str(FLOWERS), "--positive", "setosa", "--rows", "1")
    assert found.exit_code == 0
    assert "+ is setosa, − is not setosa" in found.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["separate", str(FLOWERS)], "--positive CLASS takes one class against the rest"),
        (["separate", str(FLOWERS), "--positive", "rose"], "'rose' is not one of the classes 'setosa', "),
        (["separate", str(FLOWERS), "--positive", "setosa", "--table"], "--positive and --table"),
        (["separate", str(FLOWERS), "--positive", "setosa", "--in-pieces"], "--positive needs all rows"),
    ],
)
def test_a_class_that_cannot_be_separated_out_is_refused(words, message):
    found = run_on_flowers(*words)
    assert found.exit_code >= 64
    assert message in " ".join(found.output.split())
