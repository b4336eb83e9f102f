"""Compiled loops. `walk` learns; the others score, count and vote."""
