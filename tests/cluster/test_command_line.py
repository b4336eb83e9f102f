"""`rosenblatt fit --cluster` writes the same file as without a cluster."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from rosenblatt.cli.main import main


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{k % 30},{['sun', 'rain'][k * 7 % 3 % 2]} {k % 11},{'yes' if k % 30 > 12 else 'no'}"
        for k in range(300)
    ]
    (tmp_path / "days.csv").write_text("heat,sky,label\n" + "\n".join(lines) + "\n")
    return tmp_path


def fit(*words):
    return CliRunner().invoke(main, ["fit", "days.csv", "--epochs", "2", "--quiet", *words])


def test_a_cluster_writes_the_same_file(client, table):
    assert fit("--out", "alone.safetensors").exit_code == 0
    found = fit("--out", "there.safetensors", "--cluster", client.scheduler.address)
    assert found.exit_code == 0, found.output
    assert (table / "there.safetensors").read_bytes() == (table / "alone.safetensors").read_bytes()


def test_errors_of_the_report_are_reported(client, table):
    assert "omit it with --cluster" in fit("--cluster", "local", "--cache", "rows.arrow").output
    found = fit("--cluster", client.scheduler.address, "--how", "columns")
    assert found.exit_code == 64
    assert "'columns' is not one of 'relay', 'mixing'" in found.output
