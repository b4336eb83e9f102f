"""Peak memory of `fit` on a C-ordered float32 array, beyond the array itself."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.timing import Figure, show

PROGRAM = """
import numpy as np
def kilobytes(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))
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
OURS = ("from rosenblatt import Perceptron", "Perceptron(epochs=2, random_state=0)")
PEER = ("from sklearn.linear_model import Perceptron", "Perceptron(max_iter=2, tol=None, random_state=0)")


def peak(importing: str, model: str, n: int, d: int) -> float:
    program = PROGRAM.format(importing=importing, model=model, n=n, d=d)
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return float(done.stdout)


def main() -> None:
    figures = []
    for n, d in ((2_000_000, 128), (8_000_000, 28)):
        ours, peer = peak(*OURS, n, d), peak(*PEER, n, d)
        figures.append(
            Figure(f"{n:,}×{d} float32, shuffled, 2 passes", f"{ours:.3f} × the array",
                   f"{peer:.3f} × the array", 1.1 / ours, 1.0, "what fit adds to X and y")
        )  # fmt: skip
    show("Peak memory: 1.1 over our multiple of the array (1 or more is within the limit)", figures)


if __name__ == "__main__":
    main()
