"""Connect to a Dask cluster, check its workers, and wait for results with a time limit."""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from rosenblatt import rules
from rosenblatt.errors import BadInput, needs_extra
from rosenblatt.version import __version__

PATIENCE = 30.0
"""Seconds without any worker after which a run gives up."""
CONNECT = 10.0  # seconds to wait for a scheduler
POLL = 0.5  # seconds between two checks of the workers while waiting
MEMORY = {"MALLOC_TRIM_THRESHOLD_": 1 << 28, "MALLOC_MMAP_THRESHOLD_": 1 << 26}
"""Bytes of freed memory that workers of a local cluster keep. By default Dask's workers return it to the
system immediately, and allocating new memory takes longer than the work on it."""

_VERSIONS = (
    "__import__('rosenblatt.version', fromlist=['_']).__version__, "
    "__import__('llvmlite.binding', fromlist=['_']).get_host_cpu_name(), "
    "__import__('numba').__version__"
)
_KNOWN: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()
"""Versions reported by the workers of each client."""
_LOSSES = ("CancelledError", "FutureCancelledError", "KilledWorker", "CommClosedError")


class ClusterLost(RuntimeError):
    """Signal that the cluster was lost during a run; the message states where the run was saved."""


class Lost(Exception):
    """Signal that results were lost with a worker; they can be recomputed."""


