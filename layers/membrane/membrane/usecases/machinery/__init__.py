"""How use cases run: calls, optimistic retries, long jobs, damaged items, visibility."""
