"""Prove whether a hyperplane separates two classes, by what margin, in a form that anyone can check."""