@contextmanager
def client_of(client: Any = None) -> Iterator[Any]:
    """Yield the given client, a client for the given address, or by default the current client.

    If there is no current client, yield a client of a new local cluster. A client that this function opens
    is closed at the end.
    """
    with needs_extra("cluster", "a cluster"):
        from dask import config
        from distributed import Client, LocalCluster, default_client
    if client is None:
        try:
            client = default_client()
        except ValueError:
            client = "local"
    if client == "local":
        environment = {f"distributed.nanny.pre-spawn-environ.{name}": size for name, size in MEMORY.items()}
        with (
            config.set(environment),
            LocalCluster(dashboard_address=":0", threads_per_worker=1) as cluster,
            Client(cluster, set_as_default=False) as local,
        ):
            yield local
    elif isinstance(client, str):
        try:
            connected = Client(client, timeout=CONNECT, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise BadInput(
                f"cluster: no scheduler answers at {client} ({error}); start one with dask scheduler"
            ) from error
        with connected:
            yield connected
    elif not hasattr(client, "scheduler_info") or getattr(client, "asynchronous", False):
        raise BadInput(f"client: expected a dask.distributed.Client, an address or None, got {client!r}")
    else:
        yield client


def check_workers(client: Any, rule: Any, patience: float = PATIENCE) -> list[str]:
    """Return the workers after checking that they run this version of the package.

    Warn if CPUs differ in type and the rule uses floating-point steps, whose rounding may then differ.
    """
    addresses = workers_of(client, patience)
    known = _KNOWN.setdefault(client, {})
    if new := [address for address in addresses if address not in known]:
        # a built-in function, since workers may not have this package
        found = client.run(eval, _VERSIONS, workers=new, on_error="return")
        # dead workers do not respond; tasks check workers that join later
        known |= {address: each for address, each in found.items() if not isinstance(each, OSError)}
    check_versions({address: known[address] for address in addresses if address in known}, rule)
    return addresses


def check_versions(found: dict[str, Any], rule: Any) -> None:
    """Raise an error for workers with another version; warn if different CPU types affect the rule."""
    kinds: dict[Any, str] = {}
    for address, versions in sorted(found.items()):
        if isinstance(versions, BaseException):
            raise BadInput(
                f"the worker {address} cannot import rosenblatt ({versions}); install version "
                f"{__version__} there, with its dependencies"
            )
        version, *kind = versions
        if version != __version__:
            raise BadInput(
                f"the worker {address} has rosenblatt {version}, and this is {__version__}; install the "
                "same version on all machines"
            )
        kinds.setdefault(tuple(kind), address)
    if len(kinds) > 1 and not rules.facts(rules.as_rule(rule)).is_fixed:
        listed = "; ".join(f"{address}: {', '.join(kind)}" for kind, address in kinds.items())
        warnings.warn(
            f"the workers differ in CPU or Numba ({listed}), and the step sizes of "
            f"{rules.name_of(rules.as_rule(rule))!r} are rounded: the last bits of the weights may "
            "depend on the worker; use workers of one kind for equal bits",
            stacklevel=4,
        )


def workers_of(client: Any, patience: float = PATIENCE) -> list[str]:
    """Return the addresses of the workers; wait until there is at least one."""
    give_up = time.monotonic() + patience
    while not (known := worker_infos(client)):
        if time.monotonic() > give_up:
            raise ClusterLost(
                f"the cluster {_name(client)} has had no worker for {patience:g} s; start some with dask "
                "worker ADDRESS, or check why they ended"
            )
        time.sleep(0.1)
    return sorted(known)


def worker_infos(client: Any) -> dict[str, Any]:
    """Return the scheduler's information about each worker, by address."""
    if client.status not in ("running", "connecting"):
        raise ClusterLost(f"the connection to the cluster {_name(client)} was lost ({client.status})")
    try:
        return dict(client.sync(client.scheduler.identity, n_workers=-1)["workers"])
    except (OSError, TimeoutError) as error:
        raise ClusterLost(f"the cluster {_name(client)} does not answer ({error})") from error


def memory_of(client: Any) -> int:
    """Return the sum of the memory limits of all workers in bytes; 0 if unknown."""
    return sum(int(worker.get("memory_limit") or 0) for worker in worker_infos(client).values())


def _name(client: Any) -> str:
    return str(getattr(getattr(client, "scheduler", None), "address", "") or "")


def fetch(client: Any, futures: Sequence[Any], patience: float = PATIENCE) -> list[Any]:
    """Wait for these futures and return their results."""
    wait_for(client, futures, patience)
    with _losses():
        return list(client.gather(list(futures)))


def wait_for(client: Any, futures: Sequence[Any], patience: float = PATIENCE) -> None:
    """Wait until these futures are finished, while Dask repeats the tasks of workers that die.

    Raise `Lost` if a task cannot be repeated, `ClusterLost` if there has been no worker for `patience`
    seconds, or the exception of a failed task.
    """
    from distributed import wait

    last_seen = time.monotonic()
    while True:
        with _losses():
            for future in futures:
                if future.status in ("cancelled", "lost"):
                    raise Lost
                if future.status == "error":
                    raise future.exception()
        waited = [future for future in futures if future.status == "pending"]
        if not waited:
            return
        try:
            with _losses(), client.as_current():
                wait(waited, timeout=POLL, return_when="FIRST_COMPLETED")
        except TimeoutError:
            if worker_infos(client):
                last_seen = time.monotonic()
            elif time.monotonic() - last_seen > patience:
                raise ClusterLost(f"no worker is left, and none has connected for {patience:g} s") from None


def in_order(
    client: Any, futures: Iterable[Any], patience: float = PATIENCE, get: Any = fetch
) -> Iterator[Any]:
    """Yield the results of futures in order, while the iterable submits a few tasks ahead.

    With get=wait_for, yield the finished futures themselves.
    """
    waiting: deque[Any] = deque()
    most = 2 * sum(int(worker["nthreads"]) for worker in worker_infos(client).values())  # results in memory
    for future in futures:
        waiting.append(future)
        if len(waiting) > most:
            first = waiting.popleft()
            yield from get(client, [first], patience) or [first]
    for future in waiting:
        yield from get(client, [future], patience) or [future]


@contextmanager
def _losses() -> Iterator[None]:
    """Raise `Lost` for Dask's errors about results that were lost with their workers."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ in _LOSSES:
            raise Lost(str(error)) from error
        raise
