"""Where rows and labels come from: arrays, files, tables and iterables."""
