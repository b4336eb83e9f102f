"""The service under load on two cores, compared with River + FastAPI and Vowpal Wabbit."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.serve.connections import LineConnection, Load, Server, free_port, http, load
from benchmarks.timing import Figure, show

FEATURES, BATCH, SECONDS = 20, 100, 3.0
NAMES = [f"f{j}" for j in range(500)]
HERE = Path(__file__).parent


def named_examples(n: int) -> list[dict[str, object]]:
    """Examples of 20 named features out of 500, with numbers of three decimals, as people send them."""
    generator = np.random.default_rng(0)
    chosen = generator.integers(0, len(NAMES), (n, FEATURES))
    values = generator.standard_normal((n, FEATURES)).round(3)
    labels = generator.choice([-1, 1], n).tolist()
    return [
        {"x": {NAMES[j]: float(v) for j, v in zip(row, some, strict=True)}, "y": label}
        for row, some, label in zip(chosen, values, labels, strict=True)
    ]


def arrow_batches(n: int) -> list[bytes]:
    generator = np.random.default_rng(1)
    bodies = []
    for _ in range(n):
        X = generator.standard_normal((BATCH, FEATURES))
        column = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), FEATURES)
        table = pa.table({"x": column, "y": generator.choice([-1, 1], BATCH)})
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        bodies.append(sink.getvalue().to_pybytes())
    return bodies


def json_batches(n: int) -> list[bytes]:
    examples = named_examples(n * BATCH)
    return [
        json.dumps({"examples": examples[k : k + BATCH]}).encode() for k in range(0, len(examples), BATCH)
    ]


def ours(folder: str, name: str, *more: str) -> Server:
    port = free_port()
    words = ["-m", "rosenblatt", "serve", "--log", f"{folder}/{name}", "--port", str(port), *more]
    return Server(words, port)


def batches(server: Server, path: str, bodies: list[bytes], kind: str, connections: int = 16) -> Load:
    requests = [http(path, body, server.port, kind) for body in bodies]
    load(server.port, requests, connections, 0.5, BATCH)  # compiles
    return load(server.port, requests, connections, SECONDS, BATCH)


def singles(server: Server, path: str, examples: list[dict[str, object]], connections: int = 16) -> Load:
    requests = [http(path, json.dumps(each).encode(), server.port) for each in examples]
    load(server.port, requests, connections, 0.5, 1)
    return load(server.port, requests, connections, SECONDS, 1)


def measured(folder: str, durability: str) -> dict[str, Load]:
    found: dict[str, Load] = {}
    more = ("--durability", durability)
    with ours(folder, f"json-{durability}", *more) as server:
        found["learn, batches of 100, JSON"] = batches(
            server, "/learn", json_batches(50), "application/json"
        )
        examples = named_examples(2000)
        found["learn, single, 16 connections"] = singles(server, "/learn", examples)
        questions = [{"x": each["x"]} for each in examples]
        found["answer, single, remembered"] = singles(server, "/answer", questions)
        forgotten = [{**each, "remember": False} for each in questions]
        found["answer, single, not remembered"] = singles(server, "/answer", forgotten)
    with ours(folder, f"arrow-{durability}", *more) as server:
        kind = "application/vnd.apache.arrow.stream"
        found["learn, batches of 100, Arrow"] = batches(server, "/learn", arrow_batches(50), kind)
    return found


def restart(folder: str) -> tuple[int, float]:
    """Seconds from the start of a process to its first answer, a million examples behind the snapshot."""
    server = ours(folder, "restart", "--every", "1h", "--after", "1000000000")
    requests = [http("/learn", body, server.port) for body in json_batches(50)]
    while True:
        load(server.port, requests, 8, 3.0, BATCH)
        if server.learned() >= 1_000_000:
            break
    server.kill()
    again = ours(folder, "restart", "--every", "1h")
    with again:
        return again.health["learned"], again.seconds


def river() -> dict[str, Load]:
    """Measure the same protocol with River and FastAPI, without a log on disk."""
    with by_uvicorn("river_service") as server:
        examples = named_examples(2000)
        return {
            "learn, batches of 100, JSON": batches(server, "/learn", json_batches(50), "application/json"),
            "learn, single, 16 connections": singles(server, "/learn", examples),
            "answer, single, remembered": singles(server, "/answer", [{"x": e["x"]} for e in examples]),
        }


def empty() -> dict[str, Load]:
    """Send the same bodies to a route that does nothing, to measure uvicorn and the clients."""
    with by_uvicorn("empty_service") as server:
        questions = [{"x": each["x"]} for each in named_examples(2000)]
        arrow = batches(server, "/learn", arrow_batches(50), "application/json")
        return {"batches of 100, Arrow": arrow, "single": singles(server, "/answer", questions)}


def by_uvicorn(name: str) -> Server:
    port = free_port()
    words = ["-m", "uvicorn", "--app-dir", str(HERE), f"{name}:app", "--port", str(port)]
    return Server([*words, "--log-level", "warning", "--no-access-log"], port)


def vowpal_wabbit() -> dict[str, Load]:
    """Vowpal Wabbit behind a socket as its daemon is, by its binding: the wheel has no daemon."""
    lines = [
        f"{each['y']} | " + " ".join(f"{name}:{value}" for name, value in each["x"].items()) + "\n"  # type: ignore[attr-defined]
        for each in named_examples(5000)
    ]
    port = free_port()
    with Server([str(HERE / "vw_service.py"), str(port)], port, ready=None):
        found = {}
        for job, n in (("learn, batches of 100, JSON", BATCH), ("learn, single, 16 connections", 1)):
            requests = ["".join(lines[k : k + n]).encode() for k in range(0, len(lines), n)]
            found[job] = load(port, requests, 16, SECONDS, n, LineConnection)
        return found


WANTED = {
    "learn, batches of 100, JSON": (30_000, None), "learn, batches of 100, Arrow": (150_000, None),
    "learn, single, 16 connections": (1_500, 30), "answer, single, remembered": (2_500, 15),
    "answer, single, not remembered": (2_500, 15),
}  # fmt: skip
KEYS = {
    "learn, batches of 100, JSON": "learn-json", "learn, batches of 100, Arrow": "learn-arrow",
    "learn, single, 16 connections": "learn-one", "answer, single, remembered": "answer",
    "answer, single, not remembered": "answer-forgotten",
}  # fmt: skip


def main() -> None:
    with tempfile.TemporaryDirectory(dir=".") as folder:
        full, normal = measured(folder, "full"), measured(folder, "normal")
        peer, vw, nothing = river(), vowpal_wabbit(), empty()
        learned, seconds = restart(folder)
    figures = []
    for job, (wanted, most) in WANTED.items():
        mine, key = full[job], f"load/{KEYS[job]}"
        limit = f", {most} ms" if most else ""
        note = f"aim {wanted:,}/s{limit}; --durability normal: {normal[job].rate:,.0f}/s"
        figures.append(Figure(f"{key}/p99", f"{job}: 99th percentile", mine.p99 / 1e3))
        if job not in peer:
            figures.append(Figure(key, job, mine.rate, wanted, "/s", note=note, beside="aim"))
        for who, theirs in (("River + FastAPI", peer), ("Vowpal Wabbit", vw)):
            if job in theirs:
                name = f"{key}/{who.split()[0].lower()}"
                figures.append(Figure(name, job, mine.rate, theirs[job].rate, "/s", note=note, against=who))
    figures.append(
        Figure("load/restart", f"restart with {learned:,} examples to learn", seconds, 10, beside="aim")
    )
    show("The service, each acknowledgement on the disk, beside peers that keep nothing on it", figures)
    print("Vowpal Wabbit: text over a bare socket to its binding in one process (the wheel has no daemon)")
    for job, found in nothing.items():
        print(f"A route of uvicorn that does nothing, {job}: {found}")


if __name__ == "__main__":
    main()
