"""A relay from worker to worker, and the log of a service, have the bits of one process."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from rosenblatt import Client, Learner, Perceptron, cluster, load, rules, save
from rosenblatt.cli.main import main
from tests.exactness.paths import outcome


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(3)
    X = np.round(generator.normal(size=(120, 4)), 1)
    return X, np.where(X @ [1.0, -2.0, 0.5, 0.0] + generator.normal(size=120) > 0.3, 1, -1)


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as local,
        distributed.Client(local, set_as_default=False) as connected,
    ):
        yield connected


@pytest.mark.parametrize(
    ("rule", "keep"),
    [
        (rules.Rosenblatt(0.3), "averaged"),
        (rules.Alma(0.6), "voted"),
        (rules.Arow(0.7), "last"),
        (rules.PassiveAggressive1(0.2), "averaged"),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_relay_over_partitions_leaves_the_bits_of_fit(rule, keep, n_classes, rows, client):
    arrays = pytest.importorskip("dask.array")
    X, y = rows
    y = y if n_classes == 2 else np.arange(len(y)) % 3
    settings = {"rule": rule, "keep": keep, "order": "given", "epochs": 2}
    parts = (arrays.from_array(X, chunks=(37, 4)), arrays.from_array(y, chunks=37))
    relayed = outcome(cluster.fit(Perceptron(**settings), *parts, client=client), X)
    alone = outcome(Perceptron(**settings).fit(X, y), X)
    assert relayed.counters == alone.counters
    assert relayed.weights.tobytes() == alone.weights.tobytes()
    assert relayed.values.tolist() == alone.values.tolist()


@pytest.mark.parametrize(
    "settings", [{"keep": "averaged"}, {"rule": rules.Arow(0.7), "multiclass": "one_vs_rest"}], ids=str
)
def test_a_service_and_its_log_have_the_bits_of_a_learner(settings, rows, tmp_path):
    """Taught one by one and many at once, then rebuilt from the log after the end of the process."""
    X, y = rows[0], rows[1].tolist()
    examples = [{f"x{j}": value for j, value in enumerate(x)} for x in X.tolist()]
    twin = Learner(**settings, classes=[-1, 1])
    save(twin, tmp_path / "begun")
    command = [sys.executable, "-m", "rosenblatt.cli.main", "serve", str(tmp_path / "begun")]
    command += ["--log", str(tmp_path / "log"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        lines = []
        for line in process.stdout or ():
            lines.append(line)
            if found := re.search(r"http://[\w.]+:\d+", line):
                break
        else:
            raise AssertionError("".join(lines))
        service = Client(found.group())
        mistakes = [service.learn(x, label) for x, label in zip(examples[:30], y[:30], strict=True)]
        service.learn_many(examples[30:], y[30:])
        decided = [service.decide(x) for x in examples[:5]]
        service.close()
        process.terminate()
    expected = [twin.learn(x, label) for x, label in zip(examples, y, strict=True)]
    assert mistakes == expected[:30]
    assert decided == [twin.decide(x) for x in examples[:5]]
    words = ["replay", str(tmp_path / "log"), "--out", str(tmp_path / "rebuilt")]
    assert CliRunner().invoke(main, words).exit_code == 0
    save(twin, tmp_path / "twin")
    rebuilt = load(tmp_path / "rebuilt")
    assert (rebuilt.mistakes, rebuilt.examples_seen) == (twin.mistakes, 120)
    assert (tmp_path / "rebuilt").read_bytes() == (tmp_path / "twin").read_bytes()
