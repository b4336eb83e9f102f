"""Reports: evaluations and training results as text, JSON and an HTML page."""
