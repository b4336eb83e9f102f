"""The lab: interactive pages on the lecture notes, a static site that computes in the browser."""
