"""Fuzzers, each run as `python -m fuzz.NAME COUNT [SEED]`."""
