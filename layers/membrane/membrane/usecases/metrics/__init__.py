"""Count the records at a request for the metrics."""
