"""From a file to a model: svmlight text, cache, Parquet and csv, against Vowpal Wabbit and scikit-learn.

The text has 200,000 rows of about 35 entries (77 MB), and the same fourteen times over (1 GB). Vowpal
Wabbit runs by its Python package in this process, on the same rows in its own text; both sides read from
the page cache.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.timing import Figure, seconds, show

ROWS, FEATURES, TIMES = 200_000, 1 << 18, 14
AT_ONCE = 20_000


def write_text(folder: Path) -> tuple[Path, Path]:
    """The rows as svmlight text and as Vowpal Wabbit text."""
    generator = np.random.default_rng(0)
    w = generator.normal(size=FEATURES)
    svm, vw = folder / "rows.svm", folder / "rows.vw"
    with svm.open("w") as svm_file, vw.open("w") as vw_file:
        for _ in range(0, ROWS, AT_ONCE):
            for _ in range(AT_ONCE):
                drawn = FEATURES * generator.random(int(generator.integers(25, 46))) ** 3
                indices = np.unique(drawn.astype(int))
                values = np.round(np.abs(generator.normal(size=len(indices))), 4)
                label = 1 if values @ w[indices] > 0 else -1
                pairs = " ".join(f"{j + 1}:{v:.4f}" for j, v in zip(indices, values, strict=True))
                svm_file.write(f"{label:+d} {pairs}\n")
                vw_file.write(f"{label} | {pairs}\n")
    return svm, vw


def repeated(path: Path, times: int) -> Path:
    large = path.with_stem("large")
    with large.open("wb") as out:
        for _ in range(times):
            with path.open("rb") as part:
                shutil.copyfileobj(part, out)
    return large


def ours(source) -> None:
    from rosenblatt.training.settings import StreamSettings
    from rosenblatt.training.streams.stream_run import StreamRun

    StreamRun(source, StreamSettings()).go()


def wabbit(arguments: str) -> None:
    import vowpalwabbit

    vowpalwabbit.Workspace(f"--quiet -b 18 --sgd --loss_function hinge {arguments}").finish()


def scikit_learn(path: Path) -> None:
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import Perceptron

    X, y = load_svmlight_file(str(path))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    Perceptron(max_iter=1, tol=None, shuffle=False).fit(X, y)


def text_figures(folder: Path) -> list[Figure]:
    from rosenblatt.data.sources import read

    figures = []
    small, small_vw = write_text(folder)
    for key, times, repeats in (("small", 1, 7), ("large", TIMES, 3)):
        svm = small if times == 1 else repeated(small, times)
        vw = small_vw if times == 1 else repeated(small_vw, times)
        size = svm.stat().st_size / 1e6
        mine, peer = seconds(
            lambda svm=svm: ours(read(str(svm))), lambda vw=vw: wabbit(f"-d {vw}"), repeats=repeats
        )
        figures.append(
            Figure(
                f"streams/svmlight-{key}",
                f"svmlight text of {size:,.0f} MB, one pass",
                mine,
                peer,
                aim=4.0,
                note=f"{size / mine:,.0f} MB/s",
                against="Vowpal Wabbit",
            )
        )
        if times == 1:
            mine, peer = seconds(
                lambda svm=svm: ours(read(str(svm))), lambda svm=svm: scikit_learn(svm), repeats=3
            )
            figures.append(
                Figure(
                    "streams/load-and-fit",
                    f"svmlight text of {size:,.0f} MB, load and fit",
                    mine,
                    peer,
                    aim=40.0,
                    against="scikit-learn",
                )
            )
            figures += binary_figures(folder, svm, vw)
    return figures


def binary_figures(folder: Path, svm: Path, vw: Path) -> list[Figure]:
    from rosenblatt.data.sources import read
    from rosenblatt.data.sources.cache import Cached
    from rosenblatt.data.sources.writing import write

    cache, vw_cache = folder / "rows.arrow", folder / "rows.cache"
    ours(Cached(read(str(svm)), str(cache)))
    wabbit(f"-d {vw} --cache_file {vw_cache}")
    mine, peer = seconds(
        lambda: ours(Cached(read(str(svm)), str(cache))),
        lambda: wabbit(f"-d {vw} --cache_file {vw_cache}"),
        repeats=7,
    )
    figures = [
        Figure(
            "streams/cache",
            "the same rows from a cache",
            mine,
            peer,
            aim=5.0,
            against="Vowpal Wabbit's cache",
        )
    ]
    parquet = folder / "rows.parquet"
    write(read(str(svm)).chunks(), str(parquet))
    mine, text = seconds(lambda: ours(read(str(parquet))), lambda: ours(read(str(svm))), repeats=7)
    return [
        *figures,
        Figure("streams/parquet", "the same rows from Parquet", mine, text, aim=2.0, beside="our svmlight"),
    ]


def kdd_figures(folder: Path) -> list[Figure]:
    """Network connections, numbers and categories: normal against attack."""
    import polars
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.linear_model import Perceptron

    from rosenblatt.data.sources import read

    if "ROSENBLATT_DATA" not in os.environ:
        return []
    data = Path(os.environ["ROSENBLATT_DATA"]) / "kddcup99_10pct"
    path = folder / "kdd.csv"
    with gzip.open(data / "kddcup.data_10_percent.gz") as packed, path.open("wb") as plain:
        for line in packed:
            features, _, label = line.rstrip(b".\n").rpartition(b",")
            plain.write(features + (b",normal\n" if label == b"normal" else b",attack\n"))

    def peer() -> None:
        table = polars.read_csv(path, has_header=False)
        label = table.columns[-1]
        X = FeatureHasher(2**18).transform(table.drop(label).iter_rows(named=True))
        y = table[label].to_numpy()
        Perceptron(max_iter=1, tol=None, shuffle=False).fit(X, y)

    mine, theirs = seconds(lambda: ours(read(str(path))), peer, repeats=1)
    return [
        Figure(
            "streams/csv",
            "csv of KDD99, hashed, one pass",
            mine,
            theirs,
            aim=5.0,
            against="polars + scikit-learn",
        )
    ]


WABBIT_PROCESS = """
import sys, vowpalwabbit
vowpalwabbit.Workspace(f"--quiet -b 18 --sgd --loss_function hinge -d {sys.argv[1]}").finish()
"""


def process_figures(folder: Path) -> list[Figure]:
    """540 MB, the whole process: start, reading, one pass of the command, averaged, and its model."""
    svm, vw = repeated(folder / "rows.svm", 7), repeated(folder / "rows.vw", 7)
    settings = "--rule rosenblatt --keep averaged --epochs 1 --order given --quiet"
    command = [
        sys.executable,
        "-m",
        "rosenblatt",
        "fit",
        str(svm),
        "--out",
        str(folder / "model"),
        *settings.split(),
    ]

    def run(*words: str) -> None:
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)

    mine, peer = seconds(
        lambda: run(*command), lambda: run(sys.executable, "-c", WABBIT_PROCESS, str(vw)), repeats=3
    )
    size = svm.stat().st_size / 1e6
    return [
        Figure(
            "streams/process",
            f"svmlight text of {size:.0f} MB, the whole process, averaged",
            mine,
            peer,
            aim=3.0,
            against="Vowpal Wabbit",
        )
    ]


def memory_figures(folder: Path) -> list[Figure]:
    """Measure the peak memory of `fit` on 5 GB of text, as reported by Linux."""
    if not Path("/proc/self/status").exists():
        return []
    large = repeated(folder / "rows.svm", 65)
    code = (
        "import re, sys; from rosenblatt.data.sources import read; "
        "from rosenblatt.training.settings import StreamSettings; "
        "from rosenblatt.training.streams.stream_run import StreamRun; "
        "StreamRun(read(sys.argv[1]), StreamSettings(order=sys.argv[2])).go(); "
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read()).group(1))"
    )
    figures = []
    for order in ("given", "shuffled"):
        done = subprocess.run(
            [sys.executable, "-c", code, str(large), order], check=True, capture_output=True, text=True
        )
        used = int(done.stdout) / 1024
        figures.append(
            Figure(
                f"streams/memory-{order}",
                f"memory for {large.stat().st_size / 1e9:.1f} GB of text, {order}",
                used,
                400,
                "MB",
                beside="aim",
            )
        )
    large.unlink()
    return figures


def main() -> None:
    with tempfile.TemporaryDirectory(dir=os.environ.get("ROSENBLATT_SCRATCH")) as name:
        folder = Path(name)
        show("From a file to a model", text_figures(folder))
        show("The whole process", process_figures(folder))
        show("Mixed columns", kdd_figures(folder))
        show("Memory", memory_figures(folder))


if __name__ == "__main__":
    main()
