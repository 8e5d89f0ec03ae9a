"""Querying topics, and noting that they were read."""
