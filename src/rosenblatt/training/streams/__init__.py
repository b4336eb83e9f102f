"""A run over rows that need not fit in memory: passes, shuffling, checkpoints and records."""
