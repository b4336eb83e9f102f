"""Sources of rows and labels: arrays, files, tables and iterables."""
