"""Real files, from the file to the error, as `rosenblatt fit` does it; against scikit-learn's averaged
perceptron on the same rows, and the error that Vowpal Wabbit 9.11 has (hinge loss, five passes)."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.linear_model import SGDClassifier

from rosenblatt.cli.main import main
from rosenblatt.data.sources import read
from rosenblatt.training.streams.rows_in_memory import load_rows

pytestmark = pytest.mark.data

WABBIT = {"a9a": 0.1505, "reuters": 0.0264, "sms_spam": 0.0178}


@pytest.fixture
def files(data, tmp_path):
    """Train and test files of each set, and the options to read them."""
    lines = gzip.decompress((data / "sms_spam" / "SMSSpamCollection.gz").read_bytes()).splitlines(
        keepends=True
    )
    (tmp_path / "train.tsv").write_bytes(b"".join(lines[:4000]))
    (tmp_path / "test.tsv").write_bytes(b"".join(lines[4000:]))
    return {
        "a9a": (data / "a9a" / "a9a.gz", data / "a9a" / "a9a.t.gz", []),
        "reuters": (data / "reuters" / "reuters.trn.bz2", data / "reuters" / "reuters.tst.bz2", []),
        "sms_spam": (tmp_path / "train.tsv", tmp_path / "test.tsv", ["--target", "0"]),
    }


def fit(train, test, *options):
    words = ["fit", train, "--test", test, "--keep", "averaged", "--epochs", "5", "--json", *options]
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("name", ["a9a", "reuters", "sms_spam"])
def test_the_error_is_within_half_a_point_of_the_better_peer(name, files):
    train, test, options = files[name]
    ours = fit(train, test, *options)["test"]["error"]
    assert ours <= min(WABBIT[name], scikit_learn(train, test, 0 if options else None)) + 0.005


def scikit_learn(train, test, target):
    """The error of its averaged perceptron, five passes in the order of the file, on the same rows."""
    source = read(str(train), target=target)
    (X, y), (Z, z) = load_rows(source, 1 << 30), load_rows(read(str(test), like=source.settings()), 1 << 30)
    Z.resize((Z.shape[0], X.shape[1]))
    peer = SGDClassifier(
        loss="perceptron", learning_rate="constant", eta0=1.0, penalty=None, max_iter=5, tol=None,
        shuffle=False, average=True,
    )  # fmt: skip
    return float((peer.fit(X, y).predict(Z) != z).mean())


def test_mixed_columns_of_a_million_cells_are_hashed_and_learned(data, tmp_path):
    content = gzip.decompress((data / "kddcup99_10pct" / "corrected.gz").read_bytes())
    rows = [line.rstrip(b".").rpartition(b",") for line in content.splitlines()[:60_000]]
    order = np.random.default_rng(0).permutation(len(rows))
    lines = [rows[k][0] + (b",normal\n" if rows[k][2] == b"normal" else b",attack\n") for k in order]
    (tmp_path / "train.csv").write_bytes(b"".join(lines[:40_000]))
    (tmp_path / "test.csv").write_bytes(b"".join(lines[40_000:]))
    report = fit(tmp_path / "train.csv", tmp_path / "test.csv")
    assert report["features"] < 5_000  # those that the rows have, of 2^18
    assert report["test"]["error"] < 0.05
