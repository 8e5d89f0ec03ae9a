"""Metrics: what records are counted as, and what counters tell of all of them at an instant."""
