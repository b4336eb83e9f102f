"""Prove whether classes can be separated, and by what margin, with a certificate that anyone can check."""
