"""File formats, delimiters, encodings, archives and folders give the same rows on the command line."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rosenblatt.data.sources import read, read_table
from rosenblatt.errors import BadInput
from tests.cli.runner import run_command, succeed


def refusal(*words, most=400):
    result = run_command(*words)
    assert result.exit_code == 65, result.output
    error = result.output[result.output.index("Error:") :]
    assert len(error) < most
    return error


def fit_facts(*words, **options):
    """What was learned: the facts of a fit without what depends on the clock or on names."""
    facts = json.loads(succeed("fit", *words, "--json", "--seed", "0", **options).stdout)
    return {name: facts[name] for name in ("examples", "classes", "mistakes")}


HAM, SPAM = ["lake", "tomorrow", "lovely", "see", "you"], ["free", "money", "win", "now", "offer"]


@pytest.fixture
def workdir(tmp_path, monkeypatch):
    """A folder with numbers.csv, reviews.csv and the models numbers and reviews."""
    monkeypatch.chdir(tmp_path)
    r = np.random.default_rng(0)
    X = r.normal(size=(60, 2)).round(3)
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": np.where(X[:, 0] > 0, "yes", "no")}).to_csv(
        "numbers.csv", index=False
    )
    kinds = r.choice(["ham", "spam"], 60)
    texts = [", ".join(r.choice(SPAM if kind == "spam" else HAM, 5)) + "\nas ever" for kind in kinds]
    pd.DataFrame({"review": texts, "kind": kinds}).to_csv("reviews.csv", index=False)
    return tmp_path


@pytest.fixture
def models(workdir):
    for name in ("numbers", "reviews"):
        succeed("fit", f"{name}.csv", "--quiet", "--seed", "0", "--out", f"{name}.model")


# ---------------------------------------------------------------- rows without labels


@pytest.mark.parametrize("content", ["a,b,kind\n1,2,\n-1,2,\n", "a,b\n1,2\n-1,2\n", "b,a\n2,1\n2,-1\n"])
def test_rows_without_labels_are_answered(models, content):
    Path("new.csv").write_text(content)
    assert succeed("predict", "numbers.model", "new.csv").stdout == "yes\nno\n"


def test_rows_that_get_no_answer_are_counted(models):
    Path("new.csv").write_text("a,b,kind\n1,,\n,2,\n-1,2,\n")
    result = succeed("predict", "numbers.model", "new.csv", "--missing", "drop")
    assert result.stdout == "no\n"
    assert "2 rows with missing values dropped: no predictions for them (--missing drop)" in result.stderr
    assert len(succeed("predict", "numbers.model", "new.csv").stdout.split()) == 3


# ---------------------------------------------------------------- one column of texts


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("a.csv", "text\nfree money win now\nsee you tomorrow, lovely lake\n", ()),
        ("a.txt", "text\nfree money win now\nsee you tomorrow, lovely lake\n", ()),
        ("a.txt", "free money win now\nsee you tomorrow, lovely lake\n", ()),
        ("a.txt", "free money, win now\nsee you tomorrow lovely lake\n", ()),
        ("a.txt", "money\nlake\n", ("--no-header",)),
        ("a.txt", "some words\nmoney\nlake\n", ("--header",)),
        ("a.csv", "review\nmoney\nlake\n", ()),
        ("a.csv", "id,body\n1,free money win now\n2,see you tomorrow\n", ()),
        ("a.csv", "body,kind\nfree money win now,\nsee you tomorrow,\n", ()),
        ("a.csv", 'text\n"free\nmoney, win now"\nsee you tomorrow\n', ()),
        ("a.jsonl", '{"review": "free money"}\n{"review": "see the lake"}\n', ()),
    ],
)
def test_one_column_of_texts_has_any_header_or_none(models, name, content, options):
    Path(name).write_text(content)
    assert succeed("predict", "reviews.model", name, *options).stdout == "spam\nham\n"


# ---------------------------------------------------------------- delimiters, encodings, archives


@pytest.mark.parametrize("delimiter", [";", "|", "\t", ":", "^"])
def test_any_letter_sets_off_cells(workdir, delimiter):
    pd.read_csv("numbers.csv").to_csv("other.csv", sep=delimiter, index=False)
    message = ("--delimiter", "tab" if delimiter == "\t" else delimiter)
    assert fit_facts("other.csv", *message) == fit_facts("numbers.csv")
    if delimiter in ";|\t":
        assert fit_facts("other.csv") == fit_facts("numbers.csv")


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "cp1252", "utf-8-sig"])
def test_any_encoding_gives_the_same_features(workdir, encoding):
    table = pd.read_csv("numbers.csv").assign(city=["Köln", "Málaga"] * 30)[["a", "city", "kind"]]
    table.to_csv("plain.csv", index=False)
    table.to_csv("other.csv", index=False, encoding=encoding)
    assert fit_facts("other.csv", "--encoding", encoding) == fit_facts("plain.csv")
    X, y, _ = read_table("other.csv", charset=encoding)
    assert (X != read_table("plain.csv").X).nnz == 0
    assert y.tolist() == table["kind"].tolist()
    others = [read("plain.csv", charset=name).fingerprint() for name in ("latin-1", "cp850")]
    assert others[0] != others[1]  # a cache of the one is none of the other


def test_encodings_are_detected_and_named(workdir):
    text = "a,city,kind\n1,Köln,x\n2,Rom,y\n"
    Path("a.csv").write_bytes(text.encode("cp1252"))
    message = succeed("fit", "a.csv").stderr
    assert "Note: a.csv is not UTF-8 text and was read as cp1252 (--encoding cp1252)" in message
    Path("b.csv").write_bytes(text.encode("utf-16"))
    Path("c.csv").write_text(text)
    assert fit_facts("a.csv") == fit_facts("b.csv") == fit_facts("c.csv")
    Path("c.csv").write_bytes((text + "3,Köln,y\n").encode() + b"4,K\xf6ln,x\n")
    assert "line 5, column 4: is not UTF-8 text; name its encoding (--encoding latin-1)" in refusal(
        "fit", "c.csv"
    )
    assert "--encoding: expected an encoding that Python knows" in refusal(
        "fit", "b.csv", "--encoding", "klingon"
    )
    with pytest.raises(BadInput, match=r"given by charset='latin-1'"):
        read("a.csv", encoding="latin-1")


def test_zipped_tables_are_read(workdir):
    with zipfile.ZipFile("one.zip", "w") as archive:
        archive.write("numbers.csv")
    with zipfile.ZipFile("many.zip", "w") as archive:
        for name in ("days/a.csv", "days/b.csv", "__MACOSX/days/a.csv"):
            archive.write("numbers.csv", name)
    with zipfile.ZipFile("mixed.zip", "w") as archive:
        archive.write("numbers.csv")
        archive.writestr("README.txt", "hello")
    os.utime("one.zip", (1e9, 1e9))
    for _ in range(2):
        assert fit_facts("one.zip", "--cache", "rows.arrow") == fit_facts("numbers.csv")
    assert fit_facts("one.zip") == fit_facts("numbers.csv") == fit_facts("mixed.zip/numbers.csv")
    assert read_table("many.zip").X.shape == (120, 2)
    assert "several kinds (.csv, .txt); name one of them, as in mixed.zip" in refusal("fit", "mixed.zip")


def test_the_table_of_columns_fits_a_line(workdir):
    table = pd.read_csv("numbers.csv")
    long = {f"a column with a very long name {k}": "ab"[k % 2] * 40 for k in range(2)}
    dates = {"shipped": "2024-02-03 10:30", "ordered": "2024-02-01"}
    table.assign(**long, **dates)[[*long, *dates, "a", "b", "kind"]].to_csv("long.csv", index=False)
    message = succeed("fit", "long.csv").stderr
    lines = message[message.index("column  ") :].splitlines()
    assert len(lines) == 8
    assert max(map(len, lines)) <= 80


def test_the_days_between_two_dates_are_a_feature(workdir):
    r = np.random.default_rng(0)
    days, waits = r.integers(0, 300, 200), r.integers(0, 60, 200)
    start = np.datetime64("2024-01-01")
    late = np.where(waits > 30, "late", "soon")
    pd.DataFrame({"ordered": start + days, "sent": start + days + waits, "kind": late}).to_csv(
        "orders.csv", index=False
    )
    succeed("fit", "orders.csv", "--quiet", "--out", "m")
    assert json.loads(succeed("evaluate", "m", "orders.csv", "--json").stdout)["error"] < 0.1
    (learned,) = json.loads(succeed("inspect", "m", "--json").stdout)["learned"]
    assert [curve["column"] for curve in learned["curves"]] == ["sent - ordered"]


def test_a_number_to_predict_is_no_label(workdir):
    message = refusal("fit", "numbers.csv", "--target", "a")
    assert "different values in 60 rows, such as " in message
    assert "this looks like a number to predict, not a class; give --target" in message


# ---------------------------------------------------------------- json lines


def test_json_lines_are_the_table_they_hold(workdir):
    table = pd.read_csv("numbers.csv").assign(city=["Köln", None, "Rom"] * 20)[["a", "b", "city", "kind"]]
    table.to_csv("plain.csv", index=False)
    table.to_json("rows.jsonl", orient="records", lines=True)
    assert fit_facts("rows.jsonl") == fit_facts("plain.csv")
    succeed("fit", "plain.csv", "--quiet", "--out", "m")
    assert succeed("predict", "m", "rows.jsonl").stdout == succeed("predict", "m", "plain.csv").stdout


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_of_objects_is_the_table_it_holds(workdir, indent):
    pd.read_csv("numbers.csv").to_json("rows.json", orient="records", indent=indent)
    assert fit_facts("rows.json") == fit_facts("numbers.csv")


def test_vectors_and_objects_are_several_columns(workdir):
    table = pd.read_csv("numbers.csv")
    table.rename(columns={"a": "v[0]", "b": "v[1]"}).to_csv("plain.csv", index=False)
    vectors = pd.DataFrame({"v": table[["a", "b"]].to_numpy().tolist(), "kind": table["kind"]})
    vectors.to_parquet("vectors.parquet")
    vectors.to_json("vectors.jsonl", orient="records", lines=True)
    for name in ("vectors.parquet", "vectors.jsonl"):
        assert fit_facts(name) == fit_facts("plain.csv")
    succeed("fit", "vectors.parquet", "--quiet", "--out", "m")
    assert succeed("predict", "m", "vectors.jsonl").stdout == succeed("predict", "m", "plain.csv").stdout
    objects = pd.DataFrame({"v": table[["a", "b"]].to_dict("records"), "kind": table["kind"]})
    objects.to_parquet("objects.parquet")
    objects.to_json("objects.jsonl", orient="records", lines=True)
    table.rename(columns={"a": "v.a", "b": "v.b"}).to_csv("plain.csv", index=False)
    for name in ("objects.parquet", "objects.jsonl"):
        assert fit_facts(name) == fit_facts("plain.csv")
    vectors.assign(v=[[1.0] * (k % 3) for k in range(60)]).to_parquet("ragged.parquet")
    assert "column 'v' has lists of 0 to 2 numbers" in refusal("fit", "ragged.parquet")


def test_json_lines_that_are_odd_are_bad_lines(workdir):
    good = '{"a": 1, "on": true, "kind": "x"}\n{"a": -1.5, "on": false, "kind": "y"}\n' * 5
    Path("a.jsonl").write_text(good + '{"a": "12", "kind": "x"}\n{"a": [1], "kind": "x"}\nno\n{"a": 3}\n')
    rows = read("a.jsonl", skip_bad=3, missing="zero")
    assert sum(len(chunk) for chunk in rows.chunks()) == 11
    assert rows.n_bad == 3
    message = refusal("fit", "a.jsonl", "--missing", "zero")
    assert "a.jsonl line 12, column 1: 'a' is a list, expected one value" in message
    for nothing in ("\n\n", "{}\n{}\n"):
        Path("d.jsonl").write_text(nothing)
        assert "d.jsonl: there are no rows" in refusal("fit", "d.jsonl")
    succeed("fit", "numbers.csv", "--quiet", "--out", "m")
    assert "a.jsonl: has no column 'b' (number), only 'a', 'on', 'kind'" in refusal(
        "predict", "m", "a.jsonl"
    )
    Path("b.json").write_text('[{"a": 1, "kind": "x"}')
    assert "b.json: is not a JSON array (Expecting ',' delimiter" in refusal("fit", "b.json")
    Path("c.csv").write_text(good)
    assert "holds JSON, not csv; name it .jsonl, or give --format jsonl" in refusal("fit", "c.csv")
    assert fit_facts("c.csv", "--format", "jsonl")["classes"] == ["x", "y"]


# ---------------------------------------------------------------- a folder for each class


@pytest.fixture
def mails(workdir):
    """mails/ham and mails/spam, and new mails without a class."""
    table = pd.read_csv("reviews.csv")
    for number, (text, kind) in enumerate(zip(table["review"], table["kind"], strict=True)):
        os.makedirs(f"mails/{kind}", exist_ok=True)
        Path(f"mails/{kind}/{number:03}.txt").write_bytes(
            f"{text} é".encode("utf-8" if number else "latin-1")
        )
    os.makedirs("new")
    for number, text in enumerate(["free money win", "see the lovely lake"]):
        Path(f"new/{number}.txt").write_text(text)
    with zipfile.ZipFile("mails.zip", "w") as archive:
        for path in sorted(Path("mails").rglob("*.txt")):
            archive.write(path)


def test_a_folder_of_texts_for_each_class_is_learned_from(mails):
    table = succeed("fit", "mails", "--out", "m").stderr
    assert "text    words and word pairs  fixed by the format        0\n" in table
    lines = succeed("inspect", "m").stdout.splitlines()
    how = "text files in folders of classes, missing values marked, hashed to 2^22 features"
    assert lines[lines.index(f"  reading          {how}") + 1].strip() == "words and word pairs: text"
    assert succeed("predict", "m", "new").stdout == "spam\nham\n"
    assert succeed("predict", "m", "new/1.txt").stdout == "ham\n"
    assert succeed("predict", "m", "new/1.txt", "new/0.txt").stdout == "ham\nspam\n"
    for labelled in ("mails", "mails.zip", "reviews.csv"):
        found = json.loads(succeed("evaluate", "m", labelled, "--json").stdout)
        assert (found["examples"], found["error"]) == (60, 0.0)
    assert fit_facts("mails") == fit_facts("mails.zip")
    answers = succeed("predict", "m", "mails").stdout.split()
    assert answers == sorted(answers)  # in the order of the files, and ham is before spam


# ---------------------------------------------------------------- all commands read alike


def test_all_commands_read_the_same_file_with_the_same_options(workdir):
    pd.read_csv("numbers.csv").assign(note=["x", None, "y"] * 20)[["note", "a", "b", "kind"]].to_csv(
        "odd.csv", sep="^", index=False
    )
    how = ("--delimiter", "^", "--leave-out", "note", "--target", "kind")
    proved = succeed("separate", "odd.csv", *how, "--proof", "p.json").stdout
    assert "rosenblatt verify p.json odd.csv --target kind --leave-out note --delimiter '^'" in proved
    assert "valid" in succeed("verify", "p.json", "odd.csv", *how).stdout.lower()
    assert succeed("separate", "numbers.csv").stdout.splitlines()[0] == proved.splitlines()[0]
    succeed("trace", "--data", "odd.csv", *how, "--max-steps", 5)
    succeed("convert", "odd.csv", "out.csv", *how)
    assert read_table("out.csv").X.tolist() == read_table("numbers.csv").X.tolist()
    assert "column 'note' has no value; fill it in, leave the column out (--leave-out note)" in refusal(
        "separate", "odd.csv", "--delimiter", "^", "--target", "kind", most=600
    )


def test_a_pipe_that_must_be_read_twice_is_kept(workdir):
    content = Path("numbers.csv").read_bytes()
    assert fit_facts("-", "--format", "csv", input=content) == fit_facts("numbers.csv")
    bad = content + b"x,1,no\n"
    result = run_command("fit", "-", "--format", "csv", input=bad)
    assert "standard input line 62, column 1: column 'a' holds 'x'" in result.output


def test_a_model_is_tested_on_what_a_pipe_brings(workdir):
    """`--test -`: it was opened three times, and empty from the second on."""

    def confusion(*words, **options):
        report = succeed("fit", "reviews.csv", *words, "--json", "--seed", 0, **options).stdout
        return json.loads(report)["test"]["confusion"]

    content = Path("reviews.csv").read_bytes()
    assert confusion("--test", "-", input=content) == confusion("--test", "reviews.csv")


# ---------------------------------------------------------------- files that are not tables


def test_a_file_without_rows_gets_a_message(workdir):
    Path("photo.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 50)
    Path("paper.txt").write_bytes(b"%PDF-1.4 words and words\n" * 50)
    with zipfile.ZipFile("photos.zip", "w") as archive:
        for number in range(3000):
            archive.writestr(f"holidays/photo-number-{number}.png", b"\x89PNG")
    with zipfile.ZipFile("letter.docx", "w") as archive:
        archive.writestr("[Content_Types].xml", "x")
        archive.writestr("word/document.xml", "y")
    with zipfile.ZipFile("arrays.npz", "w") as archive:
        for number in range(3000):
            archive.writestr(f"some-text-{number}.txt", "hello")
    assert "photo.csv: is a picture (PNG); give a table" in refusal("fit", "photo.csv")
    assert "is a PDF document" in refusal("fit", "paper.txt")
    assert "the archive has .png files" in refusal("fit", "photos.zip")
    assert "is a Word document" in refusal("fit", "letter.docx")
    refusal("fit", "arrays.npz", most=700)
