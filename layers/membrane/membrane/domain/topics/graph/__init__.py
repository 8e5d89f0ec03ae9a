"""The graph of topics, and the communities in the graph."""
