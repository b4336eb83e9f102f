"""A run over rows that need not fit into memory: passes, shuffling, checkpoints and records."""
