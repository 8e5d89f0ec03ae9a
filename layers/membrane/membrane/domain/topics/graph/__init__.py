"""Topics as a graph, and the communities in it."""
