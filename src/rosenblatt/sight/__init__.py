"""Traces, replays, plots and reports."""
