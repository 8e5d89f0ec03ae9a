"""Which topics are one, and how those that nobody uses are forgotten."""
