"""Keyed documents: JSON values under a key in a hierarchical namespace."""
