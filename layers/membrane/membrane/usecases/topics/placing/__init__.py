"""The placement of observations in topics, and the withdrawal of statements."""
