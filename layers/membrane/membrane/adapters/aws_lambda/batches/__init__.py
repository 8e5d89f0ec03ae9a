"""Batches: several requests in one, each performed as if it came alone."""
