"""Where the local stack keeps its table and its bucket."""
