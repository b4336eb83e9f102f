"""Compiled loops. The one that learns is `walk`; the others look, count and vote."""
