"""Compiled loops: `walk` learns; the other modules score, count and vote."""
