"""`membrane recover`: a stack over a restored table, with the blobs that the table names."""
