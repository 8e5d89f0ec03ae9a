"""Jobs of the index function: `membrane reindex` and `membrane reconcile`."""
