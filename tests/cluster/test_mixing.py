"""The mixing strategy: its bound, its mean, and independence of the workers."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import BadInput, Perceptron, cluster
from rosenblatt.cluster.shard_mixtures import add, begin_shard, mix_state, shard_mixture
from rosenblatt.cluster.worker_tasks import Baton, Hop, Loaded, learn, load_pair
from rosenblatt.rules import as_rule
from rosenblatt.training.settings import StreamSettings
from rosenblatt.training.streams.progressive import Progressive
from rosenblatt.training.streams.stream_targets import Teaching


def on_cluster(X, y):
    return da.from_array(X, chunks=(90, -1)), da.from_array(y, chunks=90)


def rounds_of(X, y, shards, mix, rounds, keep="last"):
    """(mixing weights × mistakes, mistakes) of each round, and the last state: what the tasks do, here."""
    chosen = StreamSettings(rule=as_rule("rosenblatt"), keep=keep)
    state, per_round = None, []
    loads = [load_pair(X[some], y[some], None, "") for some in np.array_split(np.arange(len(y)), shards)]
    for k in range(rounds):
        baton = Baton(chosen, Teaching(np.array([-1, 1])), state, Progressive(), k + 1, 0, "rows")
        found = [shard_mixture(learn(begin_shard(baton), Hop(), load), mix) for load in loads]
        whole = None
        for each in found:
            whole = add(whole, each)
        counts = np.array([each.counts[0, 0] for each in found])
        mass = np.array([each.mass[0] for each in found])
        per_round.append(((mass * counts).sum() / max(1.0, mass.sum()), counts.sum()))
        state = mix_state(state, whole, chosen, None, k)
    return per_round, state


@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from(["uniform", "mistakes"]))
@settings(deadline=None, max_examples=25)
def test_mixing_weights_times_mistakes_are_at_most_the_bound(seed, shards, mix):
    """Σᵣ Σₛ μᵣₛ kᵣₛ ≤ R²/γ² of the lifted points; so with uniform weights Σ k ≤ S·R²/γ²."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=4)
    X = rng.normal(size=(120, 3))
    scores = X @ w[:3] + w[3]
    X, scores = X[np.abs(scores) > 0.2], scores[np.abs(scores) > 0.2]
    y = np.where(scores > 0, 1, -1)
    radius2 = (X * X).sum(axis=1).max() + 1.0
    margin = np.abs(scores).min() / np.linalg.norm(w)
    per_round, state = rounds_of(X, y, shards, mix, 12)
    bound = radius2 / margin**2
    assert sum(weighted for weighted, _ in per_round) <= bound * (1 + 1e-12)
    if mix == "uniform":
        assert sum(mistakes for _, mistakes in per_round) <= shards * bound * (1 + 1e-12)
    assert state.mistakes == sum(mistakes for _, mistakes in per_round)


def test_one_shard_is_fit(rows, client):
    X, y = rows
    model = cluster.fit(
        Perceptron(order="given", epochs=3), *on_cluster(X, y), how="mixing", shards=1, client=client
    )  # fmt: skip
    alone = Perceptron(order="given", epochs=3).fit(X, y)
    assert (model.coef_ == alone.coef_).all()
    assert model.mistakes_ == alone.mistakes_
    assert [epoch.mistakes for epoch in model.history_] == [epoch.mistakes for epoch in alone.history_]


def test_the_mean_is_that_over_rounds_and_shards(rows):
    """By a plain perceptron that adds up every w it ever has."""
    X, y = rows
    y = 2 * y - 1
    _, state = rounds_of(X, y, 3, "uniform", 2, keep="averaged")
    w, means = np.zeros(7), []
    for _ in range(2):
        ends, of_shards = [], []
        for some in np.array_split(np.arange(len(y)), 3):
            v, total = w.copy(), np.zeros(7)
            for i in some:
                lifted = np.append(X[i], 1.0)
                if y[i] * (v @ lifted) <= 0:
                    v = v + y[i] * lifted
                total += v
            ends.append(v)
            of_shards.append(total / len(some))
        w = np.mean(ends, axis=0)
        means.append(np.mean(of_shards, axis=0))
    assert state.current() == pytest.approx(w)
    assert state.returned_weights() == pytest.approx(np.mean(means, axis=0))


