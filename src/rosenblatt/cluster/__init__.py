"""Train on many machines, with data on a Dask cluster or in files that its workers see.

`fit` trains an estimator, `predict` and `evaluate` apply it, `rows` gives proofs access to the rows. Dask
(the extra `cluster`) is imported when one of them is called."""

from rosenblatt.cluster.answering import evaluate, predict
from rosenblatt.cluster.fitting import fit, fit_files
from rosenblatt.cluster.proofs import rows

__all__ = ["evaluate", "fit", "fit_files", "predict", "rows"]
