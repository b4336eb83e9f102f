"""Proofs that a hyperplane does or does not separate two classes, in a form that anyone can check."""
