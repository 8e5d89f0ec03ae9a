"""Use cases of the graph."""
