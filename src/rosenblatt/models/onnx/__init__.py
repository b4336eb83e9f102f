"""Export of models to ONNX, a format that other programs read."""

from rosenblatt.models.onnx.exporting import to_onnx

__all__ = ["to_onnx"]
