"""The replay viewer: JavaScript written by hand, one page or one widget that needs nothing else."""
