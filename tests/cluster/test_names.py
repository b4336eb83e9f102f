"""Workers of a cluster record the names of hashed features."""

from __future__ import annotations

import pytest

from rosenblatt import Perceptron, read
from rosenblatt.cluster import fit_files

NAMES = {"mail=good", "mail=bad", "city=Rome", "city=Oslo"}


@pytest.fixture
def source(tmp_path):
    lines = [
        f"{'good' if k % 3 else 'bad'} film {k % 7},{'Rome' if k % 2 else 'Oslo'},{k % 3 > 0}"
        for k in range(200)
    ]
    (tmp_path / "mails.csv").write_text("mail,city,label\n" + "\n".join(lines) + "\n")
    return read(str(tmp_path / "mails.csv"), target="label", text=["mail"])


@pytest.mark.parametrize("how", ["relay", "mixing"])
def test_workers_record_the_names_and_the_rows_with_each_feature(client, source, how):
    def model():
        return Perceptron(rule="passive_aggressive_1", epochs=2, keep="averaged", random_state=0)

    named, unnamed = (fit_files(model(), source, how, client, names=names) for names in ("all", "none"))
    assert named.weights_by_name().keys() >= NAMES
    assert NAMES.isdisjoint(unnamed.weights_by_name())
    assert named.coef_.tobytes() == unnamed.coef_.tobytes()
    alone = model().fit_stream(source)
    assert named._vocabulary.rows.tolist() == alone._vocabulary.rows.tolist()
