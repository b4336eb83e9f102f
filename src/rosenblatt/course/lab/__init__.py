"""The lab: interactive pages on the lecture notes, served on the local machine."""
