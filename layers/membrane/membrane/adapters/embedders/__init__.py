"""Embedders: texts in, vectors out; which one is a setting."""
