"""The topics of the chapter on probability, one per module."""
