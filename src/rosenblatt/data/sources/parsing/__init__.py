"""Compiled parsers."""
