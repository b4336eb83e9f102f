"""Model files: one `.safetensors` file per model, with arrays and a JSON document.

Loading runs no code. A file of another format version (`container.FORMAT_VERSION`) is refused.
"""

from rosenblatt.storage.container import FORMAT_VERSION
from rosenblatt.storage.perceptrons import PerceptronRecord, load_perceptron, save_perceptron

__all__ = ["FORMAT_VERSION", "PerceptronRecord", "load_perceptron", "save_perceptron"]
