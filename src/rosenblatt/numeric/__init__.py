"""Compiled primitives on one row: score with its rounding error, exact sign, update, prefetch."""
