"""The job of the index function: `membrane reindex`."""
