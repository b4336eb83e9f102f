"""The lecture notes: worked examples, foundations, and the lab (interactive pages)."""
