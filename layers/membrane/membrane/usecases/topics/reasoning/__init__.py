"""Background work on topics: merging and forgetting."""
