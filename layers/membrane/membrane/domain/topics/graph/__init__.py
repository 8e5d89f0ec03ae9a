"""The graph of topics."""
