"""Killed, lost and outdated workers."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import time
from itertools import count
from unittest import mock

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from rosenblatt import BadInput, Perceptron, cluster
from rosenblatt.cluster import dask_client, worker_tasks
from rosenblatt.version import __version__

GIVEN = {"order": "given", "keep": "averaged", "epochs": 4}


@pytest.fixture(scope="module")
def processes():
    """Workers that can be killed; their nannies bring others (two may be dead). They fork from one that
    has imported what they need, which takes seconds."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["distributed", "dask.array", "rosenblatt.cluster.model_fitting"])
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        mock.patch("distributed.utils._forkserver_preload_set", True),
        LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=":0") as workers,
        Client(workers, set_as_default=False) as client,
    ):
        yield client


def on_cluster(rows):
    return da.from_array(rows[0], chunks=(60, -1)), da.from_array(rows[1], chunks=60)


def kill(client, n):
    """Kill `n` workers."""
    for pid in sorted(client.run(os.getpid).values())[:n]:
        os.kill(pid, signal.SIGKILL)


def test_the_bits_do_not_depend_on_which_worker_dies(processes, client, rows):
    """A process is killed after the first pass; what it had is made again by another."""

    def murder(epoch):
        if epoch.epoch == 1:
            kill(processes, 1)

    for how in ("relay", "mixing"):
        model = cluster.fit(
            Perceptron(**GIVEN, callbacks=murder),
            *on_cluster(rows),
            how=how,
            client=processes,
            patience=300.0,
        )
        alone = cluster.fit(Perceptron(**GIVEN), *on_cluster(rows), how=how, client=client)
        assert (model.coef_ == alone.coef_).all()
        assert model.mistakes_ == alone.mistakes_


def dies(block):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_partition_that_kills_its_workers_is_a_sentence(processes, rows, monkeypatch):
    """As one does that is too large for their memory: the system, or the nanny, ends the process."""
    monkeypatch.setattr("rosenblatt.cluster.relay_run.TRIES", 0)
    monkeypatch.setattr(processes.cluster.scheduler, "allowed_failures", 0)
    X, y = on_cluster(rows)
    X = da.concatenate([X[:420], X[420:480].map_blocks(dies, dtype=float, meta=X._meta), X[480:]])
    with pytest.raises(dask_client.ClusterLost, match=r"a part may not fit into the memory of a worker"):
        cluster.fit(Perceptron(**GIVEN), X, y, client=processes, classes=[0, 1], patience=300.0)


def test_without_any_worker_there_is_a_sentence_and_a_checkpoint(rows, tmp_path):
    path = str(tmp_path / "run.checkpoint")
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as workers,
        Client(workers, set_as_default=False) as client,
    ):

        def leave(epoch):
            if epoch.epoch == 2:
                workers.scale(0)
                while dask_client.worker_infos(client):
                    time.sleep(0.01)

        def again(**more):
            return cluster.fit(
                Perceptron(**GIVEN, **more), *on_cluster(rows), client=client, checkpoint=path, patience=0.3
            )

        with pytest.raises(dask_client.ClusterLost, match=r"no worker .*the same call resumes from it"):
            again(callbacks=leave)
        workers.scale(1)
        client.wait_for_workers(1)
        model = again()
    assert (model.coef_ == Perceptron(**GIVEN).fit(*rows).coef_).all()
    assert not os.path.exists(path)


def test_a_lost_scheduler_is_reported(rows):
    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as workers:
        client = Client(workers, set_as_default=False)

        def leave(epoch):
            client.close()

        with pytest.raises(dask_client.ClusterLost, match="nothing was saved: give a checkpoint"):
            cluster.fit(Perceptron(**GIVEN, callbacks=leave), *on_cluster(rows), client=client)


