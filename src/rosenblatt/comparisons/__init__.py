"""Tables of many runs and of many proofs."""
