"""The command line: one module per command; the commands call the library and contain no algorithms."""
