"""Row types, and compiled primitives on one row: score with its error, exact sign, update, prefetch."""
