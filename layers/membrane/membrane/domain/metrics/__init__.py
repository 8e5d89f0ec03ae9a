"""Metrics: how records are counted, and the snapshot that the counters give at an instant."""
