"""Import an NDJSON file line by line, resumably."""
