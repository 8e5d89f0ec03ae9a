"""The graph: records as nodes, relations as edges."""
