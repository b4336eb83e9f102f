"""Many machines: data on a Dask cluster, or in files that its workers see.

`fit` learns from them in one of two ways, `predict` and `evaluate` apply a model, and `rows` passes
them to proofs. Dask (the extra `cluster`) is imported when one of these is called.
"""

from rosenblatt.cluster.answering import evaluate, predict
from rosenblatt.cluster.fitting import fit, fit_files
from rosenblatt.cluster.proofs import rows

__all__ = ["evaluate", "fit", "fit_files", "predict", "rows"]
