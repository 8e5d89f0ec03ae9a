"""Capture evidence, resolve names and references in the content, and derive facts."""
