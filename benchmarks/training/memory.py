"""Peak memory of `fit`: beyond a C-ordered float32 array, and beside the weights of sparse features."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.timing import Figure, show

KILOBYTES = """
import numpy as np
def kilobytes(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))
"""
PROGRAM = """
{importing}
n, d = {n}, {d}
generator = np.random.default_rng(0)
small = generator.standard_normal((1000, d), dtype=np.float32)
{model}.fit(small, small[:, 0] > 0)  # imports and machine code are not the data's fault
X = np.empty((n, d), np.float32)
for start in range(0, n, 100_000):
    X[start:start + 100_000] = generator.standard_normal((min(100_000, n - start), d), dtype=np.float32)
y = np.where(X[:, 0] > 0, 1, -1)
open("/proc/self/clear_refs", "w").write("5")  # the peak begins here (Linux)
before = kilobytes("VmRSS")
{model}.fit(X, y)
print(1 + (kilobytes("VmHWM") - before) * 1024 / X.nbytes)
"""
SPARSE = """
import scipy.sparse as sp
from rosenblatt import Perceptron
def rows(n, d):
    generator = np.random.default_rng(0)
    columns = np.sort(generator.integers(0, d, (n, 25), dtype=np.int32), axis=1)
    starts = np.arange(0, 25 * n + 1, 25, dtype=np.int32)
    X = sp.csr_matrix((generator.random(25 * n, dtype=np.float32), columns.ravel(), starts), shape=(n, d))
    X.sum_duplicates()
    return X, np.where(generator.random(n) < 0.5, 1, -1)
model = Perceptron(epochs={epochs}, keep={keep!r}, random_state=0)
model.fit(*rows(1_000, 1_000))  # imports and machine code are not the data's fault
X, y = rows(400_000, 2**24)
open("/proc/self/clear_refs", "w").write("5")
before = kilobytes("VmRSS")
model.fit(X, y)
print((kilobytes("VmHWM") - before) * 1024 / (8 * 2**24 * {arrays}))
"""
OURS = ("from rosenblatt import Perceptron", "Perceptron(epochs=2, random_state=0)")
PEER = ("from sklearn.linear_model import Perceptron", "Perceptron(max_iter=2, tol=None, random_state=0)")


def peak(importing: str, model: str, n: int, d: int) -> float:
    return printed(PROGRAM.format(importing=importing, model=model, n=n, d=d))


def printed(program: str) -> float:
    """The number that a program prints."""
    done = subprocess.run(
        [sys.executable, "-c", KILOBYTES + program], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def main() -> None:
    figures = []
    for n, d in ((2_000_000, 128), (8_000_000, 28)):
        ours, peer = peak(*OURS, n, d), peak(*PEER, n, d)
        figures.append(
            Figure(
                f"memory/{n}x{d}",
                f"peak of fit, {n:,} × {d} float32, shuffled, 2 passes, relative to the array",
                ours,
                peer,
                "×",
                1.0,
                beside="scikit-learn",
            )
        )
    for keep, arrays in (("last", 1), ("averaged", 2)):
        for epochs in (1, 10):
            ours = printed(SPARSE.format(keep=keep, arrays=arrays, epochs=epochs))
            figures.append(
                Figure(
                    f"memory/sparse-{keep}-{epochs}",
                    f"peak of fit, 2^24 features, {keep}, {epochs} pass{'es' * (epochs > 1)}, "
                    "relative to the weights",
                    ours,
                    1.3,
                    "×",
                    beside="aim",
                )
            )
    show("Peak memory", figures)


if __name__ == "__main__":
    main()
