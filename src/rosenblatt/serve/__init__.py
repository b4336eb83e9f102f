"""A learner that answers while it learns: HTTP, a durable log, followers and a page that shows it."""
