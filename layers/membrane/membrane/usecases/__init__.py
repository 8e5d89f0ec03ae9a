"""One verb per module: read, decide, write."""