def test_another_version_on_a_worker_is_reported_before_and_during_a_run(client, rows, monkeypatch):
    monkeypatch.setattr(dask_client, "__version__", "9.9")
    with pytest.raises(BadInput, match=r"has rosenblatt .*, and this is 9\.9; install the same version"):
        cluster.fit(Perceptron(), *on_cluster(rows), client=client)
    with pytest.raises(BadInput, match=r"and the run was started with 9\.9"):
        worker_tasks.refuse_another_version("9.9")


def test_a_worker_without_the_package_is_reported(client, rows, monkeypatch):
    monkeypatch.setattr(dask_client, "_VERSIONS", "__import__('rosenblatt_of_nobody')")
    monkeypatch.setattr(dask_client, "_KNOWN", {})
    with pytest.raises(BadInput, match=r"cannot import rosenblatt .*; install version"):
        cluster.fit(Perceptron(), *on_cluster(rows), client=client)


def test_workers_of_two_kinds_are_reported_for_rules_with_real_steps():
    found = {"tcp://one": (__version__, "znver3", "0.61"), "tcp://two": (__version__, "skylake", "0.61")}
    with pytest.warns(UserWarning, match="the workers differ in CPU or Numba .* use workers of one kind"):
        dask_client.check_versions(found, "passive_aggressive_1")
    dask_client.check_versions(found, "rosenblatt")


def test_files_that_differ_between_machines_are_reported(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("1 1:2\n-1 1:-2\n")
    from rosenblatt import read

    with pytest.raises(BadInput, match=r"rows\.svm: has 14 bytes on .*, and 99 where the run started"):
        worker_tasks.load_blocks(read(str(path)), [99], [0], 0)


def test_a_row_that_is_not_finite_is_an_error_not_a_hang(client, rows):
    X = rows[0].copy()
    X[130, 2] = np.nan
    with pytest.raises(BadInput, match="NaN"):
        cluster.fit(Perceptron(), *on_cluster((X, rows[1])), client=client)


def test_a_worker_that_dies_during_a_request_is_not_blamed(client, monkeypatch):
    monkeypatch.setattr(dask_client, "_KNOWN", {})
    monkeypatch.setattr(
        type(client), "run", lambda *_, workers, **__: {w: OSError("closed") for w in workers}
    )
    assert dask_client.check_workers(client, "rosenblatt")
    assert not dask_client._KNOWN[client]


def test_a_full_disk_leaves_the_last_checkpoint_from_which_the_same_call_resumes(
    client, rows, tmp_path, monkeypatch
):
    path = str(tmp_path / "run.checkpoint")

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def fill(epoch):
        if epoch.epoch == 2:
            monkeypatch.setattr(os, "replace", fail)

    def again(**more):
        model = Perceptron(**GIVEN, **more)
        return cluster.fit(model, *on_cluster(rows), client=client, checkpoint=path, every=0.0)

    with pytest.raises(OSError, match="unchanged"):
        again(callbacks=fill)
    monkeypatch.undo()
    model = again()
    assert model.epochs_ == 4
    assert (model.coef_ == Perceptron(**GIVEN).fit(*rows).coef_).all()


@pytest.mark.parametrize("how", ["relay", "mixing"])
def test_the_bits_do_not_depend_on_the_order_in_which_tasks_end(client, rows, monkeypatch, how):
    given = {"order": "shuffled", "keep": "averaged", "epochs": 2, "random_state": 1}

    def fit():
        return cluster.fit(Perceptron(**given), *on_cluster(rows), how=how, client=client)

    alone, as_chunk, ended, turn = fit(), worker_tasks.as_chunk, [], count()

    def make_slowly(given):
        time.sleep(0.1 * (next(turn) % 2 == 0))
        ended.append(given[0][0, 0])
        return as_chunk(given)

    monkeypatch.setattr(worker_tasks, "as_chunk", make_slowly)
    model = fit()
    assert ended[:9] != rows[0][::60, 0].tolist(), "the tasks ended in their order"
    assert (model.coef_ == alone.coef_).all()
    assert model.mistakes_ == alone.mistakes_
