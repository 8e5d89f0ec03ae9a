"""Duplicates, merging and unmerging of topics, and the steps of forgetting."""
