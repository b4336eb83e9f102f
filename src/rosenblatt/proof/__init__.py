"""Proof: whether classes can be separated, by what margin, and a certificate that anyone can check."""
