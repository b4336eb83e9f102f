"""The chapters of the page of a run: each takes the facts and gives markup, or nothing to say."""
