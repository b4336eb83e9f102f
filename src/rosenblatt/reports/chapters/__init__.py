"""The chapters of the page of a run: each returns what its template draws and lists."""
