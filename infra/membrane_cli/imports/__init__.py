"""`membrane import`: send a file of many requests, follow the import, and show the result."""
