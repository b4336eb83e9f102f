"""Columns learned on a GPU, through torch; the same mistakes and the same bits as on the CPU."""
