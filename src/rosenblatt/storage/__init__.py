"""Model files: one `.safetensors` file for each model, arrays and a JSON document.

Loading runs no code. A file of any earlier format version can be loaded for ever
(`container.FORMAT_VERSION`).
"""

from rosenblatt.storage.container import FORMAT_VERSION
from rosenblatt.storage.perceptrons import PerceptronRecord, load_perceptron, save_perceptron

__all__ = ["FORMAT_VERSION", "PerceptronRecord", "load_perceptron", "save_perceptron"]
