"""Train and apply models on a Dask cluster, with Dask collections or files that its workers can read.

`fit` trains a model by relay or by mixing, `predict` and `evaluate` apply a model, and `rows` passes rows
to proofs. Dask (the extra `cluster`) is imported when one of these functions is called.
"""

from rosenblatt.cluster.model_answers import evaluate, predict
from rosenblatt.cluster.model_fitting import fit, fit_files
from rosenblatt.cluster.proof_rows import rows

__all__ = ["evaluate", "fit", "fit_files", "predict", "rows"]
