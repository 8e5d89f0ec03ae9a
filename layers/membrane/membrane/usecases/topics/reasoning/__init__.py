"""Background work on topics: merging, forgetting, finding communities."""
