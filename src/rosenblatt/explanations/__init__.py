"""Explanations: what a model has learned, why it predicts a class, and which labels are doubtful."""
