"""The compiled walks over text."""
