"""The three games of the chapter on teacher and learner."""
