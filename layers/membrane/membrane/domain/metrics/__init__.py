"""Metrics: what is counted of records, and the snapshot of an instant that it makes."""