@pytest.mark.parametrize("mix", ["uniform", "mistakes"])
@pytest.mark.parametrize("classes", [2, 4])
def test_a_run_that_continues_from_a_checkpoint_has_the_same_bits(rows, client, tmp_path, mix, classes):
    X, y = rows
    y = 2 * (X[:, 0] > 0) + (X[:, 1] > 0) if classes > 2 else y
    parts = on_cluster(X, y)

    def stop(epoch):
        if epoch.epoch == 2:
            raise KeyboardInterrupt

    order = "given" if classes > 2 else "shuffled"
    given = {"keep": "averaged", "epochs": 4, "random_state": 0, "order": order}
    path = str(tmp_path / "run.checkpoint")
    how = {"how": "mixing", "mix": mix, "client": client}
    with pytest.raises(KeyboardInterrupt):
        cluster.fit(Perceptron(**given, callbacks=stop), *parts, checkpoint=path, **how)
    model = cluster.fit(Perceptron(**given), *parts, checkpoint=path, **how)
    whole = cluster.fit(Perceptron(**given), *parts, **how)
    assert (model.coef_ == whole.coef_).all()
    assert model.mistakes_ == whole.mistakes_
    assert whole.score(X, y) > 0.7


def test_the_bits_of_mixing_do_not_depend_on_how_rows_come(rows, client, tmp_path, monkeypatch):
    """Files whose rows are read and forgotten (one pass), kept (two), and the same shards as partitions."""
    monkeypatch.setattr("rosenblatt.data.sources.text_blocks.BLOCK", 2_000)
    monkeypatch.setattr("rosenblatt.cluster.file_parts.SMALLEST_LOAD", 3_000)
    X, y = np.round(rows[0], 2), rows[1]
    np.savetxt(
        tmp_path / "rows.csv", np.column_stack([X, y]), fmt="%g", delimiter=",", header="a,b,c,d,e,f,y"
    )
    for epochs in (1, 2):
        given = {"order": "given", "keep": "averaged", "epochs": epochs}
        found = [
            cluster.fit(
                Perceptron(**given), str(tmp_path / "rows.csv"), how="mixing", client=client, shards=4
            )
            for _ in range(2)
        ]
        lengths = [sum(len(c) for c in shard) for shard in _shards(tmp_path / "rows.csv", 4)]
        cuts = [da.from_array(each, chunks=(tuple(lengths), *[-1] * (each.ndim - 1))) for each in (X, y)]
        as_arrays = cluster.fit(Perceptron(**given), *cuts, how="mixing", client=client)
        for model in found:
            assert (model.coef_ == as_arrays.coef_).all()
            assert model.mistakes_ == as_arrays.mistakes_


def _shards(path, n):
    from rosenblatt import read
    from rosenblatt.cluster.file_parts import FileParts

    parts = FileParts(read(str(path)))
    return [
        [chunk for load in shard for chunk in parts.source.chunks(load.what)] for shard in parts.shards(n)
    ]


def test_shards_need_not_have_the_same_width():
    from scipy.sparse import csr_array

    wide, narrow = csr_array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]), csr_array([[1.0], [2.0]])
    chosen = StreamSettings(rule=as_rule("rosenblatt"))
    baton = Baton(chosen, Teaching(np.array([-1, 1])), None, Progressive(), 1, 0, "rows")
    found = [
        shard_mixture(
            learn(begin_shard(baton), Hop(), load_pair(X, np.array([1, -1]), None, "")), "uniform"
        )
        for X in (wide, narrow)
    ]
    state = mix_state(None, add(*found), chosen, None, 0)
    assert state.n_features == 3
    assert (
        state.current().tolist() == ((np.array([-1.0, 0, 1, 0]) + np.array([-1.0, 0, 0, 0])) / 2).tolist()
    )


def test_a_shard_without_rows_brings_nothing():
    assert add(None, None) is None
    baton = Baton(
        StreamSettings(rule=as_rule("rosenblatt")),
        Teaching(np.array([-1, 1])),
        None,
        Progressive(),
        1,
        0,
        "",
    )
    assert shard_mixture(learn(begin_shard(baton), Hop(), Loaded([])), "uniform") is None


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ({"keep": "voted"}, "keep: 'voted' stores all vectors of one run"),
        ({"keep": "pocket"}, "keep: 'pocket'"),
        ({"rule": "alma"}, "rule: 'alma' stores more than w"),
    ],
)
def test_settings_that_cannot_be_mixed_are_refused_with_the_reason(rows, client, chosen, why):
    X, y = rows
    with pytest.raises(BadInput, match=why):
        cluster.fit(Perceptron(**chosen), *on_cluster(X, y), how="mixing", client=client)
