"""Benchmarks of this package and of other libraries, in one run: ``make bench``.

Machines are noisy and differ, so only the ratios within a run mean anything. Each job is run by both
sides in turn, several times, and the medians are compared.
"""
