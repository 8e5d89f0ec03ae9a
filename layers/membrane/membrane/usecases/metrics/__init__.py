"""Count records as they change, read the counts, and count anew."""
