"""Metrics: sums over records, and the snapshot of an instant."""
