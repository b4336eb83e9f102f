"""The page `rosenblatt.proof.plain` and `verify` accept the same proofs, altered or not."""

from __future__ import annotations

import ast
import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import least_hinge_loss, overlap, rows_to_remove, separability_table, separate, verify
from rosenblatt.errors import ProofRejected
from rosenblatt.proof import plain

QUASI = [[0, 0, 0], [1, 2, 0], [0.5, 1, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1], [2, 0, 3]]
DEPENDENT = [[1.0, 2.0, 0.0], [2.0, 4.0, 1.0], [3.0, 6.0, 0.0], [1.0, 2.0, 0.0]]
WILD = [[1e300, -1e300, 5e-324], [1e300, -1e300, -5e-324], [0.1, 1 / 3, -0.0]]


def table_proof(X, y, question):
    return separability_table(X, y)[question].proof


LINE = [[0.0], [2.0], [3.0], [1.0]]
SIX = [[0.0], [1.0], [1.0], [2.0], [0.0], [2.0]]
PROOFS = {
    "separable": (separate, [[0.0, 0.0], [1.0, 0.5], [4.0, 3.0], [5.0, 0.25]], [0, 0, 1, 1]),
    "overlapping": (separate, [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]], list("abba")),
    "in a subspace": (separate, [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [3.0, 6.0, 9.0]], [0, 1, 0]),
    "one class": (separate, [[1.0], [2.0]], ["x", "x"]),
    "wild": (separate, WILD, [1, 0, 1]),
    "quasi": (overlap, QUASI, [0, 0, 1, 1, 0, 1, 1]),
    "complete": (overlap, [[1, 3], [2, 2], [3, -1], [5, 2], [6, 4]], [3, 3, 3, 17, 17]),
    "dependent": (overlap, DEPENDENT, [0, 1, 0, 1]),
    "multinomial": (overlap, SIX, list("abcbba")),
    "removal": (rows_to_remove, [[0.0], [1.0], [1.0], [2.0], [3.0], [2.5], [0.25]], [0, 0, 1, 0, 1, 1, 1]),
    "hinge loss": (least_hinge_loss, [[0.0, 1.0], [1.0, 3.0], [0.5, 0.1], [3.0, 1.0]], [0, 1, 1, 0]),
    "no hinge loss": (least_hinge_loss, [[0.0], [3.0]], [0, 1]),
    "a question": (lambda X, y: table_proof(X, y, ("a", "c")), LINE, list("abca")),
    "the rest": (lambda X, y: table_proof(X, y, ("b", "the rest")), LINE, list("abca")),
}


def outcomes(proof, X, y):
    """The facts according to `verify` and to the page; None if refused."""
    try:
        facts = verify(proof, X, y)
        ours = {"kind": facts.kind, "margin": facts.margin, "coefficients": list(facts.coefficients)}
        ours |= {"errors": facts.errors, "hinge_loss": facts.hinge_loss}
    except ProofRejected:
        ours = None
    try:
        return ours, plain.check(proof, [[float(x) for x in row] for row in X], [str(label) for label in y])
    except plain.Rejected:
        return ours, None


def as_dict(found):
    return json.loads(getattr(found, "proof", found).to_json())


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("name", PROOFS)
def test_both_accept_every_proof_and_agree_on_every_altered_one(name, offset, nested_json):
    make, X, y = PROOFS[name]
    if not offset and name in ("a question", "the rest"):
        return
    X = np.array(X, float)
    proof = as_dict(make(X, y) if offset else make(X, y, offset=False))
    ours, theirs = outcomes(proof, X, y)
    assert ours is not None
    assert theirs == ours
    refused = 0
    for path in nested_json.places(proof):
        for value in nested_json.changes(nested_json.at(proof, path)) if path else ():
            altered = nested_json.replace_at(proof, path, value)
            ours, theirs = outcomes(altered, X, y)
            assert theirs == ours, (path, value)
            refused += ours is None
        if path and isinstance(path[-1], str):
            ours, theirs = outcomes(nested_json.without(proof, path), X, y)
            assert theirs == ours, path
    assert refused > 15


def test_both_agree_on_random_designs_and_on_other_data():
    for k in range(60):
        rng = np.random.default_rng([8, k])
        n, d = rng.integers(3, 12), rng.integers(1, 4)
        X = rng.integers(-2, 3, (n, d)) * rng.choice([1.0, 0.1, 1e200])
        y = rng.integers(0, 2 + k % 2, n)
        if len(set(y)) < 2:
            continue
        offset = bool(k % 3)
        proof = as_dict(overlap(X, y, offset))
        ours, theirs = outcomes(proof, X, y)
        assert ours is not None
        assert theirs == ours
        other = X.copy()
        other[0, 0] = np.nextafter(other[0, 0], np.inf)
        assert outcomes(proof, other, y) == (None, None)
        assert outcomes(proof, X, 1 - y if y.max() == 1 else y[::-1] + 1) == (None, None)


def test_the_digest_of_several_blocks_is_the_same():
    rng = np.random.default_rng(9)
    X = rng.integers(-3, 4, (plain.BLOCK + 3, 1)).astype(float)
    y = (X[:, 0] > 0).astype(int)
    ours, theirs = outcomes(as_dict(separate(X, y)), X, y)
    assert theirs == ours
    assert ours["kind"] == "separable"


# ---------------------------------------------------------------- the command


def run(*words):
    done = subprocess.run(
        [sys.executable, "-m", "rosenblatt.proof.plain", *map(str, words)], capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def files(tmp_path):
    X, y = QUASI, [0, 0, 1, 1, 0, 1, 1]
    overlap(X, y).proof.save(tmp_path / "proof.json")
    with open(tmp_path / "data.csv", "w", newline="") as file:
        csv.writer(file).writerows([*row, label] for row, label in zip(X, y, strict=True))
    return tmp_path / "proof.json", tmp_path / "data.csv"


def test_the_command_prints_what_is_proved(files):
    code, output = run(*files)
    assert code == 0
    assert output.startswith("Valid: kind quasi-separable")
    assert "'-inf', '+inf', '+inf', 'finite'" in output


def test_the_command_refuses_other_data_and_other_proofs(files):
    proof, data = files
    data.write_text(data.read_text().replace("0.5", "0.25"))
    assert run(proof, data) == (1, "Not valid: the proof is about other data\n")
    proof.write_text("{}")
    assert run(proof, data)[0] == 1


@pytest.mark.parametrize(
    "text", ["x,y\n1,2\n", "1,red,0\n", "1,nan,0\n", "1,0\n1,2,0\n", "0\n", "1;2;0\n", "1,,0\n"]
)
def test_a_file_that_is_not_a_csv_of_numbers_is_refused(files, text):
    proof, data = files
    data.write_text(text)
    code, output = run(proof, data)
    assert code == 65
    assert "line" in output


def test_wrong_words_and_missing_files_are_errors(files):
    assert run(files[0])[0] == 64
    assert run(files[0], "missing.csv")[0] == 65
    assert run("missing.json", files[1])[0] == 65


def test_the_page_imports_the_standard_library_only():
    tree = ast.parse(Path(plain.__file__).read_text(encoding="utf-8"))
    modules = {
        (node.module if isinstance(node, ast.ImportFrom) else alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert modules <= sys.stdlib_module_names
