"""Comparisons of many runs (`over_orders`) and of many proofs (`separability_table`)."""
