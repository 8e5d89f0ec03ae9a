"""Counting anew what the metrics are made of."""
