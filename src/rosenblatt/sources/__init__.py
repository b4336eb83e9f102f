"""Labelled files, read into memory: svmlight text, csv and tsv, npy and npz."""

from rosenblatt.sources.reading import FORMATS, read
from rosenblatt.sources.table import Table

__all__ = ["FORMATS", "Table", "read"]
