"""The version of the package, for modules that write it to a file."""

__version__ = "0.1.0"
