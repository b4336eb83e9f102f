"""The cached part of the Gram matrix stays within `cache_size`, for any number of rows."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SCRIPT = """
import json
import numpy as np
from rosenblatt import KernelPerceptron
from rosenblatt.training.backends import OnHost

OnHost.short = 0  # of short rows nothing is kept

def peak():
    # what this process used at most; ru_maxrss would start from the peak of the process that began it
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

generator = np.random.default_rng(0)
X = generator.normal(size=(40_000, 8))
y = (X[:, 0] > 0).astype(int)
swapped = generator.choice(40_000, 50, replace=False)
y[swapped] = 1 - y[swapped]
model = KernelPerceptron(gamma=0.05, epochs=2, order="given", device="cpu")
model.fit(X[:600], np.arange(600) % 2)  # compiled and warm
found = []
for size in ("50MB", "800MB"):
    before = peak()
    model.set_params(cache_size=size).fit(X, y)
    found.append([model.mistakes_, len(model.support_), peak() - before])
print(json.dumps(found))
"""


@pytest.mark.matrix  # a quarter of a minute
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/self/status")
def test_forty_thousand_rows_whose_gram_matrix_is_thirteen_gigabytes():
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr
    small, large = json.loads(run.stdout)
    assert small[:2] == large[:2]
    n_support = small[1]
    assert n_support * 40_000 * 8 > 250e6, "the support must not fit in the small cache"
    assert small[2] < 50e6 + 100e6
    assert large[2] > 150e6, "a larger cache would show"
