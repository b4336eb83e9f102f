"""`rosenblatt fit` on files as people have them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.runner import run_command, succeed


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write_texts(path, n=60, header="says,kind\n", seed=0):
    """Rows of a sentence and its class; the second word decides."""
    r = np.random.default_rng(seed)
    rows = [
        f"the {('good', 'bad')[k]} film number {r.integers(99)} of it all,{k}\n"
        for k in r.integers(0, 2, n).tolist()
    ]
    Path(path).write_text(header + "".join(rows))


# ---------------------------------------------------------------- text


@pytest.mark.parametrize(
    ("options", "rule", "parameters"),
    [
        ([], "arow", {"r": 1.0, "covariance": "diagonal"}),
        (["--set", "r=0.5"], "arow", {"r": 0.5, "covariance": "diagonal"}),
        (["--set", "C=0.5"], "passive_aggressive_1", {"C": 0.5}),
        (["--keep", "voted"], "passive_aggressive_1", {"C": 1.0}),
        (["--leave-out", "says"], "passive_aggressive_1", {"C": 0.1}),
    ],
)
def test_text_is_learned_by_arow_from_tfidf_at_unit_length(options, rule, parameters):
    write_texts("rows.csv")
    with_number = Path("rows.csv").read_text().replace("\n", ",1.5\n").replace("kind,1.5", "kind,size")
    Path("rows.csv").write_text(with_number)
    succeed("fit", "rows.csv", "--target", "kind", *options, "--out", "m.safetensors")
    facts = json.loads(succeed("inspect", "m.safetensors", "--json").stdout)
    assert (facts["rule"], facts["rule_parameters"]) == (rule, parameters)
    encoding = facts["reading"]["encoding"]
    assert (encoding["words"], encoding["unit_length"], encoding["ngrams"]) == ("tfidf", True, 2)


def test_text_read_in_pieces_or_from_a_cache_gives_the_same_model():
    write_texts("rows.csv", 300)
    lines = Path("rows.csv").read_text().splitlines(keepends=True)
    for name, part in (("a.csv", lines[1:150]), ("b.csv", lines[150:])):
        Path(name).write_text(lines[0] + "".join(part))
    answers = []
    for files, more in (
        (["rows.csv"], []),
        (["rows.csv"], ["--cache", "c.arrow"]),
        (["a.csv", "b.csv"], []),
    ):
        succeed("fit", *files, "--target", "kind", "--order", "given", *more, "--out", "m.safetensors")
        facts = json.loads(succeed("inspect", "m.safetensors", "--top", 1000, "--json").stdout)
        answers.append((facts["mistakes"], facts["learned"]))
    assert answers[0] == answers[1] == answers[2]


# ---------------------------------------------------------------- columns


def fit_table(columns, *options):
    """Fit a csv of these columns, the last of which is the label; return the roles and the warnings."""
    names, cells = list(columns), list(columns.values())
    lines = [",".join(map(str, row)) for row in zip(*cells, strict=True)]
    Path("rows.csv").write_text("\n".join([",".join(names), *lines, ""]))
    told = json.loads(succeed("fit", "rows.csv", *options, "--json").stdout)
    return {each["column"]: each["taken_for"] for each in told["columns"]}, " ".join(told["warnings"])


def test_a_column_of_numbers_and_words_is_categories_with_a_warning():
    r = np.random.default_rng(0)
    ticket = [f"A/5 {i % 40}" if i % 4 == 0 else i % 50 for i in range(200)]
    columns = {"x": r.normal(size=200), "Ticket": ticket, "y": r.integers(0, 2, 200)}
    roles, warnings = fit_table(columns, "--effort", "none")
    assert roles["Ticket"] == "categories"
    assert "'Ticket' has numbers in 75% of its cells and words in the others" in warnings


@pytest.mark.parametrize(
    ("name", "values", "is_id"),
    [
        ("Bean ID", "shuffled", True),
        ("PassengerId", "part", True),
        ("CustomerId", "shuffled", True),
        ("RowNumber", "shuffled", True),
        ("PatientId", "repeated", True),
        ("number", "part", True),
        ("store_id", "few", False),
        ("paid", "shuffled", False),
        ("price", "shuffled", False),
        ("amount", "measured", False),
        ("id", "measured", False),
        ("time", "sorted times", False),
    ],
)
def test_ids_are_left_out_and_features_are_not(name, values, is_id):
    r = np.random.default_rng(0)
    n = 300
    numbers = {
        "shuffled": r.permutation(10 * n)[:n],
        "part": np.sort(r.permutation(2 * n)[:n]),
        "repeated": r.integers(10**14, 10**14 + 3 * n, n),
        "few": r.integers(0, 40, n),
        "measured": r.normal(size=n),
        "sorted times": np.cumsum(r.integers(1, 3600, n)) + 1_700_000_000,
    }[values]
    roles, warnings = fit_table({name: numbers, "x": r.normal(size=n), "y": r.integers(0, 2, n)})
    assert roles[name].startswith("dropped" if is_id else "numbers, ")
    assert not warnings


@pytest.mark.parametrize("leak", ["number", "number of three classes", "category"])
def test_a_column_that_has_the_label_is_warned_of(leak):
    r = np.random.default_rng(0)
    y = r.integers(0, 3 if leak == "number of three classes" else 2, 300)
    values = np.where(y, "won", "lost") if leak == "category" else y * 10 + r.normal(size=300)
    _, warnings = fit_table({"leak": values, "x": r.normal(size=300) + y, "y": y})
    assert "'leak' alone predicts the label almost perfectly" in warnings
    assert "'x' alone" not in warnings


# ---------------------------------------------------------------- weights by name


def test_inspect_names_the_words_of_a_model_and_the_class_that_they_favour():
    write_texts("rows.csv", 200)
    succeed("fit", "rows.csv", "--target", "kind", "--ngrams", 1, "--out", "m.safetensors")
    facts = json.loads(succeed("inspect", "m.safetensors", "--json", "--top", 2).stdout)
    (learned,) = facts["learned"]
    assert facts["stored_names"] > 2
    assert learned["negative"][0]["feature"] == '"good"'
    assert learned["positive"][0]["feature"] == '"bad"'
    assert "words and categories of the training data" in succeed("inspect", "m.safetensors").stdout


def test_a_model_without_names_says_how_to_get_them():
    write_texts("rows.csv", 200)
    succeed("fit", "rows.csv", "--target", "kind", "--names", "none", "--out", "m.safetensors")
    text = succeed("inspect", "m.safetensors").stdout
    assert "±" in text
    assert "train it again with --names all" in text
    assert b"good" not in Path("m.safetensors").read_bytes()


def test_only_the_names_of_the_largest_weights_are_stored_if_a_number_is_given():
    write_texts("rows.csv", 200)
    succeed("fit", "rows.csv", "--target", "kind", "--names", 2, "--out", "m.safetensors")
    facts = json.loads(succeed("inspect", "m.safetensors", "--json").stdout)
    assert facts["stored_names"] == 2
    refused = run_command("fit", "rows.csv", "--target", "kind", "--names", "-3")
    assert "--names" in refused.output


# ---------------------------------------------------------------- single words, files without a header


def write_first_names(path, seed, header):
    r = np.random.default_rng(seed)
    stems = [
        "".join(r.choice(list("bdklmnrst")) + r.choice(list("aeiou")) for _ in range(3)) for _ in range(300)
    ]
    rows = [(stem + ending, kind) for stem in stems for ending, kind in (("na", "f"), ("rk", "m"))]
    lines = ["name\tkind"] * header + [f"{name.title()}\t{kind}" for name, kind in rows]
    Path(path).write_text("\n".join(lines) + "\n")


def test_single_words_become_character_ngrams():
    write_first_names("train.tsv", 0, header=True)
    write_first_names("test.tsv", 1, header=True)
    found = succeed("fit", "train.tsv", "--test", "test.tsv", "--out", "m.safetensors").output
    assert "name    characters  single words" in found
    assert succeed("evaluate", "m.safetensors", "test.tsv").stdout.startswith("Error 0.0000: 0 of 600 rows")


def test_a_model_without_a_header_reads_other_files_without_one():
    texts = [
        "a warm and funny film",
        "no wit and no point",
        "a funny and warm story",
        "no point to this film",
    ]
    lines = [f"{texts[k % 4]} {k}\t{k % 2}" for k in range(80)]
    Path("train.tsv").write_text("\n".join(lines) + "\n")
    Path("test.tsv").write_text("\n".join(lines[:1:-1]) + "\n")  # its first cells are a text and a label
    Path("texts.tsv").write_text("".join(line.partition("\t")[0] + "\n" for line in lines))
    found = succeed("fit", "train.tsv", "--test", "test.tsv", "--out", "m.safetensors").stdout
    assert "of 78 rows of test.tsv misclassified" in found
    assert "of 78 rows of test.tsv misclassified" in succeed("evaluate", "m.safetensors", "test.tsv").stdout
    assert len(succeed("predict", "m.safetensors", "texts.tsv").stdout.split()) == 80


def rows_with_faults(n_bad, n=400):
    """Return csv text in which every tenth row, up to `n_bad` of them, has a word among its numbers."""
    r = np.random.default_rng(0)
    cells = [[f"{a:.2f}", f"{b:.2f}", "up" if a > b else "down"] for a, b in r.normal(size=(n, 2))]
    for k in range(n_bad):
        cells[10 * k][1] = "oops"
    return "\n".join(["a,b,y", *map(",".join, cells), ""])


def test_a_few_malformed_rows_are_skipped_with_a_note():
    Path("rows.csv").write_text(rows_with_faults(4) + "1.0,up\n")
    result = succeed("fit", "rows.csv", "--test", "rows.csv", "--out", "m.safetensors")
    assert "Trained on 396 rows" in result.stdout
    note = "5 malformed lines skipped, the first in rows.csv line 2, column 6: column 'b' holds 'oops'"
    assert result.stderr.count(note) == 2  # of the training rows, and of the test rows
    assert "5 malformed lines skipped" in succeed("evaluate", "m.safetensors", "rows.csv").stdout


@pytest.mark.parametrize("words", [("--skip-bad", "4"), ("--missing", "error")])
def test_the_options_of_the_user_decide_which_rows_are_skipped(words):
    Path("rows.csv").write_text(rows_with_faults(5))
    result = run_command("fit", "rows.csv", *words)
    assert result.exit_code > 63
    assert "column 'b' holds 'oops', expected a number" in result.stderr


def test_many_malformed_rows_are_an_error():
    Path("rows.csv").write_text(rows_with_faults(5) + "1,x\n" * 6)
    result = run_command("fit", "rows.csv")
    assert result.exit_code > 63
    assert "(10 malformed lines skipped before it)" in result.stderr


def test_rare_classes_and_constant_columns_are_no_obstacle_to_the_comparison():
    r = np.random.default_rng(0)
    a = r.normal(size=300)
    label = np.where(a > 1, "high", np.where(a < -1, "low", "mid")).astype(object)
    label[7] = "once"
    columns = {"a": a, "one": np.ones(300), "y": label}
    lines = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    Path("rows.csv").write_text("\n".join(["a,one,y", *lines, ""]))
    found = json.loads(succeed("fit", "rows.csv", "--effort", "thorough", "--json").stdout)
    assert len(found["selection"]["compared"]) > 10
    Path("rows.csv").write_text("\n".join(["one,y", *(f"1.5,{'ab'[k % 2]}" for k in range(300)), ""]))
    assert json.loads(succeed("fit", "rows.csv", "--json").stdout)["selection"]["compared"]
