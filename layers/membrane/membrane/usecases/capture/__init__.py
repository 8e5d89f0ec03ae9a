"""Capture evidence, resolve what it mentions, and derive facts."""
