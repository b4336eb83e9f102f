"""kill -9 at random moments: ``python -m fuzz.torture [KILLS] [SEED]``.

`rosenblatt fit` is started, killed after a random time, and restarted with the same command until it
completes. The model must be bit-identical to the model of a run that was not killed, and after each kill
the disk must contain a valid checkpoint or none.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from rosenblatt.storage.perceptrons import load_perceptron

COMMAND = [sys.executable, "-m", "rosenblatt.cli.main", "fit", "rows.svm", "--quiet"]

RUNS = {
    "one pass": [],
    "passes": ["--epochs", "6", "--keep", "averaged"],
    "shuffled": ["--epochs", "6", "--order", "shuffled", "--seed", "3"],
    "cached": ["--epochs", "6", "--order", "shuffled", "--keep", "averaged", "--cache", "rows.arrow"],
    "three classes": ["--epochs", "3", "--keep", "averaged"],
}


def write_rows(path: Path, n_classes: int) -> None:
    """About 40 MB of rows, so that a pass has ten parts."""
    generator = np.random.default_rng(0)
    w = generator.normal(size=(n_classes, 2000))
    with path.open("w") as file:
        for _ in range(100_000):
            indices = np.unique(generator.integers(0, 2000, 40))
            values = np.round(generator.normal(size=len(indices)), 3)
            label = int(np.argmax(w[:, indices] @ values))
            file.write(
                f"{label} " + " ".join(f"{j + 1}:{v}" for j, v in zip(indices, values, strict=True)) + "\n"
            )


def weights_in(path: Path) -> bytes:
    return bytes(load_perceptron(path).state.returned_weights().tobytes())


def torture(name: str, folder: Path, kills: int, draw: random.Random) -> int:
    """Kill one kind of run the given number of times; return how often it was completed."""
    write_rows(folder / "rows.svm", 3 if name == "three classes" else 2)
    time.sleep(2.5)  # a cache accepts only files that have not changed recently
    began = time.perf_counter()
    subprocess.run([*COMMAND, *RUNS[name], "--out", "whole"], cwd=folder, check=True, capture_output=True)
    longest = time.perf_counter() - began
    whole, ends, killed = weights_in(folder / "whole"), 0, 0
    command = [*COMMAND, *RUNS[name], "--out", "model", "--checkpoint", "run.ckpt", "--every", "0s"]
    while killed < kills or not ends:
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            _, told = process.communicate(
                timeout=draw.uniform(0.2, 1.2) * longest if killed < kills else None
            )
        except subprocess.TimeoutExpired:
            process.kill()
            killed += 1
            _, told = process.communicate()
        if process.returncode == 0:
            assert weights_in(folder / "model") == whole, f"{name}: other bits after {killed} kills"
            assert not (folder / "run.ckpt").exists()
            ends += 1
        else:
            assert process.returncode == -signal.SIGKILL, told.decode()
            if (folder / "run.ckpt").exists():
                load_perceptron(folder / "run.ckpt")
    return ends


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    draw = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    each = -(-kills // len(RUNS))
    for name in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            ends = torture(name, Path(folder), each, draw)
        print(f"{name}: {each} kills, {ends} times to the end, the same bits", flush=True)


if __name__ == "__main__":
    main()
