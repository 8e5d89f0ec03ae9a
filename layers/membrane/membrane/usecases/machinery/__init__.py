"""How use cases run: calls, retries, long jobs, damaged items, visibility."""
